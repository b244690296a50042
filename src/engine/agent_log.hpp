#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/agent_book.hpp"
#include "engine/capability.hpp"
#include "engine/change_log.hpp"
#include "model/agent_message.hpp"
#include "ports/commands/wakes.hpp"

namespace belfry::engine {

// Where messages of agents are added, each in its place: after the last one of its thread, and as the newest of its
// agent. What one costs does not depend on how many there are.
class AgentLog {
public:
    AgentLog(AgentBook& agents, ChangeLog& changes) : agents_(agents), changes_(changes) {}

    // Adds them in their order to the end of a thread; id (where it has none), time, place and links are given here.
    // `by` is whose changes they are, but for what a person says.
    base::Result<void> append(model::AgentRecord& agent, const std::string& thread_id,
                              std::span<model::AgentMessage> messages, const model::ChangeOrigin& by, Unit& unit);

    // The rounds of a run, with what has come of them.
    static base::Result<std::vector<model::PlanNow>> plans(const std::string& run_key, Unit& unit);
    static base::Result<model::PlanNow> progress_of(model::AgentPlan plan, Unit& unit);
    // What a worker is given to begin with: the newest so many of the thread, the oldest of them first.
    static base::Result<ports::WakeContext> context(const model::Wake& wake, std::size_t count, Unit& unit);

    void dropped() { last_.reset(); }

private:
    base::Result<std::int64_t> next_position(Unit& unit);

    AgentBook& agents_;
    ChangeLog& changes_;
    std::optional<std::int64_t> last_;  // position; nothing: it is not known
};

}  // namespace belfry::engine
