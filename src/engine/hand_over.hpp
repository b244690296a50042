#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/capability.hpp"
#include "engine/ledger.hpp"
#include "engine/notify.hpp"
#include "engine/session_book.hpp"
#include "engine/user_messages.hpp"
#include "ports/commands/delivery.hpp"
#include "ports/commands/notifications.hpp"
#include "ports/commands/sessions.hpp"

namespace belfry::engine {

// The agent's side: at a point of its turn it is handed what is due, under a lease. What it does not confirm is due
// again when the lease has run out; what somebody has to hear of is settled when the turn ends.
class HandOver final : public Capability {
public:
    HandOver(SessionBook& sessions, Notify& notify, Ledger& ledger, UserMessages& user_messages)
        : sessions_(sessions), notify_(notify), ledger_(ledger), user_messages_(user_messages) {}

    [[nodiscard]] std::vector<std::type_index> handles() const override;
    base::Result<void> rebuild(Unit& unit) override;
    base::Result<void> load(std::span<ports::Command* const> commands, Unit& unit) override;
    base::Result<void> apply(ports::Command& command, Unit& unit) override;
    void committed(Effects& effects) override;
    void dropped() override;

    // What a model names under a lease must be under that lease. The outer result is the store's.
    base::Result<base::Result<void>> check_named(const std::string& session_id, std::span<const ports::Named> named,
                                                 Unit& unit);
    // Its runtime says that it has this hand-over: what the person said and has seen, as told with it, has arrived.
    base::Result<void> name(model::Session& session, const base::Uuid& pull_id, Unit& unit);
    // The turn of this session's agent has ended: what the model has named is delivered, the rest goes its way. What it
    // has named and was never handed is added to `unknown`.
    base::Result<void> end_turn(model::Session& session, std::span<const ports::Named> acknowledged,
                                const model::Principal& by, std::vector<std::string>& unknown, Unit& unit);
    // The turn goes on: what the session holds stays held, for as long as its agent asks or has asked. How many that
    // are.
    base::Result<std::int64_t> renew(model::Session& session, std::optional<base::Duration> lease, Unit& unit);
    // The agent begins its turn anew: what the session holds is due again at once, because nobody may have read it.
    base::Result<void> let_go(model::Session& session, std::string_view reason, Unit& unit);
    // A tool whose effects are felt outside is about to be called: what was an internal matter is the person's from now
    // on. `handling` names the one that the turn is about; where it names none that the session holds: all that
    // it holds.
    base::Result<void> promote(const std::string& session_id, const std::string& handling, const std::string& tool,
                               Unit& unit);
    // Whether this session was ever handed one of this handle or id.
    static base::Result<bool> knows(const std::string& session_id, const std::string& key, Unit& unit);

private:
    base::Result<void> begin(const ports::PullNotifications& command, model::Session& session, bool is_again,
                             Unit& unit);
    base::Result<void> pull(ports::PullNotifications& command, Unit& unit);
    base::Result<void> free_what_was_lost(const ports::PullNotifications& command, model::Session& session, Unit& unit);
    void note_pull(const ports::PullNotifications& command, const ports::PullReply& reply, model::Session& session);
    base::Result<void> settle_held(const model::Session& session, const std::string& by, Unit& unit);
    void confirm(model::Session& session);
    base::Result<void> fill(ports::PullReply& reply, const ports::PullNotifications& command, model::Session& session,
                            Unit& unit);
    // An error is the command's: the session is loaded.
    base::Result<model::Session*> find_session(const model::Principal& who, const std::string& id, Unit& unit);
    base::Result<void> acknowledge(ports::Acknowledge& command, Unit& unit);
    base::Result<void> heartbeat(ports::Heartbeat& command, Unit& unit);
    base::Result<std::int64_t> acknowledge_pull(const base::Uuid& pull_id, model::Session& session,
                                                const std::string& by, Unit& unit);
    base::Result<bool> acknowledge_one(model::Notification& row, rules::Voice voice, const std::string& by, Unit& unit);
    base::Result<void> lock(std::vector<model::Notification>& handed, const ports::PullNotifications& command,
                            model::Session& session, ports::PullReply& reply, Unit& unit);

    SessionBook& sessions_;
    Notify& notify_;
    Ledger& ledger_;
    UserMessages& user_messages_;
    std::uint64_t handed_over_ = 0;
    std::uint64_t acknowledged_ = 0;
};

}  // namespace belfry::engine
