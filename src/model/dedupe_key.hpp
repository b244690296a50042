#pragma once

#include <string_view>

namespace belfry::model {

// The dedupe key of a subscriber whose file names none: two failures with different payloads are two rows.
inline constexpr std::string_view dedupe_key_default = "type:source:payload.*";

}  // namespace belfry::model
