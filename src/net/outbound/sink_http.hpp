#pragma once

#include <string>

#include "base/result.hpp"
#include "base/time.hpp"
#include "model/notification.hpp"
#include "model/sink.hpp"
#include "wire/interrupt.hpp"

namespace belfry::net {

// Sends a notification to the server of a sink of kind ntfy or webhook and waits for the answer; blocks. Only the
// address that the sink's file names is called: a redirection is an answer like another, and no success.
//
// `call_id` is the same in every attempt of one call, so that a receiver can tell a repeat. Gives what the server said,
// in a word; an error where it did not take it: of code gone where it says that it never will (410).
base::Result<std::string> call_sink_server(const model::Sink& sink, const model::Notification& notification,
                                           const std::string& call_id, base::Timestamp now,
                                           const wire::Interrupt& interrupt);

}  // namespace belfry::net
