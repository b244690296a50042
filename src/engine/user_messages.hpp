#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "engine/capability.hpp"
#include "engine/session_book.hpp"
#include "model/session.hpp"
#include "ports/commands/notifications.hpp"

namespace belfry::engine {

// What a person says to an agent: a message of the session that waits until the agent was handed it, at whatever point
// of its turn, and has confirmed it. Where no turn is under way, one is asked for. Keeps nothing.
class UserMessages {
public:
    explicit UserMessages(SessionBook& sessions) : sessions_(sessions) {}

    // Adds a message of the person's at the head of the conversation and lets it wait; id, node, ordinal and time are
    // given here, the id before `describe` is asked for the metadata. The inner result is `overloaded` where too many
    // wait.
    using Describe = std::function<model::RawJson(const model::MessageId& id)>;
    base::Result<base::Result<model::SessionMessage>> add(model::Session& session, std::string content,
                                                          const Describe& describe, Unit& unit);

    // Puts what is due into a hand-over that has its id.
    base::Result<void> hand_over(ports::PullReply& reply, const model::Session& session, base::Duration lease,
                                 Unit& unit);
    // What was handed over with this pull, or with any, has arrived. How many those are.
    base::Result<std::int64_t> confirm(const std::string& session_id, const std::optional<base::Uuid>& pull_id,
                                       Unit& unit);
    // The agent begins anew: what it did not confirm is due again.
    base::Result<void> let_go(const std::string& session_id, Unit& unit);
    base::Result<void> renew(const std::string& session_id, base::Duration lease, Unit& unit);
    // A turn has ended: what came too late for it asks for the next one.
    base::Result<void> after_turn(const model::Session& session, Unit& unit);

private:
    base::Result<void> request_turn(const model::Session& session, const model::MessageId& id, Unit& unit);

    SessionBook& sessions_;
};

}  // namespace belfry::engine
