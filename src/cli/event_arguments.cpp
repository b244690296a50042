#include "cli/event_arguments.hpp"

#include <limits>

#include "base/iso_time.hpp"
#include "base/limits.hpp"
#include "codec/json.hpp"
#include "codec/utf8.hpp"

namespace belfry::cli {
std::vector<OptionSpec> event_options() {
    return {{"source", "NAME", "the component that says so", 's'},
            {"severity", "LEVEL", "debug, info, warning, error or critical"},
            {"payload", "JSON", "the payload, an object; instead of key=value"},
            {"user", "ID", "the person whom it concerns"},
            {"session", "ID", "the conversation that it belongs to"},
            {"run", "N", "the run that it belongs to"},
            {"agent", "ID", "the agent that it belongs to"},
            {"dedupe-key", "KEY", "events with the same key are repeats of one matter"},
            {"time", "RFC3339", "when it happened; now, unless given"},
            {"id", "ID", "your own id of the event: sent again, it is known and not taken twice"}};
}

base::Result<std::optional<model::Severity>> read_severity(const Arguments& arguments, std::string_view option) {
    const auto name = arguments.value(option);
    if (!name) return std::optional<model::Severity>{};
    const auto severity = model::parse_severity(*name);
    if (!severity) {
        return wrong("--" + std::string(option) + " must be debug, info, warning, error or critical, not \"" + *name +
                     "\"");
    }
    return severity;
}

base::Result<model::RawJson> read_payload(std::span<const std::string> pairs) {
    std::string json;
    model::JsonWriter writer(json);
    writer.begin_object();
    for (const std::string& pair : pairs) {
        const std::size_t equals = pair.find('=');
        if (equals == std::string::npos || equals == 0) {
            return wrong("\"" + pair + "\" must be key=value (a text) or key:=JSON");
        }
        if (!codec::is_utf8(pair)) return wrong("\"" + pair + "\" is no UTF-8");
        if (pair[equals - 1] != ':') {
            writer.field(pair.substr(0, equals), pair.substr(equals + 1));
            continue;
        }
        auto value = codec::validate(std::string_view(pair).substr(equals + 1));
        if (!value.ok()) return wrong("\"" + pair + "\": the value is no JSON: " + value.error().message);
        writer.name(pair.substr(0, equals - 1)).raw(value->bytes());
    }
    writer.end_object();
    return model::RawJson::trusted(std::move(json));
}

base::Result<model::Event> read_event(const Arguments& arguments) {
    model::Event event;
    event.type = arguments.positional(0);
    event.source = arguments.value_or("source", "cli");
    TRY_ASSIGN(event.severity, read_severity(arguments, "severity"));
    event.user_id = arguments.value_or("user", "");
    event.session_id = arguments.value_or("session", "");
    event.agent_id = arguments.value_or("agent", "");
    event.dedupe_key = arguments.value_or("dedupe-key", "");
    event.source_id = arguments.value_or("id", "");
    TRY_ASSIGN(const auto run, arguments.integer("run", 1, std::numeric_limits<std::int64_t>::max()));
    event.run_id = run.value_or(0);
    if (const auto time = arguments.value("time")) {
        event.timestamp = base::parse_timestamp_from(base::year_one, *time);
        if (!event.timestamp)
            return wrong("--time must be an ISO 8601 time with an offset, like 2026-11-15T05:00:00Z, not \"" + *time +
                         "\"");
    }
    const std::span<const std::string> pairs = std::span(arguments.positionals()).subspan(1);
    const auto payload = arguments.value("payload");
    if (payload && !pairs.empty()) return wrong("--payload and key=value exclude each other");
    if (!payload) {
        TRY_ASSIGN(event.payload, read_payload(pairs));
        return event;
    }
    auto json = codec::validate(*payload);
    if (!json.ok()) return wrong("--payload is no JSON: " + json.error().message);
    if (json->view().kind() != model::JsonKind::object) return wrong("--payload must be a JSON object");
    event.payload = std::move(json).value();
    return event;
}

std::vector<OptionSpec> filter_options() {
    return {{"type", "PATTERN", "only of this type, or below it: tool.call.failure, tool.*", 't', true},
            {"severity", "LEVEL", "only of this severity and above"},
            {"user", "ID", "only what concerns this person"},
            {"session", "ID", "only of this conversation"}};
}

base::Result<model::StreamFilter> read_filter(const Arguments& arguments) {
    model::StreamFilter filter;
    filter.type_patterns = arguments.values("type");
    TRY_ASSIGN(filter.severity_min, read_severity(arguments, "severity"));
    filter.user_id = arguments.value_or("user", "");
    filter.session_id = arguments.value_or("session", "");
    return filter;
}

}  // namespace belfry::cli
