#pragma once

#include <string_view>
#include <vector>

#include "model/change.hpp"
#include "model/journal.hpp"

// What changes of the journal touch (docs/changes.md).
namespace belfry::rules {

inline constexpr std::string_view category_namespace = "category";  // of the subtype that says where a record is

// Of a record that was made (`before` is null), changed or deleted: its semantic key, its subtypes, then the ids of
// itself and of what it belongs to. Categories and what it belongs to are named as they were and as they are. A token
// that does not fit is left out.
[[nodiscard]] std::vector<model::ChangeToken> change_tokens(const model::JournalRecord* before,
                                                            const model::JournalRecord& after);

// Of a link: its key, its relation, and the ids of both its ends, the one that it comes from first.
[[nodiscard]] std::vector<model::ChangeToken> change_tokens(const model::Link& link);

}  // namespace belfry::rules
