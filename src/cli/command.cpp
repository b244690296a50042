#include "cli/command.hpp"

#include <algorithm>
#include <array>

#include "base/nearest.hpp"
#include "codec/problem.hpp"

namespace belfry::cli {
namespace {

std::string exit_words(Exit exit) {
    switch (exit) {
        case Exit::ok: return "done";
        case Exit::failure: return "it failed";
        case Exit::usage: return "the command line or the configuration is wrong";
        case Exit::unreachable: return "the daemon cannot be reached, or does not serve at the moment";
        case Exit::refused: return "no or not enough access";
        case Exit::partial: return "some of it was done";
    }
    return {};
}

std::string exit_lines(const Command& command) {
    std::string text;
    std::vector<Exit> shown{Exit::ok, Exit::failure};
    if (command.unknown_option == Exit::usage) shown.push_back(Exit::usage);
    if (command.reach == Reach::daemon) shown.insert(shown.end(), {Exit::unreachable, Exit::refused});
    for (const auto& [exit, words] : command.exits) {
        if (std::find(shown.begin(), shown.end(), exit) == shown.end()) shown.push_back(exit);
    }
    std::sort(shown.begin(), shown.end());
    for (const Exit exit : shown) {
        std::string words = exit_words(exit);
        for (const auto& [special, own_words] : command.exits) {
            if (special == exit) words = own_words;
        }
        if (!words.empty()) text += "  " + std::to_string(static_cast<int>(exit)) + "  " + words + "\n";
    }
    return text;
}

// The options behind the names that the wire has for the same.
constexpr std::array<std::pair<std::string_view, std::string_view>, 31> options_of_fields{
    {{"user_id", "user"},
     {"user", "user"},
     {"session_id", "session"},
     {"session", "session"},
     {"agent_id", "agent"},
     {"state", "state"},
     {"events_per_second", "events-per-second"},
     {"bounds.users", "bound-user"},
     {"bounds.sessions", "bound-session"},
     {"bounds.type_prefixes", "bound-type"},
     {"bounds.severity_max", "bound-severity"},
     {"text", "text"},
     {"status", "status"},
     {"priority", "priority"},
     {"due_date", "due"},
     {"estimate_min", "estimate"},
     {"language", "language"},
     {"label_ids", "label"},
     {"category_id", "category"},
     {"name", "name"},
     {"color", "color"},
     {"note", "note"},
     {"type", "type"},
     {"workout_type", "workout"},
     {"audio_uri", "audio"},
     {"duration_s", "duration"},
     {"energy_kcal", "energy"},
     {"distance_m", "distance"},
     {"model_id", "model"},
     {"metadata", "metadata"},
     {"q", "search"}}};

std::string typed_name(const std::string& field, const Arguments& arguments) {
    for (const auto& [wire, option] : options_of_fields) {
        if (field == wire && arguments.knows(option)) return "--" + std::string(option);
    }
    return {};
}

// What the daemon says of a field, "must be a number", wants the field before it, by the name under which it was typed.
std::string with_subject(const base::Error& error, const Arguments& arguments) {
    std::string message = error.message;
    if (error.field.empty()) return message;
    const std::string option = typed_name(error.field, arguments);
    const auto lacks_subject = [&message](std::string_view verb) { return message.starts_with(verb); };
    if (lacks_subject("must ") || lacks_subject("may ") || lacks_subject("is not ") || lacks_subject("has ")) {
        return (option.empty() ? error.field : option) + " " + message;
    }
    if (option.empty() || message.find(option) != std::string::npos) return message;
    if (message.starts_with(error.field + " ")) return option + message.substr(error.field.size());
    return message + " (" + option + ")";
}

}  // namespace

std::vector<OptionSpec> common_options(Reach reach) {
    std::vector<OptionSpec> options;
    if (reach == Reach::daemon) {
        options.push_back({"url", "URL", "where the daemon is: http://host:port, https://host:port or unix:/path"});
        options.push_back({"socket", "PATH", "the daemon's Unix socket"});
        options.push_back({"token", "TOKEN", "access token; better in BELFRY_TOKEN, where others cannot read it"});
        options.push_back({"ca-file", "FILE", "PEM file of certificates to trust besides the system's"});
    }
    options.push_back({"config", "FILE", "configuration file"});
    options.push_back({"data", "DIR", "data folder"});
    options.push_back({"json", "", "answer in JSON, for programs"});
    options.push_back({"help", "", "show this help", 'h'});
    return options;
}

ArgumentSpec full_spec(const Command& command) {
    ArgumentSpec spec{command.options, command.positionals};
    for (OptionSpec& option : common_options(command.reach)) {
        const bool has_own = std::any_of(command.options.begin(), command.options.end(),
                                         [&](const OptionSpec& own) { return own.name == option.name; });
        if (!has_own) spec.options.push_back(std::move(option));
    }
    return spec;
}

std::string usage_line(const Command& command) {
    std::string line = "belfry " + command.name;
    if (!command.options.empty()) line += " [options]";
    for (const PositionalSpec& positional : command.positionals) {
        switch (positional.count) {
            case PositionalSpec::Count::one: line += " " + positional.name; break;
            case PositionalSpec::Count::optional: line += " [" + positional.name + "]"; break;
            case PositionalSpec::Count::any: line += " [" + positional.name + " ...]"; break;
        }
    }
    return line;
}

std::string help_text(const Command& command) {
    std::string text = "belfry " + command.name + ": " + command.summary + "\n\nUsage: " + usage_line(command) + "\n";
    if (!command.detail.empty()) text += "\n" + command.detail + "\n";
    if (!command.positionals.empty()) {
        text += "\nArguments:\n";
        for (const PositionalSpec& positional : command.positionals) {
            std::string left = "  " + positional.name;
            left.append(left.size() < 32 ? 32 - left.size() : 1, ' ');
            text += left + positional.help + "\n";
        }
    }
    if (!command.options.empty()) text += "\nOptions:\n" + describe_options(command.options);
    ArgumentSpec spec = full_spec(command);
    spec.options.erase(spec.options.begin(),
                       spec.options.begin() + static_cast<std::ptrdiff_t>(command.options.size()));
    text += "\nCommon options:\n" + describe_options(spec.options);
    if (!command.examples.empty()) text += "\nExamples:\n";
    for (const Example& example : command.examples) text += "  # " + example.says + "\n  " + example.typed + "\n";
    return text + "\nExit codes:\n" + exit_lines(command);
}

std::string overview_text(const std::vector<Command>& commands) {
    std::string text = "Belfry " BELFRY_VERSION
                       ": takes events durably and streams them to whoever must know.\n\nUsage: belfry COMMAND "
                       "[options]\n\nCommands:\n";
    for (const Command& command : commands) {
        std::string left = "  " + command.name;
        left.append(left.size() < 14 ? 14 - left.size() : 1, ' ');
        text += left + command.summary + "\n";
    }
    return text +
           "\n`belfry COMMAND --help` shows its options, examples and exit codes.\n"
           "A first look: `belfry serve --dev` prints what to try. For good: `belfry serve`, and in another terminal\n"
           "`belfry emit demo.hello` and `belfry tail`.\n";
}

std::string no_such_command(const std::vector<Command>& commands, const std::string& name) {
    std::vector<std::string_view> names;
    names.reserve(commands.size());
    for (const Command& command : commands) names.push_back(command.name);
    const std::string near = base::nearest(name, names);
    return "there is no command \"" + name + "\"" + (near.empty() ? "" : "; did you mean `belfry " + near + "`?");
}

Exit exit_for(base::Code code) {
    switch (code) {
        case base::Code::unavailable:
        case base::Code::overloaded:
        case base::Code::outcome_unknown:
        case base::Code::timeout: return Exit::unreachable;
        case base::Code::unauthenticated:
        case base::Code::forbidden: return Exit::refused;
        default: return Exit::failure;
    }
}

Exit fail(Context& context, const Arguments& arguments, const base::Error& error) {
    if (arguments.has("json")) {
        std::string json = "{\"error\":";
        codec::append_entry_problem(json, error);
        json += '}';
        context.console.err.line(host::escape_json_controls(json));
        return exit_for(error.code);
    }
    std::string text = paint("belfry:", Colour::red, context.console.colours_err) + " ";
    host::append_printable(text, with_subject(error, arguments));
    context.console.err.line(text);
    if (error.code == base::Code::unauthenticated) {
        remark(context, "give a token with BELFRY_TOKEN or --token; an admin makes one with `belfry token create`");
    }
    return exit_for(error.code);
}

Exit usage_error(Context& context, const Arguments& arguments, const base::Error& error) {
    fail(context, arguments, error);
    return Exit::usage;
}

void print_json(Context& context, const model::RawJson& json) {
    context.console.out.line(host::escape_json_controls(json.bytes()));
}

void remark(Context& context, std::string_view text) {
    context.console.out.flush();  // what it remarks on comes first
    context.console.err.line(host::printable(text));
    context.console.err.flush();
}

}  // namespace belfry::cli
