#include "model/event.hpp"

#include "base/assert.hpp"

namespace belfry::model {

void append_event_json(std::string& out, const Event& event) {
    ASSERT(event.severity && event.timestamp);
    out += "{\"id\":\"";
    base::append_uuid(out, event.id.uuid);
    out += "\",\"type\":\"";
    out += event.type;  // letters, digits, dots, dashes: nothing to escape
    out += "\",\"source\":\"";
    append_escaped(out, event.source);
    out += "\",\"severity\":\"";
    out += severity_name(*event.severity);
    out += "\",\"timestamp\":\"";
    base::append_timestamp(out, *event.timestamp);
    out += '"';
    const auto optional_text = [&out](std::string_view name, std::string_view value) {
        if (value.empty()) return;
        out += ",\"";
        out += name;
        out += "\":\"";
        append_escaped(out, value);
        out += '"';
    };
    optional_text("dedupe_key", event.dedupe_key);
    optional_text("user_id", event.user_id);
    optional_text("session_id", event.session_id);
    if (event.run_id != 0) {
        out += ",\"run_id\":";
        out += std::to_string(event.run_id);
    }
    optional_text("agent_id", event.agent_id);
    optional_text("source_id", event.source_id);
    if (!event.tokens.empty()) {
        out += ",\"tokens\":";
        JsonWriter writer(out);
        writer.begin_array();
        for (const std::string& token : event.tokens) writer.text(token);
        writer.end_array();
    }
    if (!event.extensions.empty()) {
        out += ',';
        out += event.extensions;
    }
    out += ",\"payload\":";
    out += event.payload.bytes();
    out += '}';
}

}  // namespace belfry::model
