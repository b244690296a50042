#pragma once

#include <array>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/capability.hpp"
#include "engine/intake.hpp"
#include "engine/interactions.hpp"
#include "engine/runs.hpp"
#include "engine/session_book.hpp"
#include "engine/user_messages.hpp"
#include "ports/commands/client_messages.hpp"

namespace belfry::engine {

// What clients say into sessions. A person's word becomes a message that waits for the agent; an answer goes to the
// question that it answers; a signal to the run that it is for; everything else becomes an event. The same message
// again, by its id, gets the receipt of then.
class ClientMessages final : public Capability {
public:
    ClientMessages(SessionBook& sessions, UserMessages& user_messages, Intake& intake, Interactions& interactions,
                   Runs& runs)
        : sessions_(sessions),
          user_messages_(user_messages),
          intake_(intake),
          interactions_(interactions),
          runs_(runs) {}

    [[nodiscard]] std::vector<std::type_index> handles() const override;
    base::Result<void> rebuild(Unit& unit) override;
    base::Result<void> load(std::span<ports::Command* const> commands, Unit& unit) override;
    base::Result<void> apply(ports::Command& command, Unit& unit) override;
    base::Result<void> flush(Unit& unit) override;
    void committed(Effects& effects) override;
    void dropped() override;

private:
    using Receipt = base::Result<ports::ClientReceipt>;

    // The outer results are the store's, the inner ones the message's.
    base::Result<Receipt> take(const ports::SendClientMessage& command, model::Session& session, Unit& unit);
    base::Result<Receipt> take_words(const ports::SendClientMessage& command, model::Session& session, Unit& unit);
    base::Result<Receipt> take_event(const ports::SendClientMessage& command, const model::Session& session,
                                     Unit& unit);
    base::Result<Receipt> take_signal(const ports::SendClientMessage& command, const model::Session& session,
                                      Unit& unit);
    base::Result<Receipt> take_answer(const ports::SendClientMessage& command, model::InteractionKind kind, Unit& unit);

    SessionBook& sessions_;
    UserMessages& user_messages_;
    Intake& intake_;
    Interactions& interactions_;
    Runs& runs_;
    std::unordered_map<std::string, ports::RememberedAnswer> known_;  // of this group: loaded, and decided since
    std::vector<std::string> fresh_;                                  // keys of those to be written
};

}  // namespace belfry::engine
