#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/capability.hpp"
#include "model/agent.hpp"
#include "model/agent_message.hpp"
#include "model/wake.hpp"

namespace belfry::engine {

// The messages of one request on their way into a thread. Later ones see earlier ones; nothing is written until all of
// them were taken.
class MessageBatch {
public:
    MessageBatch(const model::AgentRecord& agent, const model::Wake& wake) : agent_(agent), wake_(wake) {}

    // Takes a draft: it is there already, or is to be added. The inner error is the draft's.
    base::Result<base::Result<void>> take(model::AgentMessage draft, Unit& unit);

    // Those to be added, in order.
    [[nodiscard]] std::vector<model::AgentMessage>& staged() { return staged_; }
    // After they were added: every draft as it is there.
    [[nodiscard]] std::vector<model::AgentMessage> taken() const;

private:
    using Maybe = base::Result<std::optional<model::AgentMessage>>;
    using Refused = base::Result<base::Result<void>>;
    Refused take_action(model::AgentMessage draft, Unit& unit);
    Refused take_result(model::AgentMessage draft, Unit& unit);
    Refused take_summary(model::AgentMessage draft, Unit& unit);
    Refused stage(model::AgentMessage draft, Unit& unit);
    // Where it has no id: an action and its result have theirs from their operation, others any.
    base::Result<base::Uuid> id_of(const model::AgentMessage& draft, Unit& unit) const;
    base::Result<const model::AgentMessage*> place(model::AgentMessage draft, Unit& unit);

    Maybe find(const base::Uuid& id, Unit& unit) const;
    Maybe find_action(const std::string& operation_id, Unit& unit) const;
    Maybe result_of(const base::Uuid& action_id, Unit& unit) const;
    // What the plan of this run has under this operation.
    base::Result<std::optional<model::PlannedAction>> planned(const std::string& operation_id, Unit& unit);

    // A draft is one of the staged, by its place there, or was there.
    struct Taken {
        std::optional<std::size_t> staged;
        std::optional<model::AgentMessage> there;
    };
    void is_there(const model::AgentMessage& message);

    const model::AgentRecord& agent_;
    const model::Wake& wake_;
    std::vector<model::AgentMessage> staged_;
    std::vector<Taken> taken_;
    std::optional<std::vector<model::AgentPlan>> plans_;  // read when they are needed
};

}  // namespace belfry::engine
