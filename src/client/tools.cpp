#include "client/tools.hpp"

#include "client/answers.hpp"
#include "client/delivery_answers.hpp"
#include "client/fields.hpp"
#include "client/requests.hpp"

namespace belfry::client {
namespace {

using model::JsonWriter;

void write_text(JsonWriter& writer, std::string_view name, std::string_view text) {
    if (!text.empty()) writer.field(name, text);
}

void write_texts(JsonWriter& writer, std::string_view name, const std::vector<std::string>& texts) {
    writer.name(name).begin_array();
    for (const std::string& text : texts) writer.text(text);
    writer.end_array();
}

std::string request_json(const ToolRequest& request) {
    std::string body;
    JsonWriter writer(body);
    writer.begin_object().field("impact", model::impact_name(request.impact));
    write_text(writer, "description", request.description);
    if (request.schema) writer.name("schema").raw(request.schema->bytes());
    write_text(writer, "risk", request.risk);
    if (request.capabilities) write_texts(writer, "capabilities", *request.capabilities);
    if (!request.wake_reasons.empty()) write_texts(writer, "wake_reasons", request.wake_reasons);
    if (!request.by.empty()) {
        writer.name("execution").begin_object().field("by", request.by);
        write_text(writer, "url", request.url);
        write_text(writer, "secret_env", request.secret_env);
        writer.end_object();
    }
    if (request.timeout) writer.field("timeout_s", request.timeout->us / 1'000'000);
    writer.end_object();
    return body;
}

std::string call_target(std::string_view id, std::string_view what) {
    return "/v1/tool-calls/" + percent_encode(id) + std::string(what);
}

base::Result<OutsideCallNow> read_call(std::string_view body) {
    TRY_ASSIGN(model::RawJson json, read_object(body, "operation_id"));
    const Fields fields(json.view());
    OutsideCallNow call;
    call.id = fields.text("id");
    call.tool_name = fields.text("tool_name");
    call.operation_id = fields.text("operation_id");
    call.agent_id = fields.text("agent_id");
    call.state = fields.text("state");
    call.fence = fields.number("fence");
    call.attempts = fields.number("attempts");
    if (const auto arguments = json.member("arguments")) {
        call.arguments = model::RawJson::trusted(std::string(arguments->text));
    }
    call.json = std::move(json);
    return call;
}

}  // namespace

base::Result<ToolState> Tools::put(const ToolRequest& request) {
    TRY_ASSIGN(const wire::HttpAnswer answer,
               client_.ask_until_known(
                   client_.request("PUT", "/v1/tools/" + percent_encode(request.name), request_json(request))));
    return read_tool(answer.body);
}

base::Result<std::optional<OutsideCallNow>> Tools::claim(const ToolCallClaim& claim) {
    std::string body;
    JsonWriter writer(body);
    writer.begin_object();
    write_texts(writer, "tools", claim.tools);
    write_text(writer, "holder", claim.holder);
    writer.field("lease_s", claim.lease.us / 1'000'000).field("wait_s", claim.wait.us / 1'000'000).end_object();
    TRY_ASSIGN(const wire::HttpAnswer answer,
               client_.ask(client_.request("POST", "/v1/tool-calls/claim", std::move(body))));
    if (answer.status == 204) return std::optional<OutsideCallNow>{};
    TRY_ASSIGN(OutsideCallNow call, read_call(answer.body));
    return std::optional(std::move(call));
}

base::Result<OutsideCallNow> Tools::renew(const OutsideCallNow& call, base::Duration lease) {
    std::string body;
    JsonWriter(body).begin_object().field("fence", call.fence).field("lease_s", lease.us / 1'000'000).end_object();
    TRY_ASSIGN(const wire::HttpAnswer answer,
               client_.ask(client_.request("POST", call_target(call.id, "/renew"), std::move(body))));
    return read_call(answer.body);
}

base::Result<OutsideCallNow> Tools::end(const OutsideCallNow& call, const ToolCallOutcome& outcome) {
    std::string body;
    JsonWriter writer(body);
    writer.begin_object().field("fence", call.fence);
    if (outcome.result) writer.name("result").raw(outcome.result->bytes());
    if (!outcome.error_code.empty()) {
        writer.name("error").begin_object().field("code", outcome.error_code);
        writer.field("message", outcome.error_message).end_object();
    }
    if (outcome.release) writer.name("release").boolean(true);
    writer.end_object();
    TRY_ASSIGN(const wire::HttpAnswer answer,
               client_.ask(client_.request("POST", call_target(call.id, "/end"), std::move(body))));
    return read_call(answer.body);
}

}  // namespace belfry::client
