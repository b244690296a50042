#pragma once

#include <string_view>

#include "model/event_type.hpp"

namespace belfry::rules {

using model::is_event_type;
using model::is_type_pattern;

// `tool.*` matches everything below `tool` at any depth, and neither `tool` itself nor `toolbox.x`.
bool matches_type(std::string_view pattern, std::string_view type);

// A bound of an access token: the type is the prefix itself or lies below it; a trailing dot or `.*` does not matter.
bool is_below_prefix(std::string_view prefix, std::string_view type);

}  // namespace belfry::rules
