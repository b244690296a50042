#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/agent_book.hpp"
#include "engine/capability.hpp"
#include "engine/change_set_book.hpp"
#include "engine/house_tools.hpp"
#include "engine/interactions.hpp"
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
            OutsideCalls& outside, ToolRecord& record, Interactions& questions, ChangeSetBook& proposals)
        : agents_(agents),
          wakes_(wakes),
          journal_(journal),
          house_(house),
          registered_(registered),
          outside_(outside),
          record_(record),
          questions_(questions),
          proposals_(proposals) {}

    [[nodiscard]] std::vector<std::type_index> handles() const override { return {typeid(ports::CallTool)}; }
    base::Result<void> rebuild(Unit&) override { return {}; }
    base::Result<void> apply(ports::Command& command, Unit& unit) override;
    void committed(Effects&) override {}
    void dropped() override {}

    // What was proposed and is accepted: done now, within what the agent may do now. The person's word stands for the
    // preview of what is of high risk.
    ToolOutcome carry_out(const ToolActor& actor, const std::string& tool_name, model::JsonView arguments, Unit& unit);

private:
    // What is to be called: an action of the stored plan, or one that the command brings. The inner error is the
    // command's.
    using Wanted = base::Result<model::PlannedAction>;
    static base::Result<Wanted> wanted(const ports::CallTool& command, const model::Wake& wake, Unit& unit);
    // What came of this operation before, where it was called.
    base::Result<std::optional<ports::CalledTool>> before(const model::Wake& wake, const model::PlannedAction& action,
                                                          Unit& unit);
    // `begun`: the message of this action, where somebody told of it before.
    using Called = base::Result<ports::CalledTool>;
    base::Result<Called> perform(const ToolActor& actor, const model::PlannedAction& action,
                                 std::optional<model::AgentMessage> begun, bool is_named, Unit& unit);
    // The messages of the call that are not there yet: the action, and its result where there is one.
    base::Result<ports::CalledTool> record(const ToolActor& actor, const model::PlannedAction& action,
                                           std::optional<model::AgentMessage> begun,
                                           std::optional<model::AgentMessage> result, Unit& unit);
    // What comes of a call: a result, or somebody has to do something first. `refused`: it is not recorded at all.
    struct Attempt {
        base::Result<ToolEffect> effect = ToolEffect{};
        std::optional<ports::ToolWait> waits_for = {};
        std::optional<base::Error> refused = {};
        std::optional<model::ToolInfo> outside = {};  // it may be handed out: there is no effect yet
    };
    base::Result<Attempt> attempt(const ToolActor& actor, const model::PlannedAction& action, bool is_named,
                                  Unit& unit);
    // What may be done now.
    base::Result<Attempt> begin(const ToolActor& actor, const model::PlannedAction& action, bool is_named, Unit& unit);
    base::Result<Attempt> ask_first(const ToolActor& actor, const model::PlannedAction& action, bool is_named,
                                    Unit& unit);
    ToolOutcome propose(const ToolActor& actor, const model::PlannedAction& action, bool is_named, Unit& unit);

    // How a tool is run. The last two are undone at once, and what they say is what they would have changed.
    enum class How : std::uint8_t {
        called,
        decided,    // by the person, who has seen what it would change
        rehearsed,  // as it would be called
        proposed,   // as it would be decided
    };
    static bool is_undone(How how) { return how == How::rehearsed || how == How::proposed; }
    static bool is_by_person(How how) { return how == How::decided || how == How::proposed; }
    ToolOutcome act(const ToolActor& actor, const model::PlannedAction& action, bool is_named, How how, Unit& unit);
    ToolOutcome run(const tools::Tool& tool, const ToolActor& actor, model::JsonView arguments, How how, Unit& unit);
    void show(const ToolActor& actor, const model::PlannedAction& action, const model::AgentMessage& result,
              Unit& unit);
    // The tool that somebody outside carries out, where that is what is called.
    base::Result<std::optional<model::ToolInfo>> outside_tool(const model::PlannedAction& action, Unit& unit) const;
    // All that is asked before it is handed out. It cannot be tried: there is no preview of it, and nobody could see
    // what he accepts.
    static ToolOutcome check_outside(const model::ToolInfo& tool, const ToolActor& actor,
                                     const model::PlannedAction& action, bool is_named, How how);
    // Nothing is done here: it waits for somebody outside.
    base::Result<Called> hand_out(const ToolActor& actor, const model::ToolInfo& tool,
                                  const model::PlannedAction& action, std::optional<model::AgentMessage> begun,
                                  Unit& unit);

    AgentBook& agents_;
    Wakes& wakes_;
    Journal& journal_;
    HouseTools& house_;
    Tools& registered_;
    OutsideCalls& outside_;
    ToolRecord& record_;
    Interactions& questions_;
    ChangeSetBook& proposals_;
};

}  // namespace belfry::engine
