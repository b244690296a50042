#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/journal_limits.hpp"
#include "base/result.hpp"
#include "ports/store_journal.hpp"
#include "store/database.hpp"

// The allowed categories inside of statements. A statement has room for as many as there may be; where there are fewer,
// the last one stands in the places that are left.
namespace belfry::store {

// ` AND t.category_id IN ($5, …)`, from this place on.
[[nodiscard]] inline std::string scope_condition(std::string_view column, std::size_t first_place) {
    std::string text = " AND " + std::string(column) + " IN (";
    for (std::size_t i = 0; i < base::limits::allowed_categories_max; ++i) {
        text += (i > 0 ? ", $" : "$") + std::to_string(first_place + i);
    }
    return text + ")";
}

inline void add_scope(std::vector<Param>& params, const std::vector<std::string>& categories) {
    for (std::size_t i = 0; i < base::limits::allowed_categories_max; ++i) {
        params.push_back(bytes(i < categories.size() ? categories[i] : categories.back()));
    }
}

[[nodiscard]] inline bool is_empty(const ports::JournalScope& scope) {
    return scope && scope->empty();
}

[[nodiscard]] inline base::Result<void> check_scope(const ports::JournalScope& scope) {
    if (!scope || scope->size() <= base::limits::allowed_categories_max) return {};
    return base::error(base::Code::too_large,
                       "at most " + std::to_string(base::limits::allowed_categories_max) + " categories can be named",
                       "categories");
}

}  // namespace belfry::store
