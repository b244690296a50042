#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "model/interaction.hpp"
#include "model/session.hpp"

namespace belfry::ports {

// Where what a person said is: with nobody, with one who has not confirmed it, or with its agent.
enum class WordsPlace : std::uint8_t { waiting, handed, taken };

// Messages of people that wait in their session until an agent was handed them.
class UserMessageTable {
public:
    virtual ~UserMessageTable() = default;
    // This message, which is there, waits from now on.
    virtual base::Result<void> wait(const model::MessageId& id) = 0;
    // How many wait in a session, handed over or not.
    virtual base::Result<std::int64_t> count(std::string_view session_id) = 0;
    // Nothing: there is no such message.
    virtual base::Result<std::optional<WordsPlace>> place(const model::MessageId& id, base::Timestamp now) = 0;
    // Those that wait and were not handed over, or so long ago that nobody can have got them; in their order, and none
    // after the one that fills limits::user_messages_pull_bytes_max.
    virtual base::Result<std::vector<model::SessionMessage>> due(std::string_view session_id, base::Timestamp now,
                                                                 std::size_t limit) = 0;
    // In which sessions some wait, by their name; after this one.
    virtual base::Result<std::vector<std::string>> sessions(std::string_view after, std::size_t limit) = 0;
    virtual base::Result<void> hand_over(std::span<const model::MessageId> ids, const base::Uuid& pull_id,
                                         base::Timestamp until) = 0;
    // What was handed over with this pull has arrived. How many those are.
    virtual base::Result<std::int64_t> confirm(std::string_view session_id, const base::Uuid& pull_id) = 0;
    // All that is under way in the session has arrived.
    virtual base::Result<void> confirm_held(std::string_view session_id, base::Timestamp now) = 0;
    // Nobody may have got what was handed over, with this pull or with any: it is due again at once.
    virtual base::Result<void> let_go(std::string_view session_id, const std::optional<base::Uuid>& pull_id) = 0;
    // Renews what is held at `now` by this pull, or by each pull, until then.
    virtual base::Result<void> renew(std::string_view session_id, const std::optional<base::Uuid>& pull_id,
                                     base::Timestamp now, base::Timestamp until) = 0;
};

class InteractionTable {
public:
    virtual ~InteractionTable() = default;
    // Inserts; the ordinal is given here.
    virtual base::Result<void> add(const model::Interaction& interaction) = 0;
    virtual base::Result<std::optional<model::Interaction>> find(const model::InteractionId& id) = 0;
    // Writes state, answer and end of one that is pending; false where it is not.
    virtual base::Result<bool> settle(const model::Interaction& interaction) = 0;
    virtual base::Result<std::int64_t> count_pending(std::string_view user_id, std::string_view session_id) = 0;
    // Pending ones, oldest first: of a user, and of a session where one is named.
    virtual base::Result<std::vector<model::Interaction>> pending(std::string_view user_id, std::string_view session_id,
                                                                  std::size_t limit) = 0;
    virtual base::Result<bool> is_always_allowed(std::string_view session_id, std::string_view tool_name) = 0;
    // Those by which this tool is allowed for good.
    virtual base::Result<std::vector<model::Interaction>> allowing(std::string_view session_id,
                                                                   std::string_view tool_name) = 0;
    virtual base::Result<void> take_back(const model::InteractionId& id) = 0;
    virtual base::Result<std::vector<model::Interaction>> overdue(base::Timestamp now, std::size_t limit) = 0;
    virtual base::Result<std::optional<base::Timestamp>> next_deadline() = 0;
    // What the person has allowed for good stays as long as its session.
    virtual base::Result<std::uint64_t> drop_ended(base::Timestamp older_than, std::size_t limit) = 0;
};

struct InteractionFilter {
    std::string user_id;  // empty fields do not narrow
    std::string session_id;
    std::optional<model::InteractionState> state;
    std::int64_t after = 0;  // ordinal
    std::size_t limit = 0;
    bool allowing = false;  // only those by which a tool is allowed for good
};

// Reading beside the engine.
class InteractionReading {
public:
    virtual ~InteractionReading() = default;
    virtual base::Result<std::optional<model::Interaction>> find(const model::InteractionId& id) = 0;
    // By ordinal.
    virtual base::Result<std::vector<model::Interaction>> list(const InteractionFilter& filter) = 0;
};

}  // namespace belfry::ports
