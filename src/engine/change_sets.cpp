#include "engine/change_sets.hpp"

#include <algorithm>
#include <utility>

#include "rules/change_set.hpp"

namespace belfry::engine {
namespace {

using base::Code;
using model::ChangeItemState;

base::Error no_such(const char* what, const char* field) {
    return base::error(Code::not_found, std::string("there is no such ") + what, field);
}

}  // namespace

base::Result<void> ChangeSets::apply(ports::Command& any, Unit& unit) {
    auto& command = static_cast<ports::DecideChanges&>(any);
    TRY_ASSIGN(std::optional<model::ChangeSet> set, unit.store.change_sets().find(command.id));
    auto may = set ? rules::may_decide(command.principal, *set) : base::Result<void>(no_such("change set", "id"));
    if (!may.ok()) {
        command.refuse(std::move(may).error());
        return {};
    }
    TRY_ASSIGN(Open open, open_of(command, *set, unit));
    TRY_ASSIGN(model::AgentRecord * agent, agents_.find(set->agent_id, unit));
    if (agent != nullptr && agent->agent.lifecycle == model::AgentLifecycle::destroyed) agent = nullptr;
    if (open.ok() && command.accept && !open->empty() && agent == nullptr) {
        open = base::error(Code::conflict, "this agent was destroyed: what it proposed can only be rejected", "id",
                           "agent_gone");
    }
    if (!open.ok()) {
        command.refuse(std::move(open).error());
        return {};
    }
    const std::string& by = command.principal.id;
    for (model::ChangeItem& item : *open) {
        if (command.accept) TRY(accept(*set, item, by, *agent, unit));
        else TRY(book_.settle(*set, item, ChangeItemState::rejected, by, agent, unit));
    }
    if (!open->empty()) TRY(book_.tell_decided(*set, by, unit));
    TRY_ASSIGN(std::vector<model::ChangeItem> items, unit.store.change_sets().items(set->ordinal));
    command.settle(model::ProposedChanges{std::move(*set), std::move(items)});
    return {};
}

base::Result<ChangeSets::Open> ChangeSets::open_of(const ports::DecideChanges& command, const model::ChangeSet& set,
                                                   Unit& unit) {
    if (!command.number) {
        TRY_ASSIGN(std::vector<model::ChangeItem> items, unit.store.change_sets().items(set.ordinal));
        std::erase_if(items, [](const model::ChangeItem& one) { return one.state != ChangeItemState::proposed; });
        return Open(std::move(items));
    }
    TRY_ASSIGN(auto item, unit.store.change_sets().item(set.ordinal, *command.number));
    if (!item) return Open(no_such("item", "number"));
    const auto to_decide =
        rules::is_to_decide(*item, command.accept ? rules::Decision::accept : rules::Decision::reject);
    if (!to_decide.ok()) return Open(to_decide.error());
    std::vector<model::ChangeItem> items;
    if (*to_decide) items.push_back(std::move(*item));
    return Open(std::move(items));
}

base::Result<void> ChangeSets::accept(model::ChangeSet& set, model::ChangeItem& item, const std::string& by,
                                      model::AgentRecord& agent, Unit& unit) {
    const model::Wake wake = wake_of(set);
    TRY_ASSIGN(base::Result<ToolEffect> done, bed_.carry_out({wake, agent, set.depth, item.operation_id},
                                                             item.tool_name, item.arguments.view(), unit));
    if (done.ok()) {
        item.result = model::RawJson::trusted(std::move(done->says));
        return book_.settle(set, item, ChangeItemState::accepted, by, &agent, unit);
    }
    ToolFault fault = fault_of(done.error());
    item.error_code = std::move(fault.code);
    item.error_message = std::move(fault.message);
    return book_.settle(set, item, ChangeItemState::failed, by, &agent, unit);
}

}  // namespace belfry::engine
