#include <algorithm>

#include "cli/commands.hpp"
#include "cli/connection.hpp"
#include "cli/table.hpp"
#include "model/raw_json.hpp"

namespace belfry::cli {
namespace {

std::string_view source_name(host::ConfigSource source) {
    switch (source) {
        case host::ConfigSource::standard: return "default";
        case host::ConfigSource::file: return "file";
        case host::ConfigSource::environment: return "environment";
        case host::ConfigSource::flag: return "flag";
    }
    return "default";
}

std::string json_of(const host::LoadedConfig& loaded) {
    std::string json;
    model::JsonWriter writer(json);
    writer.begin_object();
    if (loaded.file.empty()) writer.name("file").null();
    else writer.field("file", loaded.file);
    writer.name("settings").begin_array();
    for (const host::ConfigEntry& entry : loaded.entries) {
        writer.begin_object().field("name", entry.name).name("value").raw(entry.json);
        writer.field("source", source_name(entry.source)).field("where", entry.where).end_object();
    }
    writer.end_array().end_object();
    return json;
}

// What can be turned off and has no value is off.
std::string shown(const host::ConfigEntry& entry) {
    std::string value = model::JsonView{entry.json}.as_text();
    const std::vector<host::ConfigFieldInfo> fields = host::config_fields();
    const auto field = std::ranges::find(fields, entry.name, &host::ConfigFieldInfo::name);
    const bool may_be_off = field != fields.end() && field->help.find("off") != std::string_view::npos;
    return value.empty() && may_be_off ? "off" : value;
}

Exit run_config(Context& context, const Arguments& arguments) {
    const auto loaded = load_config(context, arguments);
    if (!loaded.ok()) {
        return usage_error(context, arguments, loaded.error());
    }
    if (arguments.has("json")) {
        context.console.out.line(host::escape_json_controls(json_of(*loaded)));
        return Exit::ok;
    }
    Table table({"SETTING", "VALUE", "FROM"});
    for (const host::ConfigEntry& entry : loaded->entries) {
        table.add({entry.name, shown(entry), entry.where});
    }
    context.console.out.write(table.text(context.console.colours_out));
    remark(context, loaded->file.empty() ? "no configuration file" : "configuration file: " + loaded->file);
    return Exit::ok;
}

}  // namespace

Command config_command() {
    Command command;
    command.name = "config";
    command.summary = "the effective configuration, and where each value came from";
    command.detail =
        "Flags win over the environment (BELFRY_SERVER_PORT for server.port), which wins over the file, which wins\n"
        "over the defaults. The file is --config, BELFRY_CONFIG, $XDG_CONFIG_HOME/belfry/belfry.toml or\n"
        "/etc/belfry/belfry.toml, the first of them that there is. Passwords are not shown.";
    command.examples = {{"belfry config", "all settings"},
                        {"BELFRY_SERVER_PORT=8080 belfry config --json", "for a program"},
                        {"belfry config --config ./belfry.toml", "check a file before it is used"}};
    command.exits = {{Exit::usage, "the configuration or the command line is wrong; the message names the line"}};
    command.run = run_config;
    return command;
}

}  // namespace belfry::cli
