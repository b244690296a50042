#include "engine/changed_records.hpp"

#include <algorithm>

#include "base/journal_limits.hpp"
#include "rules/journal_facts.hpp"

namespace belfry::engine {
namespace {

// The records that a change is about. A link's own name is a hash; its tokens say what it connects.
std::vector<std::string> subjects_of(const model::Change& change) {
    std::vector<std::string> ids;
    if (model::parse_journal_kind(change.unit.kind)) ids.push_back(change.unit.id);
    if (change.unit.kind != model::link_kind) return ids;
    for (const model::ChangeToken& token : change.tokens) {
        if (token.token_class == model::ChangeToken::Class::entity_id) ids.push_back(token.name);
    }
    return ids;
}

}  // namespace

base::Result<void> ChangedRecords::load(const std::string& user_id, const std::vector<const model::Change*>& changes,
                                        Links links, Unit& unit) {
    std::set<std::string> named;
    for (const model::Change* const change : changes) {
        for (std::string& id : subjects_of(*change)) named.insert(std::move(id));
    }
    if (named.empty()) return {};
    std::vector<std::string> ids(named.begin(), named.end());
    std::vector<model::Link> seen;
    if (links == Links::yes) {
        const std::size_t limit = ids.size() * base::limits::links_per_record_max;
        TRY_ASSIGN(seen, unit.store.journal().links_of(user_id, ids, limit));
        std::erase_if(seen, [](const model::Link& link) { return link.hidden; });
        // The other ends have to be there.
        for (const model::Link& link : seen) {
            named.insert(link.from_id);
            named.insert(link.to_id);
        }
        ids.assign(named.begin(), named.end());
    }
    TRY_ASSIGN(std::vector<model::JournalRecord> found, unit.store.journal().find(user_id, ids));
    for (model::JournalRecord& record : found) {
        const std::string id = record.id;
        records_.insert_or_assign(id, std::move(record));
    }
    const auto is_live = [this](const std::string& id) {
        const auto at = records_.find(id);
        return at != records_.end() && !at->second.deleted_at;
    };
    for (const model::Link& link : seen) {
        if (is_live(link.to_id)) links_[link.from_id].push_back(link);
        if (is_live(link.from_id)) links_[link.to_id].push_back(link);
    }
    return {};
}

bool ChangedRecords::holds(const rules::Predicate& predicate, const model::Change& change) const {
    return std::ranges::any_of(subjects_of(change), [&](const std::string& id) {
        const auto record = records_.find(id);
        if (record == records_.end()) return false;
        const auto links = links_.find(id);
        const std::span<const model::Link> seen =
            links == links_.end() ? std::span<const model::Link>{} : std::span<const model::Link>(links->second);
        return predicate.holds(rules::JournalFacts(record->second, seen));
    });
}

}  // namespace belfry::engine
