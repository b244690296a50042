#include <filesystem>

#include "cli/commands.hpp"
#include "cli/events_input.hpp"
#include "cli/input.hpp"
#include "cli/template_folder.hpp"
#include "codec/json.hpp"
#include "model/value_json.hpp"

namespace belfry::cli {
namespace {

constexpr std::size_t template_bytes_max = std::size_t{1} << 20;
constexpr std::size_t data_bytes_max = std::size_t{64} << 20;

base::Error in_file(const std::string& path, const base::Error& error) {
    return base::error(error.code, path + ": " + error.message);
}

base::Result<model::Value> read_variables(Context& context, const Arguments& arguments) {
    model::Value variables = model::Value::object();
    const std::string path = arguments.value_or("events", "-");
    TRY_ASSIGN(model::Value events, read_events(path));
    model::Value notification = model::Value::object();
    notification.append("id", model::Value::string("preview"));
    notification.append("priority", model::Value::string("normal"));
    notification.append("inject_at", model::Value::string("turn_start"));
    variables.append("notification", std::move(notification));
    variables.append("count", model::Value::integer(static_cast<std::int64_t>(events.size())));
    variables.append("timestamp", model::Value::string(base::format_timestamp(context.now())));
    if (events.size() > 0) variables.append("event", events.items()[0]);
    variables.append("events", std::move(events));
    if (const auto data = arguments.value("data-file")) {
        TRY_ASSIGN(const std::string bytes, read_input(*data, data_bytes_max));
        const auto json = codec::validate(bytes);
        if (!json.ok()) return in_file(*data, json.error());
        const model::Value more = model::value_from(json->view());
        if (!more.is_object()) return base::error(base::Code::invalid, *data + " must hold a JSON object");
        for (const model::Member& member : more.members()) variables.set(member.key(), member.value);
    }
    return variables;
}

base::Result<std::string> render(Context& context, const Arguments& arguments) {
    const std::string path = arguments.positional(0);
    TRY_ASSIGN(const std::string source, read_input(path, template_bytes_max));
    text::TemplateOptions options;
    options.trim_blocks = arguments.has("trim-blocks");
    options.lstrip_blocks = arguments.has("lstrip-blocks");
    TRY_ASSIGN(const text::Template compiled, text::Template::compile(path, source, options));
    TRY_ASSIGN(const model::Value variables, read_variables(context, arguments));
    const std::string folder = std::filesystem::path(path).parent_path().string();
    const TemplateFolder templates(folder.empty() ? "." : folder, options);
    auto rendered = compiled.render(variables, &templates);
    // A template that is there but broken is a better reason than that there is none.
    if (!rendered.ok() && !templates.failure().empty()) return base::error(base::Code::malformed, templates.failure());
    return rendered;
}

Exit run_render(Context& context, const Arguments& arguments) {
    const auto rendered = render(context, arguments);
    if (!rendered.ok()) return fail(context, arguments, rendered.error());
    write_foreign(context.console, *rendered);
    return Exit::ok;
}

}  // namespace

Command render_command() {
    Command command;
    command.name = "render";
    command.summary = "render a template over events, as they are";
    command.detail =
        "The template sees events, event (the first of them), count, timestamp and notification, and may include\n"
        "templates of its own folder. Events are a JSON array, one object, or one object a line. An error names\n"
        "template, line and column. docs/templates.md describes the language, which is Jinja2's. What a subscriber\n"
        "makes of events, gathered and with its own fields, shows `belfry subscriber test`.";
    command.options = {{"events", "FILE", "the events; standard input without it"},
                       {"data-file", "FILE", "a JSON object of further variables"},
                       {"trim-blocks", "", "drop the newline after a block"},
                       {"lstrip-blocks", "", "drop the space before a block that begins its line"}};
    command.positionals = {{"TEMPLATE", "the template's file"}};
    command.examples = {{"belfry render tool_failure.toon.j2 --events failures.json", "try a template"},
                        {"belfry tail -n 20 --no-follow --json | belfry render summary.j2", "over the newest events"}};
    command.run = run_render;
    return command;
}

}  // namespace belfry::cli
