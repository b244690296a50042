#pragma once

#include <map>
#include <string>
#include <vector>

#include "cli/run.hpp"
#include "host/temporary_folder_test.hpp"

namespace belfry::cli {

// Runs commands as a shell would, in a home of their own, and keeps what they say.
struct World {
    host::TemporaryFolder folder;
    std::map<std::string, std::string, std::less<>> variables{{"HOME", folder.path()}};
    bool colours = false;
    base::Timestamp now{1'794'657'600'000'000};  // 2026-11-14T12:00:00Z
    std::string out;
    std::string err;

    Exit run(const std::vector<std::string>& typed) {
        Output standard_output;
        Output standard_error;
        Console console{standard_output, standard_error, colours, colours, false};
        const host::Environment environment(variables);
        const std::vector<Command> commands = own_commands();
        Context context{console, environment, [this] { return now; }, commands};
        const Exit exit = run_commands(context, typed);
        out = standard_output.collected();
        err = standard_error.collected();
        return exit;
    }
};

}  // namespace belfry::cli
