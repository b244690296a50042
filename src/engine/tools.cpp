#include "engine/tools.hpp"

#include <utility>

#include "base/limits.hpp"
#include "rules/json_schema.hpp"
#include "rules/may.hpp"
#include "tools/registry.hpp"

namespace belfry::engine {
namespace {

using base::Code;
namespace limits = base::limits;
constexpr std::string_view own_prefix = "belfry.";  // of Belfry's own tools, as its own workflows report their calls

base::Result<void> check_name(const std::string& name) {
    if (tools::find_contract(name) == nullptr) return {};
    return base::error(Code::conflict, "Belfry has a tool of its own of this name", "name", "reserved");
}

base::Result<void> check(const model::ToolInfo& tool) {
    TRY(check_name(tool.name));
    if (tool.name.empty() || tool.name.size() > limits::tool_name_bytes_max) {
        return base::error(Code::invalid,
                           "a tool's name has 1 to " + std::to_string(limits::tool_name_bytes_max) + " bytes", "name");
    }
    if (tool.schema.bytes().size() > limits::tool_schema_bytes_max) {
        return base::error(Code::too_large,
                           "schema may have " + std::to_string(limits::tool_schema_bytes_max) + " bytes", "schema");
    }
    return rules::check_schema(tool.schema.view(), "schema");
}

std::string detail_of(const std::string& name) {
    std::string detail = "\"tool\":\"";
    model::append_escaped(detail, name);
    return detail + '"';
}

}  // namespace

std::vector<std::type_index> Tools::handles() const {
    return {typeid(ports::PutTool), typeid(ports::DeleteTool)};
}

base::Result<void> Tools::rebuild(Unit& unit) {
    dropped();
    impacts_.clear();
    TRY_ASSIGN(const std::vector<model::ToolInfo> tools, unit.store.tools().load());
    for (const model::ToolInfo& tool : tools) impacts_[tool.name] = tool.impact;
    return {};
}

base::Result<void> Tools::apply(ports::Command& command, Unit& unit) {
    if (auto* wish = dynamic_cast<ports::PutTool*>(&command)) return put(*wish, unit);
    return remove(static_cast<ports::DeleteTool&>(command), unit);
}

base::Result<void> Tools::put(ports::PutTool& command, Unit& unit) {
    auto allowed = rules::may_manage_tools(command.principal);
    // A server that Belfry calls may be one that only Belfry reaches.
    const bool calls_out = command.tool.execution.by == model::ToolRunner::webhook;
    if (allowed.ok() && calls_out) allowed = rules::may_administer(command.principal);
    if (allowed.ok()) allowed = check(command.tool);
    if (allowed.ok() && impacts_.size() >= limits::tools_max && !impacts_.contains(command.tool.name)) {
        allowed = base::error(Code::too_large, "there may be " + std::to_string(limits::tools_max) + " tools", "name");
    }
    if (!allowed.ok()) {
        command.refuse(std::move(allowed).error());
        return {};
    }
    model::ToolInfo tool = command.tool;
    tool.updated_at = unit.now;
    TRY(unit.store.tools().put(tool));
    pending_[tool.name] = tool.impact;
    unit.audit("tool.put", command.principal, detail_of(tool.name));
    command.settle(std::move(tool));
    return {};
}

base::Result<void> Tools::remove(ports::DeleteTool& command, Unit& unit) {
    auto allowed = rules::may_manage_tools(command.principal);
    if (allowed.ok()) allowed = check_name(command.name);
    if (allowed.ok() && !is_there(command.name)) {
        allowed = base::error(Code::not_found, "there is no tool \"" + command.name + "\"");
    }
    if (!allowed.ok()) {
        command.refuse(std::move(allowed).error());
        return {};
    }
    TRY(unit.store.tools().remove(command.name));
    pending_[command.name] = std::nullopt;
    unit.audit("tool.remove", command.principal, detail_of(command.name));
    command.settle(ports::Nothing{});
    return {};
}

bool Tools::is_there(const std::string& name) const {
    const auto pending = pending_.find(name);
    return pending != pending_.end() ? pending->second.has_value() : impacts_.contains(name);
}

base::Result<std::optional<model::ToolInfo>> Tools::find(const std::string& name, Unit& unit) const {
    if (!is_there(name)) return std::optional<model::ToolInfo>{};
    return unit.store.tools().find(name);
}

model::Impact Tools::impact_of(const std::string& name) const {
    if (const model::ToolContract* const own = tools::find_contract(name)) return own->impact;
    if (const auto at = pending_.find(name); at != pending_.end()) return at->second.value_or(model::Impact::external);
    const auto at = impacts_.find(name);
    if (at == impacts_.end() && name.starts_with(own_prefix)) return model::Impact::internal;
    return at == impacts_.end() ? model::Impact::external : at->second;
}

void Tools::committed(Effects&) {
    for (const auto& [name, impact] : pending_) {
        if (impact) impacts_[name] = *impact;
        else impacts_.erase(name);
    }
    pending_.clear();
}

void Tools::dropped() {
    pending_.clear();
}

}  // namespace belfry::engine
