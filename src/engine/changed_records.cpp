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

base::Result<void> ChangedRecords::load(const std::string& user_id, const Wanted& wanted, Unit& unit) {
    std::set<std::string> subjects;
    for (const model::Change* const change : wanted.asked) {
        for (std::string& id : subjects_of(*change)) subjects.insert(std::move(id));
    }
    std::set<std::string> named = wanted.named;
    named.insert(subjects.begin(), subjects.end());
    if (named.empty()) return {};
    std::vector<model::Link> seen;
    if (wanted.links && !subjects.empty()) {
        const std::vector<std::string> ids(subjects.begin(), subjects.end());
        const std::size_t limit =
            std::min(ids.size() * base::limits::links_per_record_max, base::limits::links_per_batch_max);
        TRY_ASSIGN(seen, unit.store.journal().links_of(user_id, ids, limit));
        std::erase_if(seen, [](const model::Link& link) { return link.hidden; });
        // The other ends have to be there.
        for (const model::Link& link : seen) {
            named.insert(link.from_id);
            named.insert(link.to_id);
        }
    }
    const std::vector<std::string> ids(named.begin(), named.end());
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

bool ChangedRecords::is_in(const std::string& id, std::span<const std::string> allowed) const {
    const auto at = records_.find(id);
    return at != records_.end() && std::ranges::find(allowed, at->second.category_id) != allowed.end();
}

bool ChangedRecords::holds(const rules::Predicate& predicate, const model::Change& change,
                           std::span<const std::string> allowed) const {
    return std::ranges::any_of(subjects_of(change), [&](const std::string& id) {
        if (!is_in(id, allowed)) return false;
        std::vector<model::Link> seen;
        if (const auto links = links_.find(id); links != links_.end()) {
            for (const model::Link& link : links->second) {
                if (is_in(link.from_id == id ? link.to_id : link.from_id, allowed)) seen.push_back(link);
            }
        }
        return predicate.holds(rules::JournalFacts(records_.at(id), seen));
    });
}

}  // namespace belfry::engine
