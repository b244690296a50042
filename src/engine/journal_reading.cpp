#include <algorithm>

#include "base/journal_limits.hpp"
#include "engine/journal.hpp"
#include "rules/journal_scope.hpp"
#include "rules/journal_sight.hpp"

// The journal as whoever works inside the engine reads it: with what this transaction has changed, and no further than
// he may.
namespace belfry::engine {

namespace limits = base::limits;
using model::JournalKind;
using model::JournalRecord;

bool Journal::lies_inside(const Actor& actor, const JournalRecord& record) {
    return !actor.allowed || rules::check_scope(*actor.allowed, {record.category_id}).ok();
}

base::Result<bool> Journal::sees(const Actor& actor, const JournalRecord& record, Unit& unit) {
    if (!actor.allowed) return true;
    if (record.kind() == JournalKind::day_plan) return !actor.allowed->empty();
    if (!lies_inside(actor, record)) return false;
    if (record.kind() != JournalKind::rating) return true;
    TRY_ASSIGN(const std::set<std::string> seen, seen_names(actor, record.body, unit));
    return !rules::is_hidden(record.body, seen);
}

base::Result<std::set<std::string>> Journal::seen_names(const Actor& actor, const model::JournalBody& body,
                                                        Unit& unit) {
    const std::vector<std::string> named = rules::named_by(body);
    TRY(book_.load(actor.user_id, named, unit));
    std::set<std::string> seen;
    for (const std::string& id : named) {
        TRY_ASSIGN(const JournalRecord* const one, book_.find(actor.user_id, id, unit));
        if (one != nullptr && rules::check_scope(*actor.allowed, {one->category_id}).ok()) seen.insert(id);
    }
    return seen;
}

base::Result<void> Journal::keep_unseen(const Actor& actor, const JournalRecord& before, JournalRecord& after,
                                        Unit& unit) {
    if (!actor.allowed) return {};
    TRY_ASSIGN(const std::set<std::string> seen, seen_names(actor, before.body, unit));
    rules::keep_unseen(before.body, after.body, *actor.allowed, seen);
    return {};
}

base::Result<JournalRecord> Journal::shown_to(const Actor& actor, JournalRecord record, Unit& unit) {
    if (!actor.allowed) return record;
    TRY_ASSIGN(const std::set<std::string> seen, seen_names(actor, record.body, unit));
    rules::hide_unseen(record.body, *actor.allowed, seen);
    rules::hide_own_part(record, *actor.allowed);
    return record;
}

base::Result<std::vector<JournalRecord>> Journal::seen(const Actor& actor, std::span<const std::string> ids,
                                                       Unit& unit) {
    TRY(book_.load(actor.user_id, ids, unit));
    std::vector<JournalRecord> found;
    for (const std::string& id : ids) {
        TRY_ASSIGN(const JournalRecord* const there, book_.find(actor.user_id, id, unit));
        if (there == nullptr || there->deleted_at) continue;
        TRY_ASSIGN(const bool is_seen, sees(actor, *there, unit));
        if (!is_seen) continue;
        TRY_ASSIGN(JournalRecord shown, shown_to(actor, *there, unit));
        found.push_back(std::move(shown));
    }
    return found;
}

base::Result<std::vector<JournalRecord>> Journal::list(const Actor& actor, ports::JournalFilter filter, Unit& unit) {
    filter.user_id = actor.user_id;
    filter.categories = actor.allowed;
    if (actor.allowed && actor.allowed->empty()) return std::vector<JournalRecord>{};
    TRY(book_.flush(unit));
    TRY_ASSIGN(ports::JournalPage page, unit.store.journal().list(filter));
    std::vector<JournalRecord> found;
    for (JournalRecord& record : page.records) {
        TRY_ASSIGN(const bool is_seen, sees(actor, record, unit));
        if (!is_seen) continue;
        TRY_ASSIGN(JournalRecord shown, shown_to(actor, std::move(record), unit));
        found.push_back(std::move(shown));
    }
    return found;
}

}  // namespace belfry::engine
