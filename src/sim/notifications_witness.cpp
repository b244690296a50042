#include "sim/notifications_witness.hpp"

#include <algorithm>

#include "sim/catalogue.hpp"
#include "text/toon.hpp"

namespace belfry::sim {
namespace {

constexpr const char* owner = "owner";
constexpr const char* gave_way = "overload";

std::string number(std::int64_t n) {
    return std::to_string(n);
}

std::string name_of(const model::Notification& row) {
    return "notification " + number(row.ordinal) + " of " + row.subscriber_id;
}

bool is_overload(const model::Notification& row) {
    return row.subscriber_id == model::overload_subscriber;
}

// How many events a summary of what gave way tells of.
std::int64_t told_by(const model::Notification& summary) {
    const auto tree = text::toon_decode(summary.content);
    const model::Value* const rows = tree.ok() ? tree->find("dropped") : nullptr;
    std::int64_t sum = 0;
    if (rows == nullptr) return 0;
    for (const model::Value& row : rows->items()) sum += row.find("events")->as_integer();
    return sum;
}

// EXTERNAL tools are named when the user is to see it.
std::string_view without_tools(std::string_view text) {
    return text.substr(0, std::min(text.find(" (tool used: "), text.find(" (tools used: ")));
}

// Where it lives and whom it is for may change on its way, and what was emitted directly may be put anew: that is the
// delivery witness's.
bool is_same_content(const model::Notification& a, const model::Notification& b) {
    if (!a.emitter.empty()) return a.ordinal == b.ordinal && a.emitter == b.emitter && a.created_at == b.created_at;
    return a.ordinal == b.ordinal && a.scope.user_id == b.scope.user_id && a.subscriber_id == b.subscriber_id &&
           a.priority == b.priority && a.inject_at == b.inject_at && a.follow_up == b.follow_up &&
           a.created_at == b.created_at &&
           (is_overload(a) || (a.events == b.events && without_tools(a.content) == without_tools(b.content) &&
                               without_tools(a.text) == without_tools(b.text)));
}

bool is_same_end(const model::Notification& a, const model::Notification& b) {
    return a.state == b.state && a.ended_at == b.ended_at && a.outcome == b.outcome && a.lease == b.lease &&
           a.version == b.version && a.pull_id == b.pull_id && a.content == b.content;
}

}  // namespace

NotificationsWitness::Pile NotificationsWitness::pile_of(const std::string& subscriber, const std::string& user,
                                                         const std::string& key) {
    return {subscriber, Wants::user_of(user, key), key};
}

void NotificationsWitness::hold(std::shared_ptr<const model::Catalogue> catalogue) {
    for (const model::Subscriber& subscriber : catalogue->subscribers) {
        if (subscriber.id != guest_subscriber) steady_windows_[subscriber.id] = subscriber.dedupe_window;
    }
}

void NotificationsWitness::took(const std::vector<EventsWitness::Taken>& entries, const Wants& wants) {
    for (const EventsWitness::Taken& entry : entries) wish(entry, wants, true);
}

void NotificationsWitness::found(const std::vector<EventsWitness::Taken>& entries, const Wants& wants) {
    for (const EventsWitness::Taken& entry : entries) wish(entry, wants, false);
}

void NotificationsWitness::wish(const EventsWitness::Taken& entry, const Wants& wants, bool is_certain) {
    ids_.resize(std::max<std::size_t>(ids_.size(), entry.sequence + 1));
    ids_[entry.sequence] = entry.id;
    for (const Wants::Wish& wish : wants.of(entry.body)) {
        Wanted& wanted = wanted_[{wish.subscriber_id, wish.user_id, wish.dedupe_key}];
        ++wanted.most;
        if (wish.is_certain && (is_certain || !may_be_erased(wish.user_id))) ++wanted.least;
    }
}

bool NotificationsWitness::may_be_erased(const std::string& user) const {
    return erased_.contains(user) || ((user == owner || user == "?") && !erased_.empty());
}

// What named no user may have come to belong to this one, and what was the owner's may stand in a session of his.
void NotificationsWitness::erased(const std::string& user, bool is_whole) {
    erased_.insert(user);
    has_erased_ = true;
    for (auto& [pile, wanted] : wanted_) {
        const std::string& whose = std::get<1>(pile);
        if (whose != user && whose != "?" && whose != owner) continue;
        wanted.least = 0;
        if (is_whole && whose == user) wanted.most = 0;
    }
    if (is_whole) std::erase_if(dropped_, [&](const auto& one) { return std::get<1>(one.first) == user; });
}

void NotificationsWitness::compare(const Stock& stock, base::Timestamp now, Complaints& complaints) {
    std::set<base::Uuid> stored;
    std::set<std::int64_t> ordinals;
    for (const model::Notification& row : stock.notifications) {
        stored.insert(row.id.uuid);
        if (!ordinals.insert(row.ordinal).second) complaints.push_back(name_of(row) + " shares its ordinal");
        compare_row(row, complaints);
    }
    let_go(stored, now, complaints);
    Counts counts = dropped_;
    count(stock, counts, complaints);
    weigh(counts, complaints);
    compare_repeats(stock, now, complaints);
    erased_.clear();
}

void NotificationsWitness::compare_row(const model::Notification& row, Complaints& complaints) {
    const auto [at, is_new] = known_.try_emplace(row.id.uuid, Known{row, false});
    if (is_new) return;
    if (at->second.is_gone) complaints.push_back(name_of(row) + " came back");
    model::Notification& known = at->second.row;
    if (!is_same_content(known, row)) complaints.push_back(name_of(row) + " is not what it was");
    if (model::is_terminal(known.state) && !is_same_end(known, row)) {
        complaints.push_back(name_of(row) + " had ended and changed again");
    }
    if (row.lease < known.lease) complaints.push_back("the lease of " + name_of(row) + " went back");
    if (row.version < known.version) complaints.push_back("the version of " + name_of(row) + " went back");
    known = row;
}

void NotificationsWitness::let_go(const std::set<base::Uuid>& stored, base::Timestamp now, Complaints& complaints) {
    for (auto at = known_.begin(); at != known_.end();) {
        Known& known = at->second;
        const bool is_new = !known.is_gone && !stored.contains(at->first);
        if (is_new) note_gone(known, now, complaints);
        // The sums of what gave way are still needed.
        const bool is_needed = is_overload(known.row) || known.row.outcome == gave_way;
        at = is_new && !is_needed ? known_.erase(at) : std::next(at);
    }
}

void NotificationsWitness::note_gone(Known& known, base::Timestamp now, Complaints& complaints) {
    known.is_gone = true;
    const model::Notification& row = known.row;
    const std::string& user = row.scope.user_id;
    if (may_be_erased(user)) return;
    const bool may_go = row.ended_at && *row.ended_at < now - kept_;
    if (!may_go) complaints.push_back(name_of(row) + " is lost");
    if (is_overload(row) || row.retry_of) return;
    for (const model::NotifiedEvent& event : row.events) {
        dropped_[pile_of(row.subscriber_id, user, event.dedupe_key)] += event.count;
    }
}

void NotificationsWitness::count(const Stock& stock, Counts& counts, Complaints& complaints) const {
    std::set<std::pair<std::string, base::Uuid>> begun;
    const auto add = [&](const std::string& subscriber, const std::string& user, model::EventId id,
                         model::Sequence sequence, const std::string& key, std::int64_t times) {
        counts[pile_of(subscriber, user, key)] += times;
        if (sequence >= ids_.size() || ids_[sequence] != id) {
            complaints.push_back("a row of " + subscriber + " is of entry " + std::to_string(sequence) +
                                 ", which is another event");
        }
        if (!begun.emplace(subscriber, id.uuid).second) {
            complaints.push_back("entry " + std::to_string(sequence) + " begins two rows of " + subscriber);
        }
    };
    for (const model::Notification& row : stock.notifications) {
        if (is_overload(row) || row.retry_of) {  // one that is sent again has the events of the first
            for (const model::NotifiedEvent& event : row.events) {
                const bool is_there =
                    event.sequence > 0 && event.sequence < ids_.size() && ids_[event.sequence] == event.id;
                if (!is_there) complaints.push_back(name_of(row) + " names an event that there never was");
            }
            continue;
        }
        for (const model::NotifiedEvent& event : row.events) {
            add(row.subscriber_id, row.scope.user_id, event.id, event.sequence, event.dedupe_key, event.count);
        }
    }
    for (const model::WaitingRow& row : stock.waiting) {
        add(row.subscriber_id, row.scope.user_id, row.event_id, row.sequence, row.dedupe_key, row.count);
    }
}

std::int64_t NotificationsWitness::never_written() const {
    std::int64_t sum = 0;
    for (const auto& [id, known] : known_) {
        if (is_overload(known.row)) sum += told_by(known.row);
        if (known.row.outcome != gave_way) continue;
        for (const model::NotifiedEvent& event : known.row.events) sum -= event.count;
    }
    return sum;
}

// What was uncertain is as it is found from now on.
void NotificationsWitness::weigh(const Counts& counts, Complaints& complaints) {
    for (const auto& [pile, count] : counts) wanted_[pile];
    std::int64_t missing = 0;
    std::string example;
    for (auto& [pile, wanted] : wanted_) {
        const auto at = counts.find(pile);
        const std::int64_t found = at == counts.end() ? 0 : at->second;
        const std::string where = std::get<0>(pile) + " for " + std::get<1>(pile) + " under " + std::get<2>(pile);
        if (found > wanted.most) {
            complaints.push_back(number(found - wanted.most) + " events too many count at " + where + ", " +
                                 number(wanted.most) + " were wanted");
        }
        if (found < wanted.least) {
            missing += wanted.least - found;
            example = number(wanted.least - found) + " at " + where;
        }
        wanted = {found, found};
    }
    const std::int64_t never = never_written();
    const std::int64_t allowed = never - settled_;
    // Where an erasure took summaries along, nobody can add up any more what they told.
    const bool can_add_up = erased_.empty() || (allowed == 0 && settled_ == 0);
    if (missing > allowed && can_add_up) {
        complaints.push_back(number(missing) + " events are in no notification, of " + number(allowed) +
                             " it was said that they gave way: " + example);
    }
    settled_ = never;
}

// A window is begun by what left with a batch, never by a follow-up. Told where the window's length stays the same.
void NotificationsWitness::compare_repeats(const Stock& stock, base::Timestamp now, Complaints& complaints) const {
    if (settled_ != 0 || !erased_.empty()) return;  // what began it may be nowhere
    std::set<std::pair<std::string, base::Timestamp>> left;
    for (const model::Notification& row : stock.notifications) {
        if (!row.follow_up) left.emplace(row.subscriber_id, row.created_at);
    }
    for (const model::WaitingRow& row : stock.waiting) {
        if (row.kind != model::WaitingKind::repeat || !steady_windows_.contains(row.subscriber_id)) continue;
        // What began it may have gone with a session that was the owner's by default and became an erased person's.
        if (has_erased_ && row.scope.user_id == owner) continue;
        const base::Timestamp begun = row.due_at - steady_windows_.at(row.subscriber_id);
        // Retention may have removed the notification that began the window: a failing store delays the window's end.
        if (begun <= now - kept_) continue;
        if (!left.contains({row.subscriber_id, begun})) {
            complaints.push_back("entry " + std::to_string(row.sequence) + " of \"" + row.scope.user_id + "\" in \"" +
                                 row.scope.session_id + "\" repeats nothing that left with " + row.subscriber_id);
        }
    }
}

void NotificationsWitness::expect_rest(const Stock& stock, Complaints& complaints) {
    if (stock.waiting.empty()) return;
    complaints.push_back(number(static_cast<std::int64_t>(stock.waiting.size())) + " rows wait for ever, one of " +
                         stock.waiting.front().subscriber_id);
}

}  // namespace belfry::sim
