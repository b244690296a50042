#pragma once

#include <span>
#include <string>
#include <string_view>

namespace belfry::base {

// The candidate that a person most probably meant: at most a third of its letters (and at least two) added, left out,
// changed or swapped. Empty where none is so near.
std::string nearest(std::string_view typed, std::span<const std::string_view> candidates);

}  // namespace belfry::base
