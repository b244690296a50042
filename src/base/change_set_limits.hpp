#pragma once

#include <cstddef>

// What agents may propose to a person before he decides.
namespace belfry::base::limits {

inline constexpr std::size_t change_items_max = 200;       // of one set
inline constexpr std::size_t change_sets_open_max = 1000;  // of one person

}  // namespace belfry::base::limits
