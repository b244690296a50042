#pragma once

#include <string_view>

#include "engine/outbox.hpp"
#include "model/notification.hpp"
#include "model/sink.hpp"

// What the engine knows of sinks: that a notification of the inbox is owed to those that want it, and what became of
// each call. Calls are obligations of this kind, their detail is {"sink", "notification"}.
namespace belfry::engine {

inline constexpr std::string_view sink_kind = "sink";

// Owes this notification to every sink that wants it. For one that comes to the inbox, newly or by escalation.
base::Result<void> owe_sink_calls(const model::SinkCatalogue& sinks, const model::Notification& notification,
                                  Outbox& outbox, Unit& unit);

// Notes one more failure in the call's progress, and tells how many there were.
std::int64_t count_failure(ports::Obligation& call);

// A step in the audit of the call's notification, `what` with the note; it changes nothing of its delivery. Where the
// notification is gone there is nothing to tell.
base::Result<void> record_sink_step(const ports::Obligation& call, std::string_view what, std::string_view note,
                                    Unit& unit);

}  // namespace belfry::engine
