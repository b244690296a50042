#pragma once

#include <string>

#include "base/result.hpp"
#include "base/time.hpp"
#include "host/environment.hpp"
#include "model/notification.hpp"
#include "model/sink.hpp"
#include "wire/interrupt.hpp"

namespace belfry::daemon {

struct SinkCall {
    model::Sink sink;
    model::Notification notification;
    std::string id;  // the same in every attempt
    base::Timestamp now;
};

// One attempt to let a sink carry a notification; blocks, at the longest a little over the sink's time. Gives in a few
// words how it went, or why it did not: an error of code gone is one that no further attempt would mend.
base::Result<std::string> call_sink(const SinkCall& call, const host::Environment& environment,
                                    const wire::Interrupt& interrupt);

}  // namespace belfry::daemon
