#pragma once

#include "base/result.hpp"
#include "model/journal.hpp"

namespace belfry::rules {

// Whether a record is being made, or there is one that is to be changed.
enum class WishFor { making, change };

// Puts the fields that a wish names into a body of its kind, as they are kept: ids of a list each once, blocks by their
// start. Fields that stay as they were made are refused where they differ. The answer says whether anything is
// different now.
base::Result<bool> apply_wish(model::JournalBody& body, const model::JournalWish& wish, WishFor what);

// Whether the wish names the field of this name.
[[nodiscard]] bool is_given(const model::JournalWish& wish, std::string_view name);

}  // namespace belfry::rules
