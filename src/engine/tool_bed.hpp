#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/agent_book.hpp"
#include "engine/agent_log.hpp"
#include "engine/capability.hpp"
#include "engine/house_tools.hpp"
#include "engine/journal.hpp"
#include "engine/outside_calls.hpp"
#include "engine/tool_record.hpp"
#include "engine/wakes.hpp"
#include "ports/commands/tools.hpp"
#include "tools/tool.hpp"

namespace belfry::engine {

// Where agents call tools: each call is checked, allowed, done once and recorded. What the tool does, the call and its
// result are one transaction.
class ToolBed final : public Capability {
public:
    ToolBed(AgentBook& agents, Wakes& wakes, Journal& journal, HouseTools& house, Tools& registered,
            OutsideCalls& outside, ToolRecord& record)
        : agents_(agents),
          wakes_(wakes),
          journal_(journal),
          house_(house),
          registered_(registered),
          outside_(outside),
          record_(record) {}

    [[nodiscard]] std::vector<std::type_index> handles() const override { return {typeid(ports::CallTool)}; }
    base::Result<void> rebuild(Unit&) override { return {}; }
    base::Result<void> apply(ports::Command& command, Unit& unit) override;
    void committed(Effects&) override {}
    void dropped() override {}

private:
    // What is to be called: an action of the stored plan, or one that the command brings. The inner error is the
    // command's.
    using Wanted = base::Result<model::PlannedAction>;
    static base::Result<Wanted> wanted(const ports::CallTool& command, const model::Wake& wake, Unit& unit);
    // What came of this operation before, where it was called.
    base::Result<std::optional<ports::CalledTool>> before(const model::Wake& wake, const model::PlannedAction& action,
                                                          Unit& unit);
    // `begun`: the message of this action, where somebody told of it before.
    base::Result<ports::CalledTool> perform(const ToolActor& actor, const model::PlannedAction& action,
                                            std::optional<model::AgentMessage> begun, bool is_named, Unit& unit);
    ToolOutcome act(const ToolActor& actor, const model::PlannedAction& action, bool is_named, Unit& unit);
    ToolOutcome run(const tools::Tool& tool, const ToolActor& actor, model::JsonView arguments, Unit& unit);
    void show(const ToolActor& actor, const model::PlannedAction& action, const model::AgentMessage& result,
              Unit& unit);
    // The tool that somebody outside carries out, where that is what is called.
    base::Result<std::optional<model::ToolInfo>> outside_tool(const model::PlannedAction& action, Unit& unit) const;
    // Nothing is done here: it waits for somebody outside.
    base::Result<ports::CalledTool> hand_out(const ToolActor& actor, const model::ToolInfo& tool,
                                             const model::PlannedAction& action,
                                             std::optional<model::AgentMessage> begun, Unit& unit);

    AgentBook& agents_;
    Wakes& wakes_;
    Journal& journal_;
    HouseTools& house_;
    Tools& registered_;
    OutsideCalls& outside_;
    ToolRecord& record_;
};

}  // namespace belfry::engine
