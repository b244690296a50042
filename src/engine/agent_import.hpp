#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/agent_book.hpp"
#include "engine/agent_log.hpp"
#include "engine/agents.hpp"
#include "engine/capability.hpp"
#include "ports/commands/agent_import.hpp"

namespace belfry::engine {

// Takes in agents that another Belfry has exported, with all that they remember: what was folded there is folded here.
class AgentImport final : public Capability {
public:
    AgentImport(AgentBook& book, AgentLog& log, Agents& agents) : book_(book), log_(log), agents_(agents) {}

    [[nodiscard]] std::vector<std::type_index> handles() const override { return {typeid(ports::ImportAgent)}; }
    base::Result<void> rebuild(Unit&) override { return {}; }
    base::Result<void> apply(ports::Command& command, Unit& unit) override;
    void committed(Effects&) override {}
    void dropped() override {}

private:
    using Messages = std::vector<model::AgentMessage>;
    // Whether it may be begun, or gone on with. The outer result is the store's, as everywhere.
    base::Result<base::Result<void>> check(ports::ImportAgent& command, Unit& unit);
    // How many of the messages are there already: none, or all of them.
    static base::Result<base::Result<std::size_t>> count_known(const ports::ImportAgent& command, Unit& unit);
    base::Result<void> take(model::AgentRecord& agent, Messages& messages, Unit& unit);

    AgentBook& book_;
    AgentLog& log_;
    Agents& agents_;
};

}  // namespace belfry::engine
