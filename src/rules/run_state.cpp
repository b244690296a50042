#include "rules/run_state.hpp"

#include <utility>

#include "base/assert.hpp"
#include "base/limits.hpp"

namespace belfry::rules {
namespace {

using model::RunState;

base::Error refused(const model::Run& run, const char* wish, const char* reason) {
    return base::error(
        base::Code::conflict,
        "run " + std::to_string(run.id) + " is " + std::string(model::run_state_name(run.state)) + ": " + wish, {},
        reason);
}

base::Result<void> require_running(const model::Run& run, const char* wish) {
    TRY(require_open(run));
    if (run.state != RunState::running) return refused(run, wish, "not_running");
    return {};
}

void end_run(model::Run& run, RunState state, base::Timestamp now) {
    run.state = state;
    run.paused = false;
    run.queued = 0;
    run.queue_position = 0;
    run.ended_at = now;
}

}  // namespace

base::Result<void> require_open(const model::Run& run) {
    if (model::is_ended(run.state)) return refused(run, "it has ended, and that stays", "ended");
    return {};
}

base::Result<Started> start_run(model::Run& run, bool has_place, std::int64_t queue_number, base::Timestamp now) {
    TRY(require_open(run));
    if (run.state == RunState::running) return refused(run, "it was started before", "started");
    if (run.queued != 0) return refused(run, "it was started before and waits for a place", "started");
    if (!has_place) {
        run.queued = queue_number;
        return Started::queued;
    }
    place_run(run, now);
    return Started::running;
}

void place_run(model::Run& run, base::Timestamp now) {
    ASSERT(run.state == RunState::pending);
    run.state = RunState::running;
    run.queued = 0;
    run.queue_position = 0;
    run.started_at = now;
}

base::Result<void> finish_run(model::Run& run, RunState to, std::optional<model::RawJson> result,
                              std::optional<model::RunError> error, base::Timestamp now) {
    ASSERT(to == RunState::completed || to == RunState::failed);
    TRY(require_running(run, "only a running one can end by itself"));
    run.result = std::move(result);
    run.error = std::move(error);
    end_run(run, to, now);
    return {};
}

base::Result<void> may_cancel(const model::Run& run, std::string_view reason) {
    TRY(require_open(run));
    constexpr std::size_t bytes_max = base::limits::run_reason_bytes_max;
    if (reason.size() <= bytes_max) return {};
    return base::error(base::Code::invalid, "reason may have " + std::to_string(bytes_max) + " bytes", "reason");
}

base::Result<void> cancel_run(model::Run& run, std::string reason, base::Timestamp now) {
    TRY(require_open(run));
    run.cancel_reason = std::move(reason);
    end_run(run, RunState::cancelled, now);
    return {};
}

base::Result<bool> pause_run(model::Run& run, bool paused) {
    TRY(require_running(run, "only a running one pauses and goes on"));
    return std::exchange(run.paused, paused) != paused;
}

base::Result<void> takes_events(const model::Run& run) {
    return require_running(run, "it takes events once it runs");
}

}  // namespace belfry::rules
