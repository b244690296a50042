#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/agent_book.hpp"
#include "engine/capability.hpp"
#include "engine/intake.hpp"
#include "engine/ledger.hpp"
#include "engine/runs.hpp"
#include "engine/session_book.hpp"
#include "engine/wakes.hpp"
#include "model/agent_message.hpp"
#include "rules/house_tool.hpp"

namespace belfry::engine {

// Whose tool is called, and in which run.
struct ToolActor {
    const model::Wake& wake;
    model::AgentRecord& agent;
    std::optional<std::int64_t> depth = {};  // of what its run comes of; nothing: the wake is open, and knows
    std::string operation_id = {};           // what it makes has its ids from this; empty: they are made up
};

// What a tool says: a JSON value, and which records it has changed.
struct ToolEffect {
    std::string says = "{}";
    std::vector<std::string> changed = {};
    std::vector<std::string> tokens = {};  // of what it has changed, as text
};

// An inner error is the tool's, the outer one the store's.
using ToolOutcome = base::Result<base::Result<ToolEffect>>;

// The tools that concern the agent and its person, not the journal.
class HouseTools {
public:
    HouseTools(AgentBook& agents, Wakes& wakes, SessionBook& sessions, Ledger& ledger, Intake& intake, Runs& runs)
        : agents_(agents), wakes_(wakes), sessions_(sessions), ledger_(ledger), intake_(intake), runs_(runs) {}

    ToolOutcome act(const ToolActor& actor, rules::HouseTool tool, model::JsonView arguments, Unit& unit);
    // An event of the agent's person that the agent makes; chains of agents that wake one another have an end. The
    // inner result is the event's id.
    base::Result<base::Result<std::string>> emit(const ToolActor& actor, model::Event event, Unit& unit);

    // How many causes in a row came from agents before what this one does.
    base::Result<std::int64_t> depth_of(const ToolActor& actor, Unit& unit) {
        if (actor.depth) return *actor.depth;
        return wakes_.depth_of(actor.wake, unit);
    }
    base::Result<model::ChangeOrigin> origin_of(const ToolActor& actor, Unit& unit) {
        TRY_ASSIGN(const std::int64_t depth, depth_of(actor, unit));
        return model::ChangeOrigin{model::ChangeOrigin::Kind::agent, actor.wake.agent_id, depth + 1};
    }

private:
    ToolOutcome act(const ToolActor& actor, const rules::NotifyUser& wish, Unit& unit);
    ToolOutcome act(const ToolActor& actor, const rules::EmitEvent& wish, Unit& unit);
    ToolOutcome act(const ToolActor& actor, const rules::Say& wish, Unit& unit);
    ToolOutcome act(const ToolActor& actor, const rules::SetState& wish, Unit& unit);
    // Tells the user of the notifications that the agent has to deal with. Returns the one that the text stands for;
    // nothing: there is none with address user, and the text needs a notification of its own.
    base::Result<std::optional<model::NotificationId>> narrate(const ToolActor& actor, const rules::NotifyUser& wish,
                                                               std::span<model::Notification> open, Unit& unit);
    // These two take effect at the end of the turn.
    static ToolOutcome act(const ToolActor& actor, const rules::SleepUntil& wish, Unit& unit);
    static ToolOutcome act(const ToolActor& actor, const rules::AcknowledgeHandles& wish, Unit& unit);

    AgentBook& agents_;
    Wakes& wakes_;
    SessionBook& sessions_;
    Ledger& ledger_;
    Intake& intake_;
    Runs& runs_;
};

}  // namespace belfry::engine
