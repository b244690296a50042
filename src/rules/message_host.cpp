#include "rules/message_host.hpp"

#include <algorithm>
#include <string>

namespace belfry::rules {
namespace {

using model::AgentMessage;
using model::AgentMessageKind;

bool is_success(const AgentMessage& result) {
    return result.metadata.status && *result.metadata.status != model::ToolStatus::error;
}

std::string host_in(model::JsonView body, std::string_view member) {
    const auto extension = body.member("extension");
    if (!extension || extension->kind() != model::JsonKind::object) return {};
    const auto host = extension->member(member);
    return host && host->kind() == model::JsonKind::string ? host->as_text() : std::string();
}

}  // namespace

void set_host(AgentMessage& message, std::string_view host, CallOutcome outcome) {
    const bool is_of_operation =
        message.kind == AgentMessageKind::action || message.kind == AgentMessageKind::tool_result;
    if (!is_of_operation || host.empty()) return;
    std::string json;
    model::JsonWriter writer(json);
    writer.begin_object();
    model::JsonWalker members(message.metadata.extension.view());
    std::string_view raw_name;
    while (const auto value = members.next(&raw_name)) {
        const std::string name = model::JsonView{{raw_name.data() - 1, raw_name.size() + 2}}.as_text();
        if (name != host_member && name != tried_member) writer.name(name).raw(value->text);
    }
    writer.field(outcome == CallOutcome::succeeded ? host_member : tried_member, host).end_object();
    message.metadata.extension = model::RawJson::trusted(std::move(json));
}

CallOutcome outcome_in(std::span<const AgentMessage> batch, const AgentMessage& message) {
    const auto is_result = [&message](const AgentMessage& one) {
        if (one.kind != AgentMessageKind::tool_result) return false;
        if (message.kind == AgentMessageKind::tool_result) return one.id == message.id;
        return one.metadata.action_ref_id ? *one.metadata.action_ref_id == message.id
                                          : one.metadata.operation_id == message.metadata.operation_id;
    };
    const auto result = std::ranges::find_if(batch, is_result);
    return result != batch.end() && is_success(*result) ? CallOutcome::succeeded : CallOutcome::failed_or_open;
}

std::strong_ordering order_by_host(model::JsonView a, model::JsonView b) {
    if (const auto order = host_in(a, host_member) <=> host_in(b, host_member); order != 0) return order;
    return host_in(a, tried_member) <=> host_in(b, tried_member);
}

}  // namespace belfry::rules
