#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace belfry::cli {

// JSON as programs write it that are less strict than ours: half a surrogate pair (a text that was cut inside a
// character) and bytes that are no UTF-8 become U+FFFD, and what lies deeper than `depth_max` becomes null. What is no
// JSON for another reason stays so.
std::string lenient_json(std::string_view text, std::size_t depth_max);

}  // namespace belfry::cli
