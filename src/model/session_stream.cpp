#include "model/session_stream.hpp"

namespace belfry::model {
namespace {
constexpr std::string_view prefix = "session:";
}

std::string session_stream_name(std::string_view session_id) {
    return std::string(prefix).append(session_id);
}

bool is_session_stream(std::string_view stream_name) {
    return stream_name.starts_with(prefix);
}

}  // namespace belfry::model
