#include "rules/message_fork.hpp"

#include <algorithm>
#include <tuple>

#include "rules/message_host.hpp"

namespace belfry::rules {
namespace {

constexpr std::string_view fork_member = "belfry.also_after";
constexpr std::size_t ends_max = 16;  // that one message names; the next ones name the others

// The members of an extension without those that are named, as a body without its braces.
std::string other_members(model::JsonView extension, std::initializer_list<std::string_view> without) {
    std::string members;
    model::JsonWalker walker(extension);
    std::string_view name;
    while (const auto value = walker.next(&name)) {
        if (std::ranges::find(without, name) != without.end()) continue;
        if (!members.empty()) members += ',';
        members.append("\"").append(name).append("\":").append(value->text);
    }
    return members;
}

}  // namespace

std::vector<base::Uuid> also_after(const model::AgentMessage& message) {
    std::vector<base::Uuid> ids;
    const auto list = message.metadata.extension.member(fork_member);
    if (!list || list->kind() != model::JsonKind::array) return ids;
    model::JsonWalker walker(*list);
    while (const auto one = walker.next()) {
        const auto id = base::parse_uuid(one->as_text());
        if (id && ids.size() < ends_max) ids.push_back(*id);
    }
    return ids;
}

model::RawJson given_extension(const model::AgentMessage& message) {
    const model::RawJson& extension = message.metadata.extension;
    const auto own = {fork_member, host_member, tried_member};
    const bool has_own =
        std::ranges::any_of(own, [&](std::string_view name) { return extension.member(name).has_value(); });
    if (!has_own) return extension;
    return model::RawJson::trusted('{' + other_members(extension.view(), own) + '}');
}

void put_after(model::AgentMessage& message, std::vector<model::AgentMessage> ends) {
    if (ends.empty()) return;
    std::ranges::sort(ends, std::greater{},
                      [](const model::AgentMessage& one) { return std::tuple(one.created_at, one.id); });
    message.prev_message_id = ends.front().id;
    if (ends.size() == 1) return;
    std::string json = "{" + other_members(message.metadata.extension.view(), {fork_member});
    if (json.size() > 1) json += ',';
    json.append("\"").append(fork_member).append("\":");
    model::JsonWriter writer(json);
    writer.begin_array();
    for (std::size_t i = 1; i < std::min(ends.size(), ends_max + 1); ++i) writer.text(base::format_uuid(ends[i].id));
    writer.end_array();
    json += '}';
    message.metadata.extension = model::RawJson::trusted(std::move(json));
}

}  // namespace belfry::rules
