#pragma once

#include <string_view>

#include "engine/capability.hpp"

// What becomes of the calls of sinks. They are obligations of this kind, their detail is {"sink", "notification"}.
namespace belfry::engine {

inline constexpr std::string_view sink_kind = "sink";
// The step of a call that a sink has carried out: the user was shown the notification.
inline constexpr std::string_view sink_delivered = "sink_delivered";
// Of the obligation to ask a webhook for what a tool does; its id is that of the call, its detail {"tool"}.
inline constexpr std::string_view tool_call_kind = "tool_call";

// Notes one more failure in the call's progress, and tells how many there were.
std::int64_t count_failure(ports::Obligation& call);

// A step in the audit of the call's notification, `what` with the note; it changes nothing of its delivery. Where the
// notification is gone there is nothing to tell.
base::Result<void> record_sink_step(const ports::Obligation& call, std::string_view what, std::string_view note,
                                    Unit& unit);

}  // namespace belfry::engine
