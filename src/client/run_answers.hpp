#pragma once

#include <string_view>

#include "base/result.hpp"
#include "client/run_types.hpp"

namespace belfry::client {

base::Result<RunStateNow> read_run(std::string_view body);
// Adds one page to the list; gives where the next one begins, or 0 after the last.
base::Result<model::RunId> read_runs(std::string_view body, RunList& list);
// Of a page of events: after which position the next one goes on.
base::Result<model::Sequence> read_run_place(std::string_view body);
base::Result<EmittedToRun> read_emitted_to_run(std::string_view body);
std::string run_request_json(const RunRequest& request);

}  // namespace belfry::client
