#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/capability.hpp"
#include "engine/context_values.hpp"
#include "engine/ledger.hpp"
#include "engine/notify.hpp"
#include "engine/session_book.hpp"
#include "engine/user_messages.hpp"
#include "ports/commands/delivery.hpp"
#include "ports/commands/notifications.hpp"
#include "ports/commands/sessions.hpp"
#include "rules/hold_proof.hpp"

namespace belfry::engine {

// The agent's side: at a point of its turn it is handed what is due, under a lease. What it does not confirm is due
// again when the lease has run out; what somebody has to hear of is settled when the turn ends.
class HandOver final : public Capability {
public:
    HandOver(SessionBook& sessions, Notify& notify, Ledger& ledger, UserMessages& user_messages,
             ContextValues& context_values)
        : sessions_(sessions),
          notify_(notify),
          ledger_(ledger),
          user_messages_(user_messages),
          context_values_(context_values) {}

    [[nodiscard]] std::vector<std::type_index> handles() const override;
    base::Result<void> rebuild(Unit& unit) override;
    base::Result<void> load(std::span<ports::Command* const> commands, Unit& unit) override;
    base::Result<void> apply(ports::Command& command, Unit& unit) override;
    void committed(Effects& effects) override;
    void dropped() override;

    // Whether a caller may end the turn and acknowledge what it names: it must hold something of what the session
    // holds, and everything that it names. The outer result is the store's.
    base::Result<base::Result<void>> check_end(const model::Session& session, const rules::HoldProof& proof,
                                               std::span<const ports::Named> named, Unit& unit);
    // The caller says that it has this pull: the user's messages and the facts that the pull returned have arrived. A
    // guest that names the pull of another principal changes nothing.
    base::Result<void> name(model::Session& session, const base::Uuid& pull_id, const rules::HoldProof& proof,
                            Unit& unit);
    // The turn of this session's agent has ended: what the model has named is acknowledged, the rest goes its way.
    // Names that the session was never handed are added to `reply.unknown`. Notifications that another one than the
    // caller holds stay as they are and are added to `reply.stale`.
    base::Result<void> end_turn(model::Session& session, std::span<const ports::Named> acknowledged,
                                const rules::HoldProof& proof, ports::ReportReply& reply, Unit& unit);
    // The turn of a visitor has ended: the same for what the visitor holds itself, and nothing else.
    base::Result<void> end_visit(model::Session& session, std::span<const ports::Named> acknowledged,
                                 const rules::HoldProof& proof, ports::ReportReply& reply, Unit& unit);
    // The turn goes on: what the caller holds stays held, for as long as its agent asks or has asked.
    struct Renewed {
        std::int64_t renewed = 0;
        std::int64_t held = 0;                      // by the session, also for others than the caller
        rules::Hold refusal = rules::Hold::proven;  // of those that the caller does not hold
        bool has_words = false;                     // the caller holds messages of the user, and they are renewed
        base::Duration lease;                       // for how long they are held from now on
    };
    base::Result<Renewed> renew(model::Session& session, std::optional<base::Duration> lease,
                                const rules::HoldProof& proof, Unit& unit);
    // The caller begins its turn anew: what the session holds is due again at once, because nobody may have read it. Of
    // a guest (`rules::is_guest`) only what it holds itself: another agent may be in the middle of its turn.
    base::Result<void> let_go(model::Session& session, const rules::HoldProof& proof, std::string_view reason,
                              Unit& unit);

    // An EXTERNAL tool is used in a session. `handling` names the notification that the turn is about; otherwise it is
    // about all that the caller holds and must answer. Those become the user's. A notification that was left to the
    // agent's decision and has ended in this turn gets a notice to the user. The inner result is an error if the tool
    // is yet to run (`is_pending`) and another one than the caller holds the notification.
    struct ToolUse {
        std::string tool;
        std::string handling;
        bool is_pending = true;
        bool is_known = false;  // the call was reported before
    };
    base::Result<base::Result<void>> use_external_tool(const model::Session& session, const ToolUse& use,
                                                       const rules::HoldProof& proof, Unit& unit);
    // The same for a tool that Belfry itself executes for the agent of a session: nobody has to prove anything. Returns
    // true if a notification names the tool to the user.
    base::Result<bool> promote(const std::string& session_id, const std::string& tool, Unit& unit);
    // The same for one notification, wherever it is.
    base::Result<bool> promote_row(const model::NotificationId& id, const std::string& tool, Unit& unit);
    // True if the user's item of the notification names the tool.
    static base::Result<bool> is_named_by(const model::NotificationId& id, const std::string& tool, Unit& unit);
    // Whether this session was ever handed one of this handle or id.
    static base::Result<bool> knows(const std::string& session_id, const std::string& key, Unit& unit);

private:
    void hear_turn(model::Session& session, base::Duration lease, Unit& unit);
    base::Result<void> renew_words(model::Session& session, const rules::HoldProof& proof, base::Duration lease,
                                   Unit& unit);
    base::Result<void> ask_for_turn(model::Session& session, Unit& unit);
    base::Result<void> begin(const ports::PullNotifications& command, model::Session& session, bool is_again,
                             Unit& unit);
    base::Result<void> pull(ports::PullNotifications& command, Unit& unit);
    base::Result<void> free_what_was_lost(const ports::PullNotifications& command, const rules::HoldProof& proof,
                                          model::Session& session, Unit& unit);
    // Words of the user that the caller took and did not confirm are due again.
    base::Result<void> free_words(model::Session& session, const rules::HoldProof& proof, Unit& unit);
    base::Result<void> free_own_words(const std::string& by, model::Session& session, Unit& unit);
    void note_pull(const ports::PullNotifications& command, const ports::PullReply& reply, model::Session& session);
    base::Result<void> acknowledge_named(model::Session& session, std::span<const ports::Named> named,
                                         const rules::HoldProof& proof, ports::ReportReply& reply, Unit& unit);
    base::Result<void> settle_held(model::Session& session, const rules::HoldProof& proof, ports::ReportReply& reply,
                                   Unit& unit);
    base::Result<void> acknowledge_told(model::Notification& row, model::Session& session,
                                        const rules::HoldProof& proof, Unit& unit);
    base::Result<bool> tell_effect(model::Notification& row, const std::string& tool, Unit& unit);
    base::Result<void> tell_effect_alone(const std::string& user, const std::string& tool, Unit& unit);
    base::Result<void> settle_pulls(model::Session& session, const rules::HoldProof& proof, Unit& unit);
    // Whether every notification whose lease the caller names is still one of the session.
    static base::Result<base::Result<void>> check_leases(const model::Session& session, const rules::HoldProof& proof,
                                                         Unit& unit);
    void note_decided(model::Session& session, const model::Notification& row, const rules::HoldProof& proof);
    void confirm(model::Session& session);
    base::Result<void> fill(ports::PullReply& reply, const ports::PullNotifications& command, model::Session& session,
                            Unit& unit);
    // An error is the command's: the session is loaded.
    base::Result<model::Session*> find_session(const model::Principal& who, const std::string& id, Unit& unit);
    base::Result<void> acknowledge(ports::Acknowledge& command, Unit& unit);
    base::Result<void> heartbeat(ports::Heartbeat& command, Unit& unit);
    base::Result<std::int64_t> acknowledge_pull(const base::Uuid& pull_id, model::Session& session,
                                                const rules::HoldProof& proof, Unit& unit);
    base::Result<bool> acknowledge_one(model::Notification& row, rules::Voice voice, const std::string& by, Unit& unit);
    base::Result<void> lock(std::vector<model::Notification>& handed, const ports::PullNotifications& command,
                            model::Session& session, ports::PullReply& reply, Unit& unit);

    SessionBook& sessions_;
    Notify& notify_;
    Ledger& ledger_;
    UserMessages& user_messages_;
    ContextValues& context_values_;
    std::uint64_t handed_over_ = 0;
    std::uint64_t acknowledged_ = 0;
};

}  // namespace belfry::engine
