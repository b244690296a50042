#pragma once

#include <string_view>

namespace belfry::rules {

// `tool.call.failure`: two or more parts of letters, digits, `_` and `-`, at most 200 characters in all.
bool is_event_type(std::string_view text);

// An event type, or one whose last part is `*` (then a single part before it is enough): `tool.*`, `tool.call.*`.
bool is_type_pattern(std::string_view text);

// `tool.*` matches everything below `tool` at any depth, and neither `tool` itself nor `toolbox.x`.
bool matches_type(std::string_view pattern, std::string_view type);

// A bound of an access token: the type is the prefix itself or lies below it; a trailing dot or `.*` does not matter.
bool is_below_prefix(std::string_view prefix, std::string_view type);

}  // namespace belfry::rules
