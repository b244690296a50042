#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"
#include "host/environment.hpp"

namespace belfry::host {

struct CommandCall {
    std::vector<std::string> argv;  // the program, looked for in PATH where it has no slash, and its arguments
    std::string input;              // its standard input
    base::Duration time_max;
    std::size_t output_bytes_max = 0;  // of standard output and error together; the rest is read and forgotten
    int stop_descriptor = -1;          // ends it once this is readable; -1: nothing does
};

struct CommandEnd {
    int status = 0;      // its exit code; 128 and the signal's number where one ended it
    std::string output;  // what it wrote, the beginning of it
};

// Runs a program without a shell, in a process group of its own, and waits for its end. It gets the environment without
// what is Belfry's own (BELFRY_*), which may hold secrets, and none of our open files. After `time_max` the whole group
// is ended (code timeout). Errors: not_found where there is no such program, io where it cannot be started.
base::Result<CommandEnd> run_command(const CommandCall& call, const Environment& environment);

// Starts a program that lives on without us: in a session of its own, with nothing to read and nowhere to write, and
// never ended from here. Its exit code where it ends within `look`, nothing where it is still at work then. The
// environment and the errors are those of `run_command`.
base::Result<std::optional<int>> start_command(const std::vector<std::string>& argv, base::Duration look,
                                               const Environment& environment);

// The path of a program as `run_command` would find it, or nothing.
std::string find_program(std::string_view name, const Environment& environment);

}  // namespace belfry::host
