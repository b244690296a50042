#include "cli/hook_install.hpp"

#include <filesystem>
#include <iostream>
#include <unistd.h>

#include "base/limits.hpp"
#include "cli/hook_record.hpp"
#include "cli/hook_settings.hpp"
#include "cli/line_diff.hpp"
#include "host/files.hpp"
#include "host/program.hpp"
#include "model/raw_json.hpp"

namespace belfry::cli {
namespace {

namespace limits = base::limits;

struct Settings {
    std::string path;                 // the file itself, whatever links lead to it
    std::optional<std::string> text;  // nothing: there is no such file
    unsigned mode = host::mode_private_file;
};

base::Result<std::string> settings_path(const Context& context, const Arguments& arguments) {
    const int chosen =
        (arguments.has("settings") ? 1 : 0) + (arguments.has("project") ? 1 : 0) + (arguments.has("user") ? 1 : 0);
    if (chosen > 1) return wrong("--settings, --project and --user exclude each other");
    if (const auto file = arguments.value("settings")) return *file;
    if (arguments.has("project")) return std::string(".claude/settings.json");
    if (const auto folder = context.environment.get("CLAUDE_CONFIG_DIR")) {
        return host::join_path(*folder, "settings.json");
    }
    const auto home = context.environment.get("HOME");
    if (!home) return wrong("there is no HOME: name the file with --settings");
    return host::join_path(*home, ".claude/settings.json");
}

base::Result<Settings> read_settings(const Context& context, const Arguments& arguments) {
    Settings settings;
    TRY_ASSIGN(const std::string named, settings_path(context, arguments));
    std::error_code failed;
    settings.path = std::filesystem::weakly_canonical(std::filesystem::absolute(named), failed).string();
    if (failed) return base::error(base::Code::io, "cannot find " + named + ": " + failed.message());
    TRY_ASSIGN(const auto facts, host::file_facts(settings.path));
    if (!facts) return settings;
    settings.mode = facts->mode;
    TRY_ASSIGN(settings.text, host::read_file(settings.path, limits::hook_settings_bytes_max));
    return settings;
}

// As a shell reads it.
std::string quoted(const std::string& word) {
    constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-+=:@%,";
    if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) return word;
    std::string out = "'";
    for (const char c : word) {
        if (c == '\'') out += "'\\''";
        else out += c;
    }
    return out + "'";
}

// The line that the settings get: this program, with how it finds its daemon if that was said. Never a token.
base::Result<std::string> command_line(const Arguments& arguments) {
    const std::string program = arguments.value_or("program", host::own_program());
    std::string command = quoted(program) + " hook claude-code";
    if (!is_hook_command(command)) {
        return wrong("the program must be called belfry, so that its hooks are known again, not \"" + program +
                     "\"; name it with --program");
    }
    for (const char* const option : {"agent", "for-user", "budget", "url", "socket", "config", "data"}) {
        const auto value = arguments.value(option);
        if (value) command += " --" + std::string(option) + " " + quoted(*value);
    }
    return command;
}

bool agrees(Context& context, const Arguments& arguments, const std::string& path) {
    if (arguments.has("yes")) return true;
    if (::isatty(STDIN_FILENO) != 1 || arguments.has("json")) return false;
    context.console.out.flush();
    context.console.err.write("Write this to " + host::printable(path) + "? [y/N] ");
    context.console.err.flush();
    std::string answer;
    std::getline(std::cin, answer);
    return answer == "y" || answer == "Y" || answer == "yes";
}

void tell_json(Context& context, const std::string& path, bool changed, bool written) {
    std::string json;
    model::JsonWriter writer(json);
    writer.begin_object().field("settings", path).name("changed").boolean(changed);
    writer.name("written").boolean(written).end_object();
    context.console.out.line(host::escape_json_controls(json));
}

// Shows the difference and, where it is wished, lets `write` do it. Nothing: somebody else has written the file
// meanwhile, and what was shown is not what would happen.
std::optional<Exit> change(Context& context, const Arguments& arguments, const Settings& settings,
                           const std::optional<std::string>& after, const std::function<base::Result<void>()>& write) {
    const bool is_json = arguments.has("json");
    if (after == settings.text) {
        if (is_json) tell_json(context, settings.path, false, false);
        else remark(context, settings.path + " is as it should be; nothing to do");
        return Exit::ok;
    }
    if (!is_json) {
        std::string_view diff_lines;
        const std::string diff = line_diff(settings.text.value_or(""), after.value_or(""));
        for (diff_lines = diff; !diff_lines.empty();) {
            const std::size_t end = diff_lines.find('\n');
            const std::string_view line = diff_lines.substr(0, end);
            const Colour colour = line.starts_with('+')   ? Colour::green
                                  : line.starts_with('-') ? Colour::red
                                                          : Colour::plain;
            context.console.out.line(paint(host::printable(line), colour, context.console.colours_out));
            diff_lines.remove_prefix(end + 1);
        }
    }
    if (!agrees(context, arguments, settings.path)) {
        if (is_json) tell_json(context, settings.path, true, false);
        else remark(context, "nothing was written to " + settings.path + "; --yes writes without asking");
        return Exit::failure;
    }
    const auto now = read_settings(context, arguments);
    if (!now.ok()) return fail(context, arguments, now.error());
    if (now->text != settings.text) {
        remark(context, settings.path + " was changed meanwhile; once more");
        return std::nullopt;
    }
    if (const auto written = write(); !written.ok()) return fail(context, arguments, written.error());
    if (is_json) tell_json(context, settings.path, true, true);
    else
        remark(context,
               after ? "written to " + settings.path : "removed " + settings.path + ", which was made for this");
    return Exit::ok;
}

base::Result<void> write_settings(const Settings& settings, const std::string& text) {
    TRY(host::make_folder(host::parent_folder(settings.path), host::mode_private_folder));
    return host::write_file_atomically(settings.path, text, settings.mode);
}

// What there was before our hooks: known from the record if nobody else has written since, else worked out.
base::Result<std::optional<std::string>> before_hooks(const Settings& settings, const std::string& record_path) {
    if (!settings.text) return std::optional<std::string>();
    const auto record = read_record(record_path);
    if (record && record->after_sha256 == sha256_text(*settings.text)) return record->before;
    TRY_ASSIGN(std::string text, without_hooks(*settings.text));
    return std::optional(std::move(text));
}

std::optional<Exit> install_once(Context& context, const Arguments& arguments) {
    const auto settings = read_settings(context, arguments);
    const auto command = command_line(arguments);
    if (!settings.ok() || !command.ok()) {
        return usage_error(context, arguments, settings.ok() ? command.error() : settings.error());
    }
    const std::string record_path = record_file(context.environment, settings->path);
    const auto after = with_hooks(settings->text.value_or(""), *command);
    const auto before = before_hooks(*settings, record_path);
    if (!after.ok() || !before.ok()) {
        const base::Error& why = after.ok() ? before.error() : after.error();
        return fail(context, arguments, base::error(why.code, settings->path + ": " + why.message, why.field));
    }
    return change(context, arguments, *settings, *after, [&]() -> base::Result<void> {
        const auto earlier = read_record(record_path);
        TRY_ASSIGN(const auto folder, host::file_facts(host::parent_folder(settings->path)));
        const bool makes_folder = !folder || (earlier && earlier->made_folder);
        // First the way back, then the way.
        TRY(write_record(record_path, settings->path, {*before, sha256_text(*after), makes_folder}));
        return write_settings(*settings, *after);
    });
}

std::optional<Exit> uninstall_once(Context& context, const Arguments& arguments) {
    const auto settings = read_settings(context, arguments);
    if (!settings.ok()) {
        return usage_error(context, arguments, settings.error());
    }
    const std::string record_path = record_file(context.environment, settings->path);
    const auto before = before_hooks(*settings, record_path);
    if (!before.ok()) {
        return fail(context, arguments,
                    base::error(before.error().code, settings->path + ": " + before.error().message));
    }
    return change(context, arguments, *settings, *before, [&]() -> base::Result<void> {
        if (*before) TRY(write_settings(*settings, **before));
        else TRY(host::remove_file(settings->path));
        const auto record = read_record(record_path);
        std::error_code is_used;  // somebody else has put something there meanwhile: it stays
        if (!*before && record && record->made_folder) {
            std::filesystem::remove(host::parent_folder(settings->path), is_used);
        }
        return host::remove_file(record_path);
    });
}

}  // namespace

Exit install_hooks(Context& context, const Arguments& arguments) {
    for (;;) {
        if (const auto done = install_once(context, arguments)) return *done;
    }
}

Exit uninstall_hooks(Context& context, const Arguments& arguments) {
    for (;;) {
        if (const auto done = uninstall_once(context, arguments)) return *done;
    }
}

}  // namespace belfry::cli
