#include <algorithm>

#include "base/limits.hpp"
#include "client/client.hpp"
#include "client/fields.hpp"
#include "client/requests.hpp"

namespace belfry::client {
namespace {

AgentMessageNow message_of(model::JsonView view) {
    const Fields fields(view);
    AgentMessageNow message;
    message.id = fields.text("id");
    message.thread_id = fields.text("thread_id");
    message.kind = fields.text("kind");
    message.created_at = fields.text("created_at");
    if (const auto action = fields.member("action")) {
        message.tool_name = Fields(*action).text("tool_name");
        message.action_type = Fields(*action).text("action_type");
    }
    if (const auto result = fields.member("tool_result")) {
        message.status = Fields(*result).text("status");
        message.error_code = Fields(*result).text("error_code");
    }
    if (const auto content = fields.member("content")) {
        message.content = model::RawJson::trusted(std::string(content->text));
    }
    message.lies_apart = !fields.text("content_entry_id").empty();
    message.json = model::RawJson::trusted(std::string(view.text));
    return message;
}

ToolCallNow tool_call_of(model::RawJson json) {
    const Fields fields(json.view());
    ToolCallNow call;
    if (const auto result = fields.member("result"); result && result->kind() == model::JsonKind::object) {
        const Fields told(*result);
        const model::RawJson how = told.object("tool_result");
        call.status = Fields(how.view()).text("status");
        call.error_code = Fields(how.view()).text("error_code");
        call.error_message = Fields(how.view()).text("error_message");
        if (const auto says = told.member("content")) call.says = model::RawJson::trusted(std::string(says->text));
    }
    const model::RawJson waits = fields.object("waits_for");
    call.waits_for = Fields(waits.view()).text("whom");
    call.waits_for_id = Fields(waits.view()).text("id");
    call.is_new = fields.flag("is_new").value_or(true);
    call.json = std::move(json);
    return call;
}

std::string wake_target(model::WakeId id, std::string_view what) {
    return "/v1/wakes/" + std::to_string(id) + std::string(what);
}

}  // namespace

base::Result<AgentMessageList> Client::agent_messages(std::string_view agent_id, const AgentMessageQuestion& question) {
    AgentMessageList list;
    std::string after;
    do {
        Query query;
        query.add("thread", question.thread_id).add("changed", question.changed_entity_id).add("after", after);
        const std::size_t left = question.limit - std::min(question.limit, list.messages.size());
        query.add("limit", std::to_string(std::min(left, base::limits::page_entries_max)));
        const std::string target = "/v1/agents/" + percent_encode(agent_id) + "/messages" + query.text();
        TRY_ASSIGN(const wire::HttpAnswer answer, ask_until_known(request("GET", target)));
        TRY_ASSIGN(const model::RawJson json, read_object(answer.body, "data"));
        const Fields fields(json.view());
        fields.each("data", [&](model::JsonView element) { list.messages.push_back(message_of(element)); });
        after = fields.text("next");
    } while (!after.empty() && list.messages.size() < question.limit);
    list.more = !after.empty();
    return list;
}

base::Result<std::vector<AgentMessageNow>> Client::append_agent_messages(model::WakeId id, std::int64_t fence,
                                                                         const model::RawJson& messages) {
    std::string body;
    model::JsonWriter(body).begin_object().field("fence", fence).name("messages").raw(messages.bytes()).end_object();
    TRY_ASSIGN(const wire::HttpAnswer answer, ask(request("POST", wake_target(id, "/messages"), std::move(body))));
    TRY_ASSIGN(const model::RawJson json, read_object(answer.body, "data"));
    std::vector<AgentMessageNow> there;
    Fields(json.view()).each("data", [&](model::JsonView element) { there.push_back(message_of(element)); });
    return there;
}

base::Result<model::RawJson> Client::store_plan(model::WakeId id, std::int64_t fence, const model::RawJson& actions,
                                                std::int64_t round) {
    std::string body;
    model::JsonWriter writer(body);
    writer.begin_object().field("fence", fence).field("round", round).name("actions").raw(actions.bytes()).end_object();
    TRY_ASSIGN(const wire::HttpAnswer answer,
               ask_until_known(request("POST", wake_target(id, "/plan"), std::move(body))));
    return read_object(answer.body, "actions");
}

base::Result<ToolCallNow> Client::call_tool(model::WakeId id, std::int64_t fence, const ToolCallRequest& call) {
    std::string body;
    model::JsonWriter writer(body);
    writer.begin_object().field("fence", fence);
    if (!call.operation_id.empty()) writer.field("operation_id", call.operation_id);
    if (!call.tool_name.empty())
        writer.field("tool_name", call.tool_name).name("arguments").raw(call.arguments.bytes());
    writer.end_object();
    const wire::HttpRequest asked = request("POST", wake_target(id, "/call"), std::move(body));
    TRY_ASSIGN(const wire::HttpAnswer answer, call.operation_id.empty() ? ask(asked) : ask_until_known(asked));
    TRY_ASSIGN(model::RawJson json, read_object(answer.body, "action"));
    return tool_call_of(std::move(json));
}

}  // namespace belfry::client
