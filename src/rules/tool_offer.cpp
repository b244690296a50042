#include "rules/tool_offer.hpp"

#include <string>
#include <string_view>

#include "rules/house_tool.hpp"
#include "rules/tool_call.hpp"

namespace belfry::rules {
namespace {

using model::JsonKind;
using model::JsonView;

// The same object, with what `change` writes for each of its members. Names of schemas have no escapes.
template <class Change>
void copy_object(model::JsonWriter& writer, JsonView object, Change change) {
    writer.begin_object();
    model::JsonWalker walker(object);
    std::string_view name;
    while (const auto member = walker.next(&name)) change(name, *member);
    writer.end_object();
}

model::RawJson without_operation(JsonView schema) {
    std::string text;
    model::JsonWriter writer(text);
    copy_object(writer, schema, [&](std::string_view name, JsonView member) {
        writer.name(name);
        if (name != "properties" || member.kind() != JsonKind::object) {
            writer.raw(member.text);
            return;
        }
        copy_object(writer, member, [&](std::string_view argument, JsonView what) {
            if (argument != operation_id_argument) writer.name(argument).raw(what.text);
        });
    });
    return model::RawJson::trusted(std::move(text));
}

bool is_offered(const model::ToolContract& tool, bool with_acknowledge) {
    const auto house = parse_house_tool(tool.name);
    return house != HouseTool::say && (house != HouseTool::acknowledge || with_acknowledge);
}

}  // namespace

std::vector<model::ChatTool> tools_for_model(std::span<const model::ToolContract> tools, const model::Agent& agent,
                                             model::WakeReason reason, bool with_acknowledge) {
    std::vector<model::ChatTool> offered;
    for (const model::ToolContract& tool : tools) {
        if (!is_offered(tool, with_acknowledge) || !may_use(tool, agent, reason).ok()) continue;
        offered.push_back({tool.name, tool.description, without_operation(tool.input_schema.view())});
    }
    return offered;
}

void offer_outside_tools(std::vector<model::ChatTool>& offered, std::span<const model::ToolInfo> tools) {
    for (const model::ToolInfo& tool : tools) {
        const bool has_schema = tool.schema.view().kind() == JsonKind::object && tool.schema.member("type").has_value();
        model::ChatTool& one = offered.emplace_back(model::ChatTool{tool.name, tool.description});
        if (has_schema) one.parameters = tool.schema;
    }
}

}  // namespace belfry::rules
