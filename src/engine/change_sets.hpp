#pragma once

#include <vector>

#include "engine/agent_book.hpp"
#include "engine/capability.hpp"
#include "engine/change_set_book.hpp"
#include "engine/tool_bed.hpp"
#include "ports/commands/change_sets.hpp"

namespace belfry::engine {

// Where people decide on what agents propose. What is accepted is done and marked in one transaction, so that it is
// done once, whatever crashes.
class ChangeSets final : public Capability {
public:
    ChangeSets(AgentBook& agents, ChangeSetBook& book, ToolBed& bed) : agents_(agents), book_(book), bed_(bed) {}

    [[nodiscard]] std::vector<std::type_index> handles() const override { return {typeid(ports::DecideChanges)}; }
    base::Result<void> rebuild(Unit&) override { return {}; }
    base::Result<void> apply(ports::Command& command, Unit& unit) override;
    void committed(Effects&) override {}
    void dropped() override {}

private:
    // Those that the command is about and that nobody has decided. The inner error is the command's.
    using Open = base::Result<std::vector<model::ChangeItem>>;
    static base::Result<Open> open_of(const ports::DecideChanges& command, const model::ChangeSet& set, Unit& unit);
    base::Result<void> accept(model::ChangeSet& set, model::ChangeItem& item, const std::string& by,
                              model::AgentRecord& agent, Unit& unit);

    AgentBook& agents_;
    ChangeSetBook& book_;
    ToolBed& bed_;
};

}  // namespace belfry::engine
