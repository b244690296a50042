#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/capability.hpp"
#include "model/session.hpp"

namespace belfry::engine {

// Whether somebody who has no part in its user may still say whose it is: he is a guess, and nothing was said or begun
// in it that would be laid open.
[[nodiscard]] inline bool may_become_anothers(const model::Session& session) {
    return session.user_is_default && session.next_message == 1 && session.turns_started == 0 &&
           !session.last_turn_started_at;
}

// Whether this session is another user's, and stays so.
[[nodiscard]] inline bool is_anothers(const model::Session& session, std::string_view user_id) {
    return session.user_id != user_id && !may_become_anothers(session);
}

// Something that an agent has to begin a turn for: a notification that is its to say, or what its person said.
struct TurnWish {
    enum class Cause : std::uint8_t { notification, user_input };
    Cause cause = Cause::notification;
    base::Uuid id;  // of the notification, or of the message
    std::string user_id;
    std::string session_id;  // empty: none
    std::string agent_id;    // empty: the session's
    std::int64_t depth = 0;  // in a chain of what agents do
};

// A message of the user that an agent was just handed.
struct SaidWords {
    base::Uuid id;  // of the message
    std::string user_id;
    std::string session_id;
    std::string agent_id;  // empty: none
    std::string content;
};

// The sessions that one transaction touches: read when they are needed, in bulk where that is known beforehand, and
// written once at its end. Nothing is kept beyond the transaction.
class SessionBook {
public:
    base::Result<void> load(std::span<const std::string> ids, Unit& unit);

    // The session as this transaction sees it, or null. Valid until `clear`.
    base::Result<model::Session*> find(const std::string& id, Unit& unit);
    // The session, made with its root node where there is none: then of this user, who is a guess if `is_default`.
    base::Result<model::Session*> find_or_make(const std::string& id, const std::string& user_id, bool is_default,
                                               Unit& unit);
    // It was changed and is to be written.
    void touch(const model::Session& session);

    // Opens a node below `parent` and makes it the head.
    base::Result<void> open_node(model::Session& session, const std::optional<model::NodeId>& parent, Unit& unit);
    // Records a notification in the conversation, at its head: after all that is there, or before what the agent has
    // said in its turn so far, as long as that began in the same node and the places left before it last. Id and
    // ordinal are given here.
    enum class Standing : std::uint8_t { here, before_output };
    base::Result<void> add(model::Session& session, model::SystemMessage message, Standing standing, Unit& unit);
    // New words in the record of a notification, which is looked for as far back as `since`; without words it is taken
    // away. False: there is none.
    base::Result<bool> rewrite(const model::Session& session, const model::NotificationId& id, base::Timestamp since,
                               const std::optional<model::NewWords>& words, Unit& unit);

    // The next message at its head, without words yet; `say` records it once it has them. The first one of an agent in
    // its turn leaves places free before it, for alerts that come before the turn has ended.
    model::SessionMessage new_message(model::Session& session, model::MessageRole role, Unit& unit);
    static base::Result<void> say(const model::Session& session, const model::SessionMessage& message, Unit& unit);

    // A turn is asked for in this transaction; whatever wakes agents looks at these when all else is decided.
    void wish_turn(TurnWish wish) { turn_wishes_.push_back(std::move(wish)); }
    [[nodiscard]] std::vector<TurnWish> take_turn_wishes() { return std::exchange(turn_wishes_, {}); }

    // Likewise for what people say: it becomes part of what their agents remember.
    void note_words(SaidWords words) { words_.push_back(std::move(words)); }
    [[nodiscard]] std::vector<SaidWords> take_words() { return std::exchange(words_, {}); }

    base::Result<void> flush(Unit& unit);
    // What the store holds of the sessions that were looked for; to be called after `flush`.
    base::Result<void> read_again(Unit& unit);
    void clear();

private:
    struct Entry {
        std::optional<model::Session> session;  // nothing: looked for, not there
        bool touched = false;
    };
    static void begin_output(model::Session& session);

    std::unordered_map<std::string, Entry> entries_;
    std::vector<TurnWish> turn_wishes_;
    std::vector<SaidWords> words_;
    std::map<model::NodeId, std::string> system_messages_;  // to be appended, by node
};

}  // namespace belfry::engine
