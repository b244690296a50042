#pragma once

#include <optional>
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

#include "engine/agent_book.hpp"
#include "engine/capability.hpp"
#include "engine/hand_over.hpp"
#include "engine/outbox.hpp"
#include "engine/tool_record.hpp"
#include "engine/tools.hpp"
#include "ports/commands/outside_calls.hpp"
#include "ports/commands/tools.hpp"

namespace belfry::engine {

// Calls of tools that somebody outside carries out: handed out with the agent's action, claimed by workers or asked of
// a webhook, and ended with the result of that action. Here each has one end, in one transaction with its result; what
// is carried out twice because somebody died in between, the tool knows by its operation.
class OutsideCalls final : public Capability {
public:
    OutsideCalls(AgentBook& agents, Wakes& wakes, Tools& tools, HandOver& hand_over, Outbox& outbox, ToolRecord& record)
        : agents_(agents), wakes_(wakes), tools_(tools), hand_over_(hand_over), outbox_(outbox), record_(record) {}

    [[nodiscard]] std::vector<std::type_index> handles() const override;
    base::Result<void> rebuild(Unit& unit) override;
    base::Result<void> apply(ports::Command& command, Unit& unit) override;
    base::Result<void> flush(Unit& unit) override;
    void committed(Effects& effects) override;
    void dropped() override;
    [[nodiscard]] std::optional<base::Timestamp> next_due() const override { return next_due_; }
    base::Result<void> tend(Unit& unit) override;

    // Somebody outside is to carry out this action of the agent's, of which the message says that it was begun. What
    // is felt outside is the person's matter from now on, before it happens.
    base::Result<ports::ToolWait> hand_out(const ToolActor& actor, const model::ToolInfo& tool,
                                           const model::AgentMessage& action, const model::RawJson& arguments,
                                           Unit& unit);
    // Whom an action waits for that was begun and has no result.
    static base::Result<std::optional<ports::ToolWait>> awaited(const model::AgentMessage& action, Unit& unit);

private:
    // The oldest call of this tool that waits for a worker.
    base::Result<std::optional<model::OutsideCall>> next_of(const std::string& tool_name,
                                                            std::span<const std::string> users, Unit& unit);
    base::Result<void> claim(ports::ClaimOutsideCall& command, Unit& unit);
    base::Result<void> renew(ports::RenewOutsideCall& command, Unit& unit);
    base::Result<void> end(ports::EndOutsideCall& command, Unit& unit);
    base::Result<void> end_webhook(ports::EndOutsideCall& command, model::OutsideCall call, Unit& unit);
    // The call that this principal may speak of. The inner error is the command's.
    using Found = base::Result<model::OutsideCall>;
    static base::Result<Found> find(const model::Principal& who, const model::OutsideCallId& id, Unit& unit);
    // The end of a call, and with it the result of its action.
    base::Result<void> close(model::OutsideCall& call, model::OutsideCallState state, base::Result<ToolEffect> effect,
                             Unit& unit);
    base::Result<void> fail(model::OutsideCall& call, model::OutsideCallState state, const ports::OutsideCallError& why,
                            Unit& unit);
    static ports::OutsideCallError timed_out(const model::OutsideCall& call);
    base::Result<void> leave_wake(model::WakeId id, Unit& unit);
    // It waits again, unless nobody waits for it.
    base::Result<void> put_back(const model::OutsideCall& call, Unit& unit);
    // Makes the notifications of a wake the user's, because an EXTERNAL tool is about to be used for them.
    base::Result<void> promote(const ToolActor& actor, const std::string& tool_name, Unit& unit);
    // Whoever waits for calls of this tool is told that there is one.
    static base::Result<void> announce(const model::OutsideCall& call, Unit& unit);
    base::Result<void> write(const model::OutsideCall& call, Unit& unit);

    AgentBook& agents_;
    Wakes& wakes_;
    Tools& tools_;
    HandOver& hand_over_;
    Outbox& outbox_;
    ToolRecord& record_;
    std::optional<base::Timestamp> next_due_;
    std::optional<base::Timestamp> pending_due_;
    bool due_changed_ = false;
    std::unordered_set<model::WakeId> waiting_;  // wakes that may have an open call
    std::vector<model::WakeId> left_;            // of them, that have ended in this transaction
};

}  // namespace belfry::engine
