#include "client/requests.hpp"

namespace belfry::client {
namespace {

void write_texts(model::JsonWriter& writer, std::string_view name, const std::vector<std::string>& texts) {
    if (texts.empty()) return;
    writer.name(name).begin_array();
    for (const std::string& text : texts) writer.text(text);
    writer.end_array();
}

}  // namespace

std::string percent_encode(std::string_view text) {
    constexpr std::string_view hex = "0123456789ABCDEF";
    std::string out;
    for (const char c : text) {
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
                           c == '.' || c == '_' || c == '~';
        if (plain) {
            out += c;
            continue;
        }
        const auto byte = static_cast<unsigned char>(c);
        out += '%';
        out += hex[byte >> 4U];
        out += hex[byte & 0xFU];
    }
    return out;
}

Query& Query::add(std::string_view name, std::string_view value) {
    if (value.empty()) return *this;
    text_ += text_.empty() ? '?' : '&';
    text_ += name;
    text_ += '=';
    text_ += percent_encode(value);
    return *this;
}

Query& Query::add(const model::StreamFilter& filter) {
    for (const std::string& pattern : filter.type_patterns) add("type", pattern);
    if (filter.severity_min) add("severity", model::severity_name(*filter.severity_min));
    return add("user", filter.user_id).add("session", filter.session_id);
}

void append_draft_json(std::string& out, const model::Event& event) {
    model::JsonWriter writer(out);
    const auto text = [&writer](std::string_view name, std::string_view value) {
        if (!value.empty()) writer.field(name, value);
    };
    writer.begin_object();
    text("id", event.source_id);
    writer.field("type", event.type);
    text("source", event.source);
    if (event.severity) text("severity", model::severity_name(*event.severity));
    if (event.timestamp) text("timestamp", base::format_timestamp(*event.timestamp));
    text("dedupe_key", event.dedupe_key);
    text("user_id", event.user_id);
    text("session_id", event.session_id);
    if (event.run_id != 0) writer.field("run_id", static_cast<long long>(event.run_id));
    text("agent_id", event.agent_id);
    write_texts(writer, "tokens", event.tokens);
    writer.name("payload").raw(event.payload.bytes());
    writer.end_object();
    if (!event.extensions.empty()) out.insert(out.size() - 1, "," + event.extensions);
}

std::string token_request_json(const TokenRequest& request) {
    std::string out;
    model::JsonWriter writer(out);
    writer.begin_object();
    if (!request.name.empty()) writer.field("name", request.name);
    writer.field("role", model::role_name(request.role));
    if (!request.user_id.empty()) writer.field("user_id", request.user_id);
    if (request.ttl_s) writer.field("ttl_s", static_cast<long long>(*request.ttl_s));
    if (request.events_per_second != 0) {
        writer.field("events_per_second", static_cast<long long>(request.events_per_second));
    }
    if (request.bounds != model::Bounds{}) {
        writer.name("bounds").begin_object();
        write_texts(writer, "users", request.bounds.users);
        write_texts(writer, "sessions", request.bounds.sessions);
        write_texts(writer, "agents", request.bounds.agents);
        write_texts(writer, "type_prefixes", request.bounds.type_prefixes);
        if (request.bounds.severity_max)
            writer.field("severity_max", model::severity_name(*request.bounds.severity_max));
        writer.end_object();
    }
    writer.end_object();
    return out;
}

}  // namespace belfry::client
