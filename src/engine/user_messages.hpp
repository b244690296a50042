#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/capability.hpp"
#include "engine/session_book.hpp"
#include "model/session.hpp"
#include "ports/commands/notifications.hpp"

namespace belfry::engine {

// What a person says to an agent: a message of the session that waits until the agent was handed it, at whatever point
// of its turn, and has confirmed it. Where no turn is under way, one is asked for; also where one was, and its agent is
// not heard of any more. Keeps when to look after which session.
class UserMessages final : public Capability {
public:
    explicit UserMessages(SessionBook& sessions) : sessions_(sessions) {}

    [[nodiscard]] std::vector<std::type_index> handles() const override { return {}; }
    base::Result<void> rebuild(Unit& unit) override;
    base::Result<void> apply(ports::Command& command, Unit& unit) override;
    void committed(Effects& effects) override;
    void dropped() override;
    [[nodiscard]] std::optional<base::Timestamp> next_due() const override;
    base::Result<void> tend(Unit& unit) override;

    // The session's agent is there: it has reported something, pulled or sent a heartbeat.
    void hear(model::Session& session, Unit& unit);

    // Adds a message of the person's at the head of the conversation and lets it wait; id, node, ordinal and time are
    // given here, the id before `describe` is asked for the metadata. The inner result is `overloaded` where too many
    // wait.
    using Describe = std::function<model::RawJson(const model::MessageId& id)>;
    base::Result<base::Result<model::SessionMessage>> add(model::Session& session, std::string content,
                                                          const Describe& describe, Unit& unit);

    // Puts what is due into a hand-over that has its id. The agent, if there is one, remembers the messages.
    base::Result<void> hand_over(ports::PullReply& reply, const model::Session& session, const std::string& agent_id,
                                 base::Duration lease, Unit& unit);
    // What was handed over with this pull has arrived. How many those are.
    base::Result<std::int64_t> confirm(const std::string& session_id, const base::Uuid& pull_id, Unit& unit);
    // All that is under way has arrived; not what is due again because its lease has run out.
    base::Result<void> confirm_held(const std::string& session_id, Unit& unit);
    // What was handed over with this pull, or with any, and was not confirmed is due again.
    base::Result<void> let_go(const std::string& session_id, const std::optional<base::Uuid>& pull_id, Unit& unit);
    // Holds the messages of this pull, or of each pull, for so long from now on.
    base::Result<void> renew(const std::string& session_id, const std::optional<base::Uuid>& pull_id,
                             base::Duration lease, Unit& unit);
    // A turn has ended: what came too late for it asks for the next one.
    base::Result<void> after_turn(model::Session& session, Unit& unit);

private:
    base::Result<void> request_turn(model::Session& session, const model::MessageId& id, Unit& unit);
    base::Result<void> look_after(const std::string& session_id, Unit& unit);
    void watch(const std::string& session_id, base::Timestamp at) { fresh_.emplace_back(at, session_id); }

    SessionBook& sessions_;
    // Sessions in which words wait without a turn having been asked for, each at the time of its next look. One may
    // stand there more than once, and after its words are gone.
    std::set<std::pair<base::Timestamp, std::string>> watched_;
    std::vector<std::pair<base::Timestamp, std::string>> fresh_;  // of this transaction
    std::size_t tended_ = 0;  // of `watched_`, from its beginning, that this transaction has looked after
};

}  // namespace belfry::engine
