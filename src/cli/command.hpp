#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"
#include "cli/arguments.hpp"
#include "cli/console.hpp"
#include "host/environment.hpp"
#include "model/raw_json.hpp"

namespace belfry::cli {

// What every command ends with.
enum class Exit : std::uint8_t {
    ok = 0,
    failure = 1,
    usage = 2,        // the command line or the configuration is wrong
    unreachable = 3,  // the daemon cannot be reached, or does not serve at the moment
    refused = 4,      // no or not enough access
    partial = 5,      // some of it was done
};

struct Command;

// The world of a command.
struct Context {
    Console& console;
    const host::Environment& environment;
    std::function<base::Timestamp()> now;
    const std::vector<Command>& commands;  // all of them, for `help`
};

struct Example {
    std::string typed;
    std::string says;
};

// What options a command has besides its own.
enum class Reach : std::uint8_t {
    alone,   // --config, --data, --json
    daemon,  // and --url, --socket, --token, --ca-file
};

struct Command {
    std::string name;
    std::string summary;  // one line
    std::string detail;   // paragraphs for --help; may be empty
    std::vector<OptionSpec> options;
    std::vector<PositionalSpec> positionals;
    std::vector<Example> examples;
    Reach reach = Reach::alone;
    std::function<Exit(Context&, const Arguments&)> run;
    // What its exit codes mean, where they differ from the usual words; without words: it never ends so.
    std::vector<std::pair<Exit, std::string>> exits;
    // What an option ends with that there is not: of a command whose 2 means something to its caller another one.
    Exit unknown_option = Exit::usage;
};

// Tells the person (or, with --json, the program) what went wrong, on standard error, and gives the exit code for it.
Exit fail(Context& context, const Arguments& arguments, const base::Error& error);
Exit exit_for(base::Code code);
// The same for a command line or a configuration that is wrong, whatever the error's code.
Exit usage_error(Context& context, const Arguments& arguments, const base::Error& error);
// What the daemon answered, as it came, in one line.
void print_json(Context& context, const model::RawJson& json);
// A remark on standard error.
void remark(Context& context, std::string_view text);

std::string usage_line(const Command& command);
std::string help_text(const Command& command);
// What to say of a command that there is not; names the nearest.
std::string no_such_command(const std::vector<Command>& commands, const std::string& name);
std::string overview_text(const std::vector<Command>& commands);
// The declaration against which its arguments are read: its own options and those of its reach.
ArgumentSpec full_spec(const Command& command);
std::vector<OptionSpec> common_options(Reach reach);

}  // namespace belfry::cli
