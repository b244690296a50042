#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "model/journal.hpp"
#include "model/value.hpp"
#include "rules/predicate.hpp"

namespace belfry::rules {

// What a predicate is asked about a record of the journal that was changed: the record, by the name of its kind
// (`task`), as it is read; members of two words by both their spellings, `category_id` and `categoryId`. `links` are
// those of it that are to be seen, from it and to it, hidden ones not among them, and those to tombstones neither.
class JournalFacts final : public PredicateFacts {
public:
    JournalFacts(const model::JournalRecord& record, std::span<const model::Link> links)
        : record_(record), links_(links) {}
    [[nodiscard]] const model::Value* root(std::string_view name) const override;
    [[nodiscard]] bool is_linked(std::string_view relation, std::optional<std::string_view> id) const override;

private:
    const model::JournalRecord& record_;
    std::span<const model::Link> links_;
    mutable std::optional<model::Value> tree_;
};

}  // namespace belfry::rules
