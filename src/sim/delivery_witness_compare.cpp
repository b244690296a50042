#include <algorithm>

#include "sim/delivery_witness.hpp"

// Holds what was foretold against all that the store has.
namespace belfry::sim {
namespace {

bool is_sinks(const model::Transition& step) {
    return step.holder.starts_with("sink:");
}

bool is_same(const model::Transition& foretold, const model::Transition& stored) {
    return foretold.from == stored.from && foretold.to == stored.to && foretold.at == stored.at &&
           foretold.lease == stored.lease && foretold.holder == stored.holder && foretold.reason == stored.reason &&
           foretold.routing == stored.routing;
}

// The place of the first step that is not as it was foretold; the number of those foretold where all are.
std::size_t common(const expected::Steps& foretold, const expected::Steps& stored) {
    const auto [one, other] = std::ranges::mismatch(foretold, stored, is_same);
    return static_cast<std::size_t>(one - foretold.begin());
}

}  // namespace

void DeliveryWitness::compare(const Stock& stock) {
    inboxes_.compare(stock, erased_, complaints_);
    std::map<base::Uuid, expected::Steps> ways;
    for (const model::Transition& step : stock.steps) {
        if (!is_sinks(step)) ways[step.notification.uuid].push_back(step);
    }
    std::set<base::Uuid> stored;
    std::set<std::pair<std::string, std::int64_t>> handles;
    for (const model::Notification& row : stock.notifications) {
        stored.insert(row.id.uuid);
        if (row.handle > 0 && !handles.emplace(row.handed_to, row.handle).second) complain(row, "shares its handle");
        last_ordinal_ = std::max(last_ordinal_, row.ordinal);
        compare_row(row, ways[row.id.uuid]);
        ways.erase(row.id.uuid);
    }
    std::vector<base::Uuid> gone;
    for (const auto& [id, one] : book_.all()) {
        if (!stored.contains(id)) gone.push_back(id);
    }
    for (const base::Uuid& id : gone) book_.remove(id);  // whether they might go is another witness's matter
    for (const auto& [id, steps] : ways) {
        if (stored.contains(id) || steps.empty()) continue;
        complain("steps of a notification that is not there");
        break;
    }
    compare_places(stock);
    compare_seats(stock);
    compare_tools(stock);
    compare_effects(stock);
    is_unheard_ = is_blurred_ = false;
    erased_.clear();
}

void DeliveryWitness::compare_row(const model::Notification& row, const expected::Steps& steps) {
    if (const std::string fault = expected::fault_of(row, steps); !fault.empty()) complain(row, fault);
    const base::Timestamp overdue_from = row.created_at + (row.ttl.us > 0 ? row.ttl : base::seconds(300)) * 2;
    const bool never_changed = row.version == 1 && steps.size() == 1 && row.deadline;
    if (never_changed && expected::is_spoken(row) && *row.deadline > overdue_from) complain(row, "waits too long");
    if (row.outcome == "vetoed" && inboxes_.was_sent(row.id.uuid)) complain(row, "was vetoed and shown");
    const Followed* const known = book_.find(row.id.uuid);
    if (known == nullptr) {
        const bool is_news = is_unheard_ || row.emitter.empty();
        if (!is_news && is_all_sure()) complain(row, "is there and nobody emitted it");
        book_.put({row, steps, true, true});
        return;
    }
    if (known->knows_steps) {
        const std::size_t agreed = common(known->steps, steps);
        if (agreed < known->steps.size()) {
            complain(row, "the step " + known->steps[agreed].reason + " is not in the audit as it happened");
        } else if (is_sure(*known) && steps.size() > agreed) {
            complain(row, "nobody asked for the step " + steps[agreed].reason);
        }
    }
    model::Notification foretold = known->row;
    foretold.passed_over = row.passed_over;
    foretold.fact = row.fact;  // another witness's matter
    const std::string difference = expected::difference(foretold, row);
    const bool was_over = known->is_sure && model::is_terminal(known->row.state) && erased_.empty() && !is_unheard_;
    if (!difference.empty() && (is_sure(*known) || was_over)) complain(row, "not as foretold in " + difference);
    if (known->is_sure && row.lease < known->row.lease) complain(row, "its lease went back");
    if (known->is_sure && row.version < known->row.version) complain(row, "its version went back");
    if (!difference.empty() || !known->is_sure || !known->knows_steps || steps.size() != known->steps.size()) {
        book_.put({row, steps, true, true});
    }
}

// What is open and lives in a session lives in one that is there and its user's. What named no user is the owner's, and
// stays so when its session turns out to be somebody's.
void DeliveryWitness::compare_places(const Stock& stock) {
    std::map<std::string, const model::Session*> sessions;
    for (const Stock::Conversation& one : stock.conversations) {
        sessions[one.session.id] = &one.session;
        if (!one.session.deleted_at) {
            if (deleted_.contains(one.session.id) && erased_.empty())
                complain(one.session.id + " was deleted and lives");
            continue;
        }
        deleted_.insert(one.session.id);
        ever_deleted_.insert(one.session.id);
        if (!one.nodes.empty()) complain(one.session.id + " was deleted and is not empty");
    }
    for (const model::Notification& row : stock.notifications) {
        if (model::is_terminal(row.state) || row.scope.session_id.empty() || row.scope.user_id == "owner") continue;
        const auto at = sessions.find(row.scope.session_id);
        const bool is_home = at != sessions.end() && !at->second->deleted_at &&
                             (at->second->user_id == row.scope.user_id || at->second->user_is_default);
        if (!is_home && erased_.empty())
            complain(row, "lives in " + row.scope.session_id + ", which is not its user's");
    }
}

// How far each session is with its turn, and for whom it is.
void DeliveryWitness::compare_seats(const Stock& stock) {
    std::map<std::string, Seat> stored;
    for (const Stock::Conversation& one : stock.conversations) {
        const model::Session& session = one.session;
        judge_seat(session.id, session.progress);
        const Seat& foretold = seats_[session.id];
        if (foretold.agent != session.agent_id && knows_seats()) complain(session.id + " has another agent");
        if (!foretold.user.empty() && foretold.user != session.user_id && knows_seats()) {
            complain(session.id + " is another user's");
        }
        Seat seat = foretold;
        if (!knows_seats() || session.deleted_at) seat.adopt(session.progress);
        if (!seat.is_sure_of_decided()) seat.adopt_decided(session.progress);
        seat.in_turn = session.progress.in_turn;
        seat.turn_pulled = session.progress.turn_pulled;
        seat.lease = session.progress.lease;
        seat.last_handle = session.next_handle - 1;
        seat.agent = session.agent_id;
        seat.user = session.user_is_default ? std::string() : session.user_id;
        stored[session.id] = std::move(seat);
    }
    seats_ = std::move(stored);
}

void DeliveryWitness::compare_tools(const Stock& stock) {
    std::map<std::string, model::Impact> stored;
    for (const model::ToolInfo& tool : stock.tools) stored[tool.name] = tool.impact;
    if (stored != tools_ && !is_unheard_) complain("the tools are not those that were registered");
    tools_ = std::move(stored);
}

// Each use of an EXTERNAL tool is before the person's eyes in the item of its notification, or in a notice about it, at
// the latest when the notification has ended.
void DeliveryWitness::compare_effects(const Stock& stock) {
    std::map<base::Uuid, const model::Notification*> rows;
    // A notice may have been seen and dropped before its notification ends.
    Effects& told = told_effects_;
    for (const model::Notification& row : stock.notifications) {
        rows[row.id.uuid] = &row;
        if (!expected::was_for_eyes(row)) continue;
        const bool is_notice = row.deduplication_key.starts_with("belfry:effect:");
        const base::Uuid about = is_notice && row.caused_by ? row.caused_by->uuid : row.id.uuid;
        for (const std::string& tool : row.used_tools) {
            if (expected::text_for_eyes(row).find(tool) == std::string::npos) {
                complain(row, "does not say that " + tool + " was used");
            }
            told.emplace(about, tool);
            if (is_notice && !was_ever_unheard_ && !ever_effects_.contains({about, tool})) {
                complain(row, "is about the use of a tool that nobody reported");
            }
        }
    }
    std::erase_if(effects_, [&](const auto& effect) {
        const auto at = rows.find(effect.first);
        if (at == rows.end() || !erased_.empty()) return true;
        if (!model::is_terminal(at->second->state)) return false;
        if (!told.contains(effect)) complain(*at->second, "nobody is told that " + effect.second + " was used");
        return true;
    });
}

void DeliveryWitness::expect_rest(const Stock& stock) {
    for (const model::Notification& row : stock.notifications) {
        if (!model::is_terminal(row.state)) complain(row, "has not come to an end, after all this time");
    }
}

}  // namespace belfry::sim
