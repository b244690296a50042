#pragma once

#include <string>
#include <string_view>

namespace belfry::model {

std::string session_stream_name(std::string_view session_id);  // `session:trip`
[[nodiscard]] bool is_session_stream(std::string_view stream_name);

// The last entry of such a stream.
inline constexpr std::string_view session_deleted_type = "session_deleted";

}  // namespace belfry::model
