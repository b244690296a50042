#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace belfry::model {

// The short name of a notification in the session that was handed it: `n7`. Models misquote long ids.
std::string handle_text(std::int64_t handle);
std::optional<std::int64_t> parse_handle(std::string_view text);

}  // namespace belfry::model
