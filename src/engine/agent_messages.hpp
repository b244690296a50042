#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/agent_book.hpp"
#include "engine/agent_log.hpp"
#include "engine/capability.hpp"
#include "engine/wakes.hpp"
#include "ports/commands/agent_messages.hpp"

namespace belfry::engine {

// What workers report of what they think and do, and what they are going to do. Actions and results come in pairs, and
// a plan is stored once.
class AgentMessages final : public Capability {
public:
    AgentMessages(AgentBook& agents, AgentLog& log, Wakes& wakes) : agents_(agents), log_(log), wakes_(wakes) {}

    [[nodiscard]] std::vector<std::type_index> handles() const override;
    base::Result<void> rebuild(Unit& unit) override;
    base::Result<void> apply(ports::Command& command, Unit& unit) override;
    void committed(Effects&) override {}
    void dropped() override { log_.dropped(); }

private:
    base::Result<void> append(ports::AppendAgentMessages& command, Unit& unit);
    base::Result<void> store_plan(ports::StorePlan& command, Unit& unit);
    // Another device may have begun with this run, and planned otherwise: what it has done under an operation stays
    // that.
    static base::Result<void> make_way(model::AgentPlan& plan, Unit& unit);

    AgentBook& agents_;
    AgentLog& log_;
    Wakes& wakes_;
};

}  // namespace belfry::engine
