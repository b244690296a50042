#pragma once

#include "codec/json.hpp"
#include "model/run.hpp"
#include "net/exchange.hpp"
#include "ports/commands/runs.hpp"

// What the handlers of runs share.
namespace belfry::net::handlers {

// The id that stood in the path: a whole number above 0. One that is none names no run: `not_found`.
base::Result<model::RunId> run_id_of_path(const Exchange& exchange);

// What went wrong, `{"type":…,"message":…}`; and what came of it: any JSON, null being nothing.
base::Result<model::RunError> read_run_error(codec::JsonReader& reader);
base::Result<std::optional<model::RawJson>> read_run_result(codec::JsonReader& reader);

void answer_run(const Reply& to, int status, const model::Run& run);

// A refusal of one line of many. `accepted` of them were taken before it, in the run's stream from `first` to `last`.
struct RefusedLine {
    std::size_t line = 0;  // 0: the whole
    std::size_t accepted = 0;
    model::Sequence first = 0;
    model::Sequence last = 0;
};
void fail_line(const Reply& to, const base::Error& error, const RefusedLine& at, std::string_view fields = {});

// What became of events, in the answer: 409 with the head where the first would not have got the number it expects.
void answer_emitted(const Reply& to, std::size_t accepted, const ports::EmittedRunEvents& emitted);

}  // namespace belfry::net::handlers
