#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "base/time.hpp"
#include "model/run.hpp"

// The way of a run: pending, maybe in the queue for a place, running, and one of three ends. Each step looks at the
// state that is recorded and takes it on, or is refused as `conflict` with a reason; an end is never left.
namespace belfry::rules {

enum class Started : std::uint8_t { running, queued };

// A pending run that nobody has started yet. With a place it runs; else it waits under this number.
base::Result<Started> start_run(model::Run& run, bool has_place, std::int64_t queue_number, base::Timestamp now);
// One that waits gets its place.
void place_run(model::Run& run, base::Timestamp now);

// A running one ends by itself. `to` is completed (maybe with a result) or failed (with an error).
base::Result<void> finish_run(model::Run& run, model::RunState to, std::optional<model::RawJson> result,
                              std::optional<model::RunError> error, base::Timestamp now);
// Is it one that can be cancelled, with a reason that is not too long?
base::Result<void> may_cancel(const model::Run& run, std::string_view reason);
// Any that has not ended. One that is pending never starts.
base::Result<void> cancel_run(model::Run& run, std::string reason, base::Timestamp now);

// A running one. False: it was so already.
base::Result<bool> pause_run(model::Run& run, bool paused);

// Only a running one takes events.
base::Result<void> takes_events(const model::Run& run);
// One that has not ended.
base::Result<void> require_open(const model::Run& run);

}  // namespace belfry::rules
