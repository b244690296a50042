#include "sim/journal_witness.hpp"

#include <algorithm>

#include "rules/journal_sight.hpp"
#include "rules/journal_wish.hpp"
#include "rules/wake_key.hpp"
#include "sim/journal_cast.hpp"

namespace belfry::sim {
namespace {

using model::JournalKind;
using model::JournalRecord;

bool is_running(const JournalRecord& record) {
    const auto* const time = std::get_if<model::TimeEntry>(&record.body);
    return time != nullptr && !time->ended_at && !record.deleted_at;
}

bool is_allowed(const std::string& category) {
    return std::ranges::find(JournalCast::allowed, category) != JournalCast::allowed.end();
}

}  // namespace

void JournalWitness::heard(const ports::Command& command, base::Timestamp now) {
    const auto take = [&](const auto* wish, bool is_agent) {
        if (wish == nullptr) return false;
        const auto& result = wish->result();
        if (result.ok()) heard(*wish, By{is_agent, now});
        else if (result.error().code == base::Code::outcome_unknown) unheard(command);
        else refused(result.error());
        return true;
    };
    const auto of_claim = [](const auto* wish) { return wish != nullptr && wish->claim.has_value(); };
    const auto* const create = dynamic_cast<const ports::CreateRecord*>(&command);
    const auto* const change = dynamic_cast<const ports::ChangeRecord*>(&command);
    const auto* const remove = dynamic_cast<const ports::DeleteRecord*>(&command);
    const auto* const link = dynamic_cast<const ports::PutLink*>(&command);
    const auto* const unlink = dynamic_cast<const ports::DeleteLink*>(&command);
    if (take(create, of_claim(create)) || take(change, of_claim(change)) || take(remove, of_claim(remove))) return;
    if (take(link, of_claim(link)) || take(unlink, of_claim(unlink))) return;
    take(dynamic_cast<const ports::ImportJournal*>(&command), false);
}

void JournalWitness::unheard(const ports::Command& command) {
    is_certain_ = false;
    if (const auto* import = dynamic_cast<const ports::ImportJournal*>(&command)) note_revisions(*import);
}

void JournalWitness::note_revisions(const ports::ImportJournal& command) {
    for (const ports::JournalItem& item : command.items) {
        if (const auto* record = std::get_if<JournalRecord>(&item)) {
            imported_[{command.user_id, record->id}].insert(record->revision);
        } else if (const auto* link = std::get_if<model::Link>(&item)) {
            imported_links_[{command.user_id, link->relation, link->from_id, link->to_id}].insert(link->revision);
        }
    }
}

void JournalWitness::refused(const base::Error& why) {
    ++sums_.refused;
    if (why.reason == "stale_revision") ++sums_.stale;
    if (why.reason == "out_of_scope") ++sums_.out_of_scope;
}

JournalRecord* JournalWitness::find_live(const std::string& user, const std::string& id,
                                         const std::optional<std::int64_t>& revision) {
    if (!is_certain_) return nullptr;  // what went before in this group is not known
    const auto at = model_.records.find({user, id});
    if (at == model_.records.end()) {
        complain("a command was taken for " + id + ", which is not there");
        return nullptr;
    }
    if (at->second.deleted_at) {
        complain(id + " was changed after it was deleted");
        return nullptr;
    }
    if (revision && *revision != at->second.revision) {
        complain(id + " was changed with a stale revision");
        return nullptr;
    }
    return &at->second;
}

void JournalWitness::put(const JournalRecord& record, const By& by) {
    const std::string origin = by.is_agent ? std::string("agent:") + JournalCast::agent : "user";
    if (by.is_agent) ++sums_.by_agent;
    expected_.insert({record.user_id, std::string(model::journal_kind_name(record.kind())), record.id, origin});
    model_.records.insert_or_assign({record.user_id, record.id}, record);
}

void JournalWitness::put(const model::Link& link, const By& by) {
    const std::string origin = by.is_agent ? std::string("agent:") + JournalCast::agent : "user";
    const std::string key = rules::link_key(link.relation, link.from_id, link.to_id);
    expected_.insert({link.user_id, std::string(model::link_kind), key, origin});
    model_.links.insert_or_assign({link.user_id, link.relation, link.from_id, link.to_id}, link);
}

void JournalWitness::check_scope(const By& by, const std::string& category) {
    if (!by.is_agent || is_allowed(category)) return;
    complain("an agent wrote in the category " + category + ", which it is not allowed");
}

// A plan's own category counts where more than its blocks and pinned tasks is different.
void JournalWitness::check_scope(const By& by, const JournalRecord& before, const JournalRecord& after) {
    const auto* const old = std::get_if<model::DayPlan>(&before.body);
    const auto* const plan = std::get_if<model::DayPlan>(&after.body);
    const bool is_other = old == nullptr || plan == nullptr || old->note != plan->note ||
                          before.extension != after.extension || before.category_id != after.category_id;
    if (!is_other) return;
    check_scope(by, before.category_id);
    check_scope(by, after.category_id);
}

void JournalWitness::check_running(const std::string& user) {
    const auto running = std::ranges::count_if(
        model_.records, [&](const auto& one) { return one.first.first == user && is_running(one.second); });
    if (running > 1) complain(user + " has two running timers");
}

// The category that is made when it is first needed.
void JournalWitness::need_general(const JournalRecord& of, const By& by) {
    const std::string id(model::default_category);
    bool is_needed = of.category_id == id && of.id != id;
    if (const auto* plan = std::get_if<model::DayPlan>(&of.body)) {
        for (const model::PlanBlock& block : plan->blocks) is_needed = is_needed || block.category_id == id;
    }
    if (!is_needed || model_.records.contains({of.user_id, id})) return;
    JournalRecord category;
    category.id = id;
    category.user_id = of.user_id;
    category.category_id = id;
    category.revision = 1;
    category.created_at = by.now;
    category.updated_at = by.now;
    category.body = model::Category{id, {}};
    put(category, by);
}

std::set<std::string> JournalWitness::seen_names(const std::string& user, const model::JournalBody& body) const {
    std::set<std::string> seen;
    for (const std::string& id : rules::named_by(body)) {
        const auto at = model_.records.find({user, id});
        if (at != model_.records.end() && is_allowed(at->second.category_id)) seen.insert(id);
    }
    return seen;
}

bool JournalWitness::sees(const By& by, const JournalRecord& record) const {
    if (!by.is_agent) return true;
    if (record.kind() == JournalKind::day_plan) return true;  // its part of it
    return is_allowed(record.category_id) && !rules::is_hidden(record.body, seen_names(record.user_id, record.body));
}

JournalRecord JournalWitness::shown_to(const By& by, JournalRecord record) const {
    if (!by.is_agent) return record;
    rules::hide_unseen(record.body, JournalCast::allowed, seen_names(record.user_id, record.body));
    rules::hide_own_part(record, JournalCast::allowed);
    return record;
}

std::vector<JournalWitness::Key> JournalWitness::followers(const JournalRecord& of, Along along, const By& by) const {
    std::set<std::string> lists;
    std::set<std::string> sessions;
    if (of.kind() == JournalKind::checklist) lists.insert(of.id);
    if (of.kind() == JournalKind::time_entry) sessions.insert(of.id);
    std::vector<Key> found;
    const auto is_candidate = [&](const Key& key, const JournalRecord& record) {
        return key.first == of.user_id && !record.deleted_at && sees(by, record);
    };
    for (const auto& [key, record] : model_.records) {
        if (of.kind() != JournalKind::task || !is_candidate(key, record)) continue;
        const auto* const list = std::get_if<model::Checklist>(&record.body);
        const auto* const time = std::get_if<model::TimeEntry>(&record.body);
        if (list != nullptr && list->task_id == of.id) {
            lists.insert(record.id);
            found.push_back(key);
        }
        if (along == Along::moved && time != nullptr && time->task_id == of.id) {
            sessions.insert(record.id);
            found.push_back(key);
        }
    }
    for (const auto& [key, record] : model_.records) {
        const auto* const item = std::get_if<model::ChecklistItem>(&record.body);
        const auto* const rating = std::get_if<model::Rating>(&record.body);
        if (!is_candidate(key, record)) continue;
        if (item != nullptr && lists.contains(item->checklist_id)) found.push_back(key);
        if (along == Along::moved && rating != nullptr && rating->target == model::RatingTarget::session &&
            sessions.contains(rating->target_id)) {
            found.push_back(key);
        }
    }
    return found;
}

void JournalWitness::heard(const ports::CreateRecord& command, const By& by) {
    const ports::CreatedRecord& reply = command.result().value();
    if (!is_certain_) return;
    const auto there = model_.records.find({reply.record.user_id, reply.record.id});
    if (!reply.is_new) {
        JournalRecord known = there == model_.records.end() ? JournalRecord{} : shown_to(by, there->second);
        known.number = reply.record.number;
        if (known != reply.record) complain("a record is said to be there, and is another: " + reply.record.id);
        return;
    }
    ++sums_.made;
    if (there != model_.records.end()) return complain(reply.record.id + " is made a second time");
    if (reply.record.revision != 1) complain("a new record has another revision than 1");
    model::JournalBody body = reply.record.body;
    const auto filled = rules::apply_wish(body, command.wish, rules::WishFor::making);
    const bool is_plan = std::holds_alternative<model::DayPlan>(body);
    if (!is_plan && (!filled.ok() || *filled)) complain(reply.record.id + " is not as it was wished");
    need_general(reply.record, by);
    put(reply.record, by);
    JournalRecord nothing = reply.record;
    nothing.extension = {};
    if (auto* const plan = std::get_if<model::DayPlan>(&nothing.body)) {
        nothing.category_id = model::default_category;
        plan->note.clear();
    }
    check_scope(by, nothing, reply.record);
    check_running(reply.record.user_id);
}

// A record as it is, where its agent was answered with a part of it.
JournalRecord JournalWitness::whole_of(const JournalRecord& answered, const JournalRecord& before,
                                       const model::JournalWish* wish, const By& by) {
    if (!by.is_agent) return answered;
    if (!sees(by, before)) complain("an agent came by " + before.id + ", which is not there for it");
    JournalRecord whole = answered;
    if (auto* plan = std::get_if<model::DayPlan>(&whole.body)) {
        // Its blocks were given ids and categories.
        const bool is_named = wish != nullptr && rules::is_given(*wish, "pinned_task_ids");
        plan->pinned_task_ids = std::get<model::DayPlan>(is_named ? wish->values : before.body).pinned_task_ids;
        if (!is_allowed(before.category_id)) {
            plan->note = std::get<model::DayPlan>(before.body).note;
            whole.extension = before.extension;
        }
    } else {
        whole.body = before.body;
        if (wish != nullptr && !rules::apply_wish(whole.body, *wish, rules::WishFor::change).ok()) {
            complain(whole.id + " was changed in what stays");
        }
    }
    rules::keep_unseen(before.body, whole.body, JournalCast::allowed, seen_names(before.user_id, before.body));
    const JournalRecord shown = shown_to(by, whole);
    if (shown.body != answered.body || shown.extension != answered.extension)
        complain("an agent was shown more or less of " + whole.id);
    return whole;
}

void JournalWitness::heard(const ports::ChangeRecord& command, const By& by) {
    JournalRecord after = command.result().value();
    JournalRecord* const there = find_live(after.user_id, after.id, command.revision);
    if (there == nullptr) return;
    JournalRecord before = *there;
    before.number = after.number;
    after = whole_of(after, before, &command.wish, by);
    if (after.revision == before.revision) {
        if (after != before) complain(after.id + " was changed without a revision");
        return;
    }
    ++sums_.changed;
    check_scope(by, before, after);
    need_general(after, by);
    if (after.category_id != before.category_id) {
        for (const Key& key : followers(before, Along::moved, by)) {
            JournalRecord moved = model_.records.at(key);
            if (moved.category_id == after.category_id) continue;
            check_scope(by, moved.category_id);
            moved.category_id = after.category_id;
            ++moved.revision;
            moved.updated_at = by.now;
            ++sums_.followed;
            put(moved, by);
        }
    }
    put(after, by);
    check_running(after.user_id);
}

void JournalWitness::heard(const ports::DeleteRecord& command, const By& by) {
    JournalRecord after = command.result().value();
    JournalRecord* const there = find_live(after.user_id, after.id, command.revision);
    if (there == nullptr) return;
    ++sums_.deleted;
    const JournalRecord before = *there;
    after = whole_of(after, before, nullptr, by);
    check_scope(by, before.category_id);
    if (before.kind() == JournalKind::category) {
        for (const auto& [key, record] : model_.records) {
            const bool is_held = key.first == after.user_id && record.category_id == after.id && record.id != after.id;
            if (is_held && !record.deleted_at) complain("a category was deleted that holds " + record.id);
        }
    }
    for (const Key& key : followers(before, Along::deleted, by)) {
        JournalRecord gone = model_.records.at(key);
        check_scope(by, gone.category_id);
        gone.deleted_at = by.now;
        ++gone.revision;
        gone.updated_at = by.now;
        ++sums_.followed;
        put(gone, by);
    }
    put(after, by);
}

void JournalWitness::heard(const ports::PutLink& command, const By& by) {
    const model::Link& link = command.result()->link;
    if (!is_certain_) return;
    const auto there = model_.links.find({link.user_id, link.relation, link.from_id, link.to_id});
    const bool was_there = there != model_.links.end();
    if (was_there == command.result()->is_new) complain("a link is new and was there, or neither");
    if (was_there && there->second.deleted_at) complain("a link was changed after it was deleted");
    if (was_there && there->second == link) return;
    ++sums_.linked;
    for (const std::string& end : {link.from_id, link.to_id}) {
        const auto record = model_.records.find({link.user_id, end});
        if (record == model_.records.end() || record->second.deleted_at) complain("a link leads to nothing: " + end);
        else check_scope(by, record->second.category_id);
    }
    put(link, by);
}

void JournalWitness::heard(const ports::DeleteLink& command, const By& by) {
    const model::Link& link = command.result().value();
    if (!is_certain_) return;
    const auto there = model_.links.find({link.user_id, link.relation, link.from_id, link.to_id});
    if (there == model_.links.end() || there->second.deleted_at) complain("a link was deleted that is not there");
    put(link, by);
}

void JournalWitness::heard(const ports::ImportJournal& command, const By& by) {
    const ports::Imported& reply = command.result().value();
    note_revisions(command);
    if (!is_certain_) return;
    std::size_t taken = 0;
    for (std::size_t i = 0; i < command.items.size(); ++i) {
        if (std::ranges::find(reply.conflicts, i, &ports::ImportConflict::item) != reply.conflicts.end()) continue;
        if (const auto* record = std::get_if<JournalRecord>(&command.items[i])) {
            JournalRecord wanted = *record;
            wanted.user_id = command.user_id;
            if (model_.records.contains({command.user_id, record->id})) continue;
            put(wanted, by);
            ++taken;
        } else if (const auto* link = std::get_if<model::Link>(&command.items[i])) {
            model::Link wanted = *link;
            wanted.user_id = command.user_id;
            if (model_.links.contains({wanted.user_id, wanted.relation, wanted.from_id, wanted.to_id})) continue;
            put(wanted, by);
            ++taken;
        }
    }
    sums_.imported += taken;
    if (taken != reply.taken) complain("an import took another number of records than it says");
    check_running(command.user_id);
}

}  // namespace belfry::sim
