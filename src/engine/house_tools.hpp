#pragma once

#include <string>
#include <vector>

#include "engine/agent_book.hpp"
#include "engine/agent_log.hpp"
#include "engine/capability.hpp"
#include "engine/intake.hpp"
#include "engine/ledger.hpp"
#include "engine/runs.hpp"
#include "engine/session_book.hpp"
#include "engine/wakes.hpp"
#include "ports/commands/house_work.hpp"
#include "rules/house_tool.hpp"

namespace belfry::engine {

// What agents do whose work is done here: an action of the stored plan, its effect and its result are one transaction.
class HouseTools final : public Capability {
public:
    HouseTools(AgentBook& agents, AgentLog& log, Wakes& wakes, SessionBook& sessions, Ledger& ledger, Intake& intake,
               Runs& runs)
        : agents_(agents),
          log_(log),
          wakes_(wakes),
          sessions_(sessions),
          ledger_(ledger),
          intake_(intake),
          runs_(runs) {}

    [[nodiscard]] std::vector<std::type_index> handles() const override { return {typeid(ports::PerformAction)}; }
    base::Result<void> rebuild(Unit&) override { return {}; }
    base::Result<void> apply(ports::Command& command, Unit& unit) override;
    void committed(Effects&) override {}
    void dropped() override {}

private:
    // Whose action it is, and in which run.
    struct Actor {
        const model::Wake& wake;
        model::AgentRecord& agent;
    };
    // What a tool says: a JSON value, and which records it has changed. An error is the tool's.
    struct Effect {
        std::string says = "{}";
        std::vector<std::string> changed = {};
    };
    using Outcome = base::Result<base::Result<Effect>>;  // the outer result is the store's

    base::Result<model::AgentMessage> perform(const Actor& actor, const model::PlannedAction& action, Unit& unit);
    Outcome act(const Actor& actor, const model::PlannedAction& action, Unit& unit);
    Outcome act(const Actor& actor, const rules::NotifyUser& wish, Unit& unit);
    Outcome act(const Actor& actor, const rules::EmitEvent& wish, Unit& unit);
    Outcome act(const Actor& actor, const rules::Say& wish, Unit& unit);
    Outcome act(const Actor& actor, const rules::SetState& wish, Unit& unit);
    // These two take effect at the end of the turn.
    static Outcome act(const Actor& actor, const rules::SleepUntil& wish, Unit& unit);
    static Outcome act(const Actor& actor, const rules::AcknowledgeHandles& wish, Unit& unit);
    void show(const Actor& actor, const model::PlannedAction& action, const model::AgentMessage& result, Unit& unit);

    AgentBook& agents_;
    AgentLog& log_;
    Wakes& wakes_;
    SessionBook& sessions_;
    Ledger& ledger_;
    Intake& intake_;
    Runs& runs_;
};

}  // namespace belfry::engine
