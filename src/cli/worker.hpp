#pragma once

#include <string>
#include <vector>

#include "base/time.hpp"
#include "cli/command.hpp"
#include "client/client.hpp"

namespace belfry::cli {

struct WorkerWish {
    std::vector<std::string> agents;
    std::vector<std::string> command;
    base::Duration lease;
    std::int64_t context = 0;  // how many of the newest messages of the thread the command gets
    bool once = false;         // one job, and its end is the exit code
};

// Claims the jobs of these agents, one after the other, and runs the command for each. Until it is told to stop; a
// daemon that is away is waited for.
Exit run_worker(Context& context, const Arguments& arguments, const client::Options& options, const WorkerWish& wish);

// The options that a worker has, and what they say.
std::vector<OptionSpec> worker_options();
base::Result<WorkerWish> read_worker_wish(const Context& context, const Arguments& arguments);

}  // namespace belfry::cli
