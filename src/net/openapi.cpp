#include "net/openapi.hpp"

#include <algorithm>
#include <set>

#include "model/raw_json.hpp"
#include "net/routes.hpp"
#include "wire/http_response.hpp"

namespace belfry::net {
namespace {

using model::JsonWriter;

std::string reference(std::string_view schema) {
    return R"({"$ref":"#/components/schemas/)" + std::string(schema) + "\"}";
}

void append_content(JsonWriter& writer, std::string_view content_type, std::string_view schema) {
    writer.name(content_type).begin_object();
    writer.name("schema").raw(schema.empty() ? R"({"type":"string"})" : reference(schema));
    writer.end_object();
}

void append_parameters(JsonWriter& writer, const Route& route) {
    const bool takes_key = route.method == wire::Method::post && route.keyless.empty();
    if (route.parameters.empty() && !takes_key) return;
    writer.name("parameters").begin_array();
    for (const RouteParameter& parameter : route.parameters) {
        writer.begin_object().field("name", parameter.name).field("in", parameter.place);
        if (parameter.place == "path") writer.name("required").boolean(true);
        writer.field("description", parameter.description).name("schema").raw(parameter.schema).end_object();
    }
    if (takes_key) {
        writer.begin_object().field("name", "Idempotency-Key").field("in", "header");
        writer.field("description",
                     "Makes a repeat of this request harmless for 24 hours: the repeat gets the stored answer with "
                     "`Idempotent-Replayed: true`. Another request with the key gets 409.");
        writer.name("schema").raw(R"({"type":"string","maxLength":255})").end_object();
    }
    writer.end_array();
}

// Events come in more than one media type, and what rings is plain text.
void append_request(JsonWriter& writer, const Route& route) {
    if (route.request_schema.empty()) return;
    writer.name("requestBody").begin_object().name("required").boolean(true).name("content").begin_object();
    const auto media = [&writer](std::string_view type, std::string_view schema) {
        writer.name(type).begin_object().name("schema").raw(schema).end_object();
    };
    const std::string_view type = route.id == "notify"          ? "text/plain"
                                  : route.id == "importJournal" ? "application/x-ndjson"
                                  : route.id == "importAgent"   ? "application/x-ndjson"
                                                                : "application/json";
    media(type, reference(route.request_schema));
    if (route.id == "emitEvents") {
        media("application/x-ndjson", R"({"type":"string","description":"One event a line."})");
        media("application/cloudevents+json", reference("CloudEvent"));
        media("application/cloudevents-batch+json",
              R"({"type":"array","items":{"$ref":"#/components/schemas/CloudEvent"}})");
    }
    if (route.id == "emitRunEvents") {
        media("application/x-ndjson",
              R"({"type":"string","description":"One event a line; in chunks, as they come."})");
    }
    writer.end_object().end_object();
}

void append_answers(JsonWriter& writer, const Route& route) {
    writer.name("responses").begin_object();
    for (std::size_t i = 0; i < route.answers.size();) {
        const RouteAnswer& first = route.answers[i];
        std::string description(first.description);
        if (first.status == 422 && !route.keyless.empty()) {
            description.append(" An `Idempotency-Key` is not accepted here: ").append(route.keyless).append(".");
        }
        writer.name(std::to_string(first.status)).begin_object().field("description", description);
        if (!first.content_type.empty()) writer.name("content").begin_object();
        for (; i < route.answers.size() && route.answers[i].status == first.status; ++i) {
            if (first.content_type.empty()) continue;
            append_content(writer, route.answers[i].content_type, route.answers[i].schema);
        }
        if (!first.content_type.empty()) writer.end_object();
        writer.end_object();
    }
    const auto is_422 = [](const RouteAnswer& answer) { return answer.status == 422; };
    if (!route.keyless.empty() && std::ranges::none_of(route.answers, is_422)) {
        writer.name("422").begin_object();
        writer.field("description",
                     "Invalid. An `Idempotency-Key` is not accepted here: " + std::string(route.keyless) + '.');
        writer.name("content").begin_object();
        append_content(writer, "application/problem+json", "Problem");
        writer.end_object().end_object();
    }
    writer.name("default").begin_object().field("description", "Refused, and why.");
    writer.name("content").begin_object();
    append_content(writer, "application/problem+json", "Problem");
    writer.end_object().end_object().end_object();
}

void append_operation(JsonWriter& writer, const Route& route) {
    std::string method(wire::method_name(route.method));
    for (char& c : method) c = static_cast<char>(c + ('a' - 'A'));
    writer.name(method).begin_object().field("operationId", route.id).field("summary", route.summary);
    if (route.least) {
        writer.field("x-least-role", model::role_name(*route.least)).name("security").begin_array();
        writer.begin_object().name("bearer").begin_array().end_array().end_object();
        if (route.takes_ticket) writer.begin_object().name("ticket").begin_array().end_array().end_object();
        writer.end_array();
    } else {
        writer.name("security").begin_array().end_array();
    }
    append_parameters(writer, route);
    append_request(writer, route);
    append_answers(writer, route);
    writer.end_object();
}

std::string make_document() {
    std::string out;
    JsonWriter writer(out);
    writer.begin_object().field("openapi", "3.1.0").name("info").begin_object();
    writer.field("title", "Belfry").field("version", BELFRY_VERSION);
    writer.field("description", "Events in, durably; streams of them out, and what is worth an agent's attention.")
        .end_object();
    writer.name("paths").begin_object();
    std::set<std::string_view> done;
    for (const Route& first : routes()) {
        if (!done.insert(first.path).second) continue;
        writer.name(first.path).begin_object();
        for (const Route& route : routes()) {
            if (route.path == first.path) append_operation(writer, route);
        }
        writer.end_object();
    }
    writer.end_object()
        .name("components")
        .begin_object()
        .name("securitySchemes")
        .raw(R"({"bearer":{"type":"http","scheme":"bearer"},"ticket":{"type":"apiKey","in":"query","name":"ticket"}})");
    writer.name("schemas").raw(openapi_schemas()).end_object().end_object();
    return out;
}

std::string make_schemas() {
    std::string out = "{";
    out += openapi_event_schemas();
    out += ",\n";
    out += openapi_session_schemas();
    out += ",\n";
    out += openapi_notification_schemas();
    out += ",\n";
    out += openapi_delivery_schemas();
    out += ",\n";
    out += openapi_interaction_schemas();
    out += ",\n";
    out += openapi_change_set_schemas();
    out += ",\n";
    out += openapi_context_schemas();
    out += ",\n";
    out += openapi_run_schemas();
    out += ",\n";
    out += openapi_agent_schemas();
    out += ",\n";
    out += openapi_timer_schemas();
    out += ",\n";
    out += openapi_message_schemas();
    out += ",\n";
    out += openapi_memory_schemas();
    out += ",\n";
    out += openapi_sync_schemas();
    out += ",\n";
    out += openapi_journal_schemas();
    out += ",\n";
    out += openapi_web_schemas();
    return out + "\n}";
}

}  // namespace

const std::string& openapi_schemas() {
    static const std::string schemas = make_schemas();
    return schemas;
}

const std::string& openapi_document() {
    static const std::string document = make_document();
    return document;
}

}  // namespace belfry::net
