#pragma once

#include <string_view>

#include "base/result.hpp"
#include "client/run_types.hpp"

namespace belfry::client {

base::Result<RunStateNow> read_run(std::string_view body);
// Adds one page to the list; gives where the next one begins, or 0 after the last.
base::Result<model::RunId> read_runs(std::string_view body, RunList& list);
base::Result<EmittedToRun> read_emitted_to_run(std::string_view body);
std::string run_request_json(const RunRequest& request);

}  // namespace belfry::client
