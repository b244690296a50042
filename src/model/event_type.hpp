#pragma once

#include <string_view>

namespace belfry::model {

// `tool.call.failure`: two or more parts of letters, digits, `_` and `-`, at most 200 characters in all.
bool is_event_type(std::string_view text);

// An event type, or one whose last part is `*` (then a single part before it is enough): `tool.*`, `tool.call.*`.
bool is_type_pattern(std::string_view text);

}  // namespace belfry::model
