#include "rules/message_host.hpp"

namespace belfry::rules {

using model::AgentMessageKind;

void set_host(model::AgentMessage& message, std::string_view host) {
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
        if (name != host_member) writer.name(name).raw(value->text);
    }
    writer.field(host_member, host).end_object();
    message.metadata.extension = model::RawJson::trusted(std::move(json));
}

std::string host_in(model::JsonView body) {
    const auto extension = body.member("extension");
    if (!extension || extension->kind() != model::JsonKind::object) return {};
    const auto host = extension->member(host_member);
    return host && host->kind() == model::JsonKind::string ? host->as_text() : std::string();
}

}  // namespace belfry::rules
