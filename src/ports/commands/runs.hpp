#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "model/log.hpp"
#include "model/run.hpp"
#include "model/run_event.hpp"
#include "ports/commands/command.hpp"

// What is asked of runs. A run that was never there is `not_found`, one that has expired `gone`; what contradicts its
// state is `conflict` with the reason `ended`, `not_running`, `not_pending` or `started`.
namespace belfry::ports {

struct CreatedRun {
    model::Run run;
    bool is_new = true;  // false: a run with this key was there, and nothing was done
};

struct CreateRun final : CommandOf<CreatedRun> {
    std::string user_id;  // empty: the parent's, the session's, or the principal's own
    std::string session_id;
    std::string agent_id;
    std::string hierarchy_id;  // empty: the parent's
    std::string run_key;
    model::RunId parent_id = 0;
    std::string title;
    model::RawJson metadata;
    std::optional<model::CallerContext> caller;
    bool tree = false;
    bool start = true;
};

struct StartRun final : CommandOf<model::Run> {
    model::RunId run_id = 0;
};

// Also its children, and theirs.
struct CancelRun final : CommandOf<model::Run> {
    model::RunId run_id = 0;
    std::string reason;
};

struct FinishRun final : CommandOf<model::Run> {
    model::RunId run_id = 0;
    model::RunState state = model::RunState::completed;  // or failed
    std::optional<model::RawJson> result;
    std::optional<model::RunError> error;
};

// Asks a running run to pause or to go on; it goes on being one that runs. What is so already stays so.
struct PauseRun final : CommandOf<model::Run> {
    model::RunId run_id = 0;
    bool paused = true;  // false: resume
};

// The person's word to the runs of a session: the named one, or the only one that has not ended there. `not_found`
// where there is none, `conflict` (reason `ambiguous`) where there are several.
enum class RunSignal : std::uint8_t { cancel, pause, resume };
struct SignalRun final : CommandOf<model::Run> {
    std::string session_id;
    model::RunId run_id = 0;  // 0: the only one
    RunSignal signal = RunSignal::cancel;
    std::string reason;
};

struct EmittedRunEvents {
    model::Sequence first = 0;  // in the run's stream
    model::Sequence last = 0;
    model::RunState state = model::RunState::running;
    bool paused = false;
    bool is_taken =
        true;  // false: the first one would not have got its number, and nothing was added; `last` is the head
};

// Adds events to a run's stream, all of them or none. Names and sources were checked at the door
// (`codec/run_event_bodies`).
struct EmitRunEvents final : CommandOf<EmittedRunEvents> {
    model::RunId run_id = 0;
    model::RunEvents events;
    std::optional<model::Sequence> expect_first;  // that the first of them must get; else none is added
};

}  // namespace belfry::ports
