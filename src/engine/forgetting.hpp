#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/agent_book.hpp"
#include "engine/agent_log.hpp"
#include "engine/capability.hpp"
#include "engine/folding.hpp"
#include "engine/idempotency.hpp"
#include "ports/commands/memory.hpp"

namespace belfry::engine {

// Takes away what an agent is not to remember: the messages with their contents, links and words, and every summary
// that was made of them, at any depth. What else such a summary told of is told again by one that is made of the rest,
// by rules and in the same transaction: at no time does anything stand there that was made of what is gone.
class Forgetting final : public Capability {
public:
    Forgetting(AgentBook& agents, AgentLog& log, ChangeLog& changes, Folding& folding, Idempotency& idempotency)
        : agents_(agents), log_(log), changes_(changes), folding_(folding), idempotency_(idempotency) {}

    [[nodiscard]] std::vector<std::type_index> handles() const override;
    base::Result<void> rebuild(Unit& unit) override;
    base::Result<void> apply(ports::Command& command, Unit& unit) override;
    void committed(Effects& effects) override;
    void dropped() override { has_removed_ = false; }

    // These were forgotten on another device, which tells of it itself.
    base::Result<void> take(model::AgentRecord& agent, const std::vector<model::AgentMessage>& messages, Unit& unit);

private:
    using Messages = std::vector<model::AgentMessage>;
    using Places = std::vector<model::SummaryPlace>;

    // A slice of the messages that are meant, or what is wrong with the wish. The outer result is the store's.
    static base::Result<base::Result<Messages>> chosen(const ports::ForgetMemory& command, Unit& unit);
    base::Result<ports::ForgottenMemory> forget(model::AgentRecord& agent, const Messages& messages, Unit& unit);
    // These messages, and the summaries that were made of them, of depth 1, or that go by themselves.
    base::Result<ports::ForgottenMemory> remove(model::AgentRecord& agent, const Messages& messages,
                                                const Places& made_of_them, const Places& deeper, Unit& unit);
    // Of one thread. Gives the summaries that were made of them, of depth 1.
    base::Result<Places> leave_thread(model::AgentRecord& agent, const Messages& messages, Unit& unit);
    // The summaries with all that was made of them in turn; what those had folded is not folded any more.
    base::Result<Places> take_above(const Places& places, Unit& unit);
    // What is left of a span, in one summary where the old one stood.
    base::Result<void> fold_rest(model::AgentRecord& agent, const model::SummaryPlace& place,
                                 const model::AgentMessage& old, Unit& unit);
    // Their ids are kept, and other devices are told to forget them, too.
    base::Result<void> bury(const model::Agent& agent, const Messages& messages, Unit& unit);
    base::Result<void> end_deeper_job(const std::string& agent_id, Unit& unit);

    AgentBook& agents_;
    AgentLog& log_;
    ChangeLog& changes_;
    Folding& folding_;
    Idempotency& idempotency_;
    bool has_removed_ = false;  // in this transaction
};

}  // namespace belfry::engine
