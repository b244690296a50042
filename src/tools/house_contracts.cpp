#include "tools/house_contracts.hpp"

#include <initializer_list>
#include <string>
#include <utility>

#include "rules/house_tool.hpp"
#include "tools/read_schema.hpp"

namespace belfry::tools {
namespace {

using rules::HouseTool;

model::ToolContract contract_of(HouseTool tool, std::string description,
                                std::initializer_list<std::string> changed_kinds) {
    model::ToolContract contract;
    contract.name = rules::house_tool_name(tool);
    contract.description = std::move(description);
    contract.scope_rules = {model::ToolScopeRule::none};
    contract.changed_kinds = changed_kinds;
    contract.input_schema = input_schema_of(contract.name);
    contract.output_schema = output_schema_of(contract.name);
    return contract;
}

}  // namespace

std::vector<model::ToolContract> house_contracts() {
    return {
        contract_of(HouseTool::acknowledge, "Says which notifications you have dealt with.", {"notification"}),
        contract_of(HouseTool::emit_event, "Tells other programs and agents that something has happened.", {"event"}),
        contract_of(HouseTool::notify_user,
                    "Puts a notification into the inbox of the user that you work for. Call it to tell the user of a "
                    "notification that must be told.",
                    {"notification"}),
        contract_of(HouseTool::say, "Says something to the person, in the run and in its session.", {"message"}),
        contract_of(HouseTool::set_state,
                    "Keeps something in mind for your next turns. What is not named stays as it is.", {"agent"}),
        contract_of(HouseTool::sleep, "From the end of this turn on, nothing wakes you until then.", {"agent"}),
    };
}

}  // namespace belfry::tools
