#include "engine/tools.hpp"

#include <utility>

#include "base/limits.hpp"
#include "base/message_limits.hpp"
#include "base/tool_limits.hpp"
#include "rules/json_schema.hpp"
#include "rules/may.hpp"
#include "rules/tool_call.hpp"
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
    if (tool.execution.by != model::ToolRunner::nobody && tool.name.size() > limits::callable_tool_name_bytes_max) {
        return base::error(Code::invalid,
                           "a tool that agents call here has a name of at most " +
                               std::to_string(limits::callable_tool_name_bytes_max) + " bytes",
                           "name");
    }
    if (tool.schema.bytes().size() > limits::tool_schema_bytes_max) {
        return base::error(Code::too_large,
                           "schema may have " + std::to_string(limits::tool_schema_bytes_max) + " bytes", "schema");
    }
    return rules::check_schema(tool.schema.view(), "schema");
}

model::ToolInfo without_texts(model::ToolInfo tool) {
    tool.description.clear();
    tool.schema = {};
    return tool;
}

// As language models take names of functions.
bool is_name_for_models(std::string_view name) {
    constexpr std::string_view known = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    return name.size() <= 64 && name.find_first_not_of(known) == std::string_view::npos;
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
    known_.clear();
    TRY_ASSIGN(const std::vector<model::ToolInfo> tools, unit.store.tools().load());
    for (const model::ToolInfo& tool : tools) known_[tool.name] = without_texts(tool);
    return {};
}

base::Result<void> Tools::apply(ports::Command& command, Unit& unit) {
    if (auto* wish = dynamic_cast<ports::PutTool*>(&command)) return put(*wish, unit);
    return remove(static_cast<ports::DeleteTool&>(command), unit);
}

base::Result<void> Tools::put(ports::PutTool& command, Unit& unit) {
    auto allowed = may_change(command.principal, command.tool.name, command.tool.execution.by);
    if (allowed.ok()) allowed = check(command.tool);
    if (allowed.ok() && look_up(command.tool.name) == nullptr && count() >= limits::tools_max) {
        allowed = base::error(Code::too_large, "there may be " + std::to_string(limits::tools_max) + " tools", "name");
    }
    if (!allowed.ok()) {
        command.refuse(std::move(allowed).error());
        return {};
    }
    model::ToolInfo tool = command.tool;
    tool.updated_at = unit.now;
    TRY(unit.store.tools().put(tool));
    pending_[tool.name] = without_texts(tool);
    unit.audit("tool.put", command.principal, detail_of(tool.name));
    command.settle(std::move(tool));
    return {};
}

base::Result<void> Tools::remove(ports::DeleteTool& command, Unit& unit) {
    auto allowed = may_change(command.principal, command.name, model::ToolRunner::nobody);
    if (allowed.ok()) allowed = check_name(command.name);
    if (allowed.ok() && look_up(command.name) == nullptr) {
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

// A server that Belfry calls may be one that only Belfry reaches: whoever names one is an admin, and so is whoever puts
// something else in its place.
base::Result<void> Tools::may_change(const model::Principal& who, const std::string& name,
                                     model::ToolRunner runner) const {
    TRY(rules::may_manage_tools(who));
    const model::ToolInfo* const before = look_up(name);
    const bool was_webhook = before != nullptr && before->execution.by == model::ToolRunner::webhook;
    if (runner != model::ToolRunner::webhook && !was_webhook) return {};
    return rules::may_administer(who);
}

const model::ToolInfo* Tools::look_up(const std::string& name) const {
    if (const auto at = pending_.find(name); at != pending_.end()) return at->second ? &*at->second : nullptr;
    const auto at = known_.find(name);
    return at == known_.end() ? nullptr : &at->second;
}

std::size_t Tools::count() const {
    std::size_t count = known_.size();
    for (const auto& [name, tool] : pending_) {
        const bool was_there = known_.contains(name);
        if (tool && !was_there) ++count;
        if (!tool && was_there) --count;
    }
    return count;
}

base::Result<std::optional<model::ToolInfo>> Tools::find(const std::string& name, Unit& unit) const {
    if (look_up(name) == nullptr) return std::optional<model::ToolInfo>{};
    return unit.store.tools().find(name);
}

base::Result<std::vector<model::ToolInfo>> Tools::offered_to(const model::Agent& agent, model::WakeReason reason,
                                                             Unit& unit) const {
    std::vector<model::ToolInfo> offered;
    for (const auto& [name, tool] : known_) {
        if (offered.size() == limits::tools_offered_max) break;
        const bool is_called_here = tool.execution.by != model::ToolRunner::nobody && is_name_for_models(name);
        if (!is_called_here || !rules::may_use(tool, agent, reason).ok()) continue;
        TRY_ASSIGN(auto whole, find(name, unit));
        if (whole) offered.push_back(std::move(*whole));
    }
    return offered;
}

model::Impact Tools::impact_of(const std::string& name) const {
    if (const model::ToolContract* const own = tools::find_contract(name)) return own->impact;
    if (const model::ToolInfo* const tool = look_up(name)) return tool->impact;
    const bool is_own = !pending_.contains(name) && name.starts_with(own_prefix);
    return is_own ? model::Impact::internal : model::Impact::external;
}

void Tools::committed(Effects&) {
    for (auto& [name, tool] : pending_) {
        if (tool) known_[name] = std::move(*tool);
        else known_.erase(name);
    }
    pending_.clear();
}

void Tools::dropped() {
    pending_.clear();
}

}  // namespace belfry::engine
