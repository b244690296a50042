#pragma once

#include <string>

#include "engine/capability.hpp"
#include "engine/interactions.hpp"
#include "engine/ledger.hpp"
#include "engine/session_book.hpp"
#include "engine/user_messages.hpp"
#include "ports/commands/delivery.hpp"
#include "ports/commands/sessions.hpp"

namespace belfry::engine {

// Conversations: made, changed, spoken in and ended. Also writes, at the end of every transaction, what others changed
// in the session book.
class Sessions final : public Capability {
public:
    Sessions(SessionBook& book, Ledger& ledger, UserMessages& user_messages, Interactions& interactions,
             std::string owner)
        : book_(book),
          ledger_(ledger),
          user_messages_(user_messages),
          interactions_(interactions),
          owner_(std::move(owner)) {}

    [[nodiscard]] std::vector<std::type_index> handles() const override;
    base::Result<void> rebuild(Unit& unit) override;
    base::Result<void> load(std::span<ports::Command* const> commands, Unit& unit) override;
    base::Result<void> apply(ports::Command& command, Unit& unit) override;
    base::Result<void> flush(Unit& unit) override { return book_.flush(unit); }
    void committed(Effects& effects) override;
    void dropped() override { book_.clear(); }

    // The session that a principal speaks of, made where there is none; or why he may not. The outer result is the
    // store's.
    base::Result<base::Result<model::Session*>> enter(const model::Principal& who, const std::string& id, Unit& unit);

private:
    base::Result<void> put(ports::PutSession& command, Unit& unit);
    base::Result<void> post(ports::PostMessage& command, Unit& unit);
    base::Result<void> deliver(ports::PostMessage& command, model::Session& session, Unit& unit);
    base::Result<void> take_from_holder(const ports::DeleteSession& command, Unit& unit);
    base::Result<void> end(ports::DeleteSession& command, Unit& unit);
    base::Result<void> follow(ports::FollowSession& command, Unit& unit);

    SessionBook& book_;
    Ledger& ledger_;
    UserMessages& user_messages_;
    Interactions& interactions_;
    std::string owner_;
};

}  // namespace belfry::engine
