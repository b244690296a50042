#include "model/chat.hpp"

#include <array>

namespace belfry::model {
namespace {

constexpr std::array<std::string_view, 4> role_names{"system", "user", "assistant", "tool"};
constexpr std::array<std::string_view, 5> finish_names{"stop", "length", "tool_calls", "content_filter", "other"};
constexpr std::array<std::string_view, 10> failure_names{"invalid",      "refused", "not_found",   "too_long",
                                                         "rate_limited", "server",  "unreachable", "timed_out",
                                                         "cancelled",    "protocol"};
constexpr std::array<std::string_view, 4> limit_names{"connect", "first_byte", "silence", "whole"};

}  // namespace

bool ChatFailure::is_passing() const {
    switch (kind) {
        case ChatFailureKind::rate_limited:
        case ChatFailureKind::server:
        case ChatFailureKind::unreachable:
        case ChatFailureKind::timed_out: return true;
        case ChatFailureKind::invalid:
        case ChatFailureKind::refused:
        case ChatFailureKind::not_found:
        case ChatFailureKind::too_long:
        case ChatFailureKind::cancelled:
        case ChatFailureKind::protocol: break;
    }
    return false;
}

std::string_view chat_role_name(ChatRole role) {
    return role_names[static_cast<std::size_t>(role)];
}
std::string_view finish_reason_name(FinishReason reason) {
    return finish_names[static_cast<std::size_t>(reason)];
}
std::string_view chat_failure_name(ChatFailureKind kind) {
    return failure_names[static_cast<std::size_t>(kind)];
}
std::string_view chat_limit_name(ChatLimit limit) {
    return limit_names[static_cast<std::size_t>(limit)];
}

}  // namespace belfry::model
