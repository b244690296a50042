#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/limits.hpp"
#include "base/time.hpp"
#include "base/uuid.hpp"
#include "model/raw_json.hpp"

namespace belfry::model {

using NodeId = base::Id<struct NodeTag>;
using MessageId = base::Id<struct MessageTag>;

// What an agent may use up in a session before it is warned and told. Zero: no limit.
struct Budget {
    std::int64_t tokens = 0;
    std::int64_t iterations = 0;
    std::int64_t timeout_s = 0;
    std::int64_t context_tokens = 0;  // the size of its model's window

    bool operator==(const Budget&) const = default;
};

// One call of a tool, as the loop detector remembers it.
struct Action {
    std::string name;       // the tool's
    std::string signature;  // name and a short hash of the arguments: the same text means the same action
    std::string call_id;
    base::Timestamp at;

    bool operator==(const Action&) const = default;
};

// A pull of a session, and the chain of pulls that it belongs to. A runtime that names the pull before by `pull_id` or
// `acknowledge` continues its chain (`is_named`). Any other pull inside a turn is only assumed to continue it.
struct PullLink {
    base::Uuid pull;
    base::Uuid chain;  // the first pull of the chain
    bool is_named = false;
    bool is_empty = false;   // it returned no item, no words and no facts
    bool has_words = false;  // it returned words of the user that were not confirmed yet
    std::string by;          // the caller's principal; empty: linked by a version that did not record it
    bool is_guest = false;   // the caller was a guest of the session (`rules::is_guest`)
    // Of a guest's latest pull: its injection point, as long as the guest has reported nothing since.
    std::optional<std::int64_t> open_point = {};
    std::vector<std::string> agents = {};  // those that the caller works for; empty: each agent

    bool operator==(const PullLink&) const = default;
};

// The latest assistant message of a principal in its turn, and the newest pull of the session before it. The message
// tells what the pulls of this principal up to then have returned.
struct Spoken {
    std::string by;
    base::Uuid after;
    bool is_guest = false;  // as in `PullLink`

    bool operator==(const Spoken&) const = default;
};

// A notification for an agent's decision that ended in a turn of a principal.
struct Decided {
    std::string by;
    base::Uuid id;

    bool operator==(const Decided&) const = default;
};

// How far the agent is with its budget, and what it was told already. A report of turn 1 begins it anew.
struct Progress {
    std::int64_t turn = 0;
    bool in_turn = false;      // its start was reported and its end was not yet
    bool turn_pulled = false;  // it was handed over to at its start: another such pull begins the turn anew
    base::Duration lease = base::limits::lease_default;  // how long its agent asked to hold what it is handed
    std::int64_t tokens_used = 0;
    std::int64_t context_used = 0;
    std::optional<base::Timestamp> counting_since;
    bool told_tokens_warning = false;
    bool told_tokens_exceeded = false;
    bool told_iterations_warning = false;
    bool told_iterations_exceeded = false;
    bool told_timeout = false;
    bool told_context = false;
    std::vector<Action> actions;  // of the last while, oldest first
    std::string loop_pattern;     // the circles that were told of late, as short hashes
    std::optional<base::Timestamp> loop_told_at;
    // The pull that told facts to the agent and was not confirmed yet. Confirming it sets the session's `aware_no` to
    // `aware_next`, and `digest_no` to `digest_next`.
    std::optional<base::Uuid> aware_pull;
    std::optional<std::int64_t> aware_next;
    std::optional<std::int64_t> digest_next;
    std::int64_t digest_no = 0;  // the number of the last fact that a digest has counted
    // Its last hand-over and where that was, as long as nothing was reported since.
    std::optional<base::Uuid> open_pull;
    std::int64_t open_point = 0;
    bool has_named = false;  // in this turn its runtime has said which hand-over it has
    std::vector<base::Uuid>
        unnamed;                  // hand-overs of this turn that held notifications and were not named, oldest first
    std::vector<PullLink> pulls;  // the latest pulls, oldest first: `pull_id` proves that its caller holds their items
    std::vector<Spoken> spoken;   // one for each principal that has posted in its turn, the latest last
    std::int64_t answered_through = 0;       // ordinal of the session's last assistant message; 0: there is none
    std::vector<std::string> effect_calls;   // the latest calls of EXTERNAL tools that the user is told of, by call id
    std::vector<base::Uuid> decided;         // notifications for the agent's decision that ended in this turn
    std::vector<Decided> decided_by_guests;  // the same of turns of guests (`rules::is_guest`), oldest first
    std::vector<std::string> named_by_guests;  // guests that have said in their turn which pull they have, oldest first
    std::optional<base::Timestamp> heard_at;   // its agent has reported, pulled or sent a heartbeat
    bool turn_asked = false;                   // for words that wait, and nothing was heard since
    std::string turn_by;                       // the principal that began the running turn; empty: none runs
    std::vector<std::string> turn_agents;      // those that this principal works for; empty: each agent
    std::string guest_agent;  // the agent of the guest that began the last turn: woken in a session of nobody
    // Where this turn's output begins, and the ordinals that were left free before it for alerts that come meanwhile.
    std::optional<base::Uuid> output_node;
    std::int64_t alert_next = 0;
    std::int64_t alert_end = 0;

    bool operator==(const Progress&) const = default;
};

// A conversation of a user: a tree of context nodes with messages.
struct Session {
    std::string id;
    std::string user_id;
    bool user_is_default = false;  // nobody has named its user yet
    std::string agent_id;
    std::string title;
    RawJson metadata;
    Budget budget;
    Progress progress;
    NodeId head;                            // where the next message goes
    std::int64_t head_system_messages = 0;  // that the head holds
    std::int64_t next_handle = 1;
    std::int64_t next_message = 1;   // ordinal
    std::int64_t turns_started = 0;  // in all, whatever number they were given
    std::optional<base::Timestamp> last_turn_started_at;
    std::optional<base::Timestamp> last_turn_ended_at;
    std::optional<std::int64_t> aware_no;           // the number of the last fact that its agent was told
    std::optional<base::Timestamp> timeout_due_at;  // when the agent is to be warned of its timeout
    std::optional<base::Timestamp> deleted_at;      // it is gone; its name is not given again
    base::Timestamp created_at;
    base::Timestamp updated_at;
};

enum class MessageRole : std::uint8_t { user, assistant, tool, system };
std::string_view message_role_name(MessageRole role);
std::optional<MessageRole> parse_message_role(std::string_view name);

struct SessionMessage {
    MessageId id;
    NodeId node;
    std::string session_id;
    std::int64_t ordinal = 0;  // rises inside the session, together with that of system messages
    MessageRole role = MessageRole::user;
    std::string content;
    RawJson metadata;
    base::Timestamp created_at;
};

// A notification's quiet record in the conversation. Stored with its node, as JSON.
struct SystemMessage {
    MessageId id;
    std::int64_t ordinal = 0;
    std::string source;  // `Tool Executor`
    std::string content;
    std::string text;
    base::Timestamp timestamp;
    std::string severity;
    base::Uuid notification_id;
};
// `{"id":…,"role":"system","source":…,"content":…,…}`, appended.
void append_system_message_json(std::string& out, const SystemMessage& message);
// An array of such with new words in the message of this notification: id, ordinal, source and time stay. Without
// words, that one is left out.
struct NewWords {
    std::string_view content;
    std::string_view text;
    std::string_view severity;
};
RawJson with_words(const RawJson& messages, const base::Uuid& notification_id, const std::optional<NewWords>& words);

struct ContextNode {
    NodeId id;
    std::string session_id;
    std::optional<NodeId> parent;  // nothing: a root
    base::Timestamp created_at;
    RawJson system_messages = RawJson::trusted("[]");
};

// Something that an agent asked to be reminded of in a later turn, or when its context fills up.
struct Reminder {
    base::Uuid id;
    std::string session_id;
    std::string user_id;
    std::int64_t due_turn = 0;  // 0: not by turns
    double context_above = 0;   // share of the window, 0: not by it
    RawJson payload;            // of the event that it becomes
    base::Timestamp created_at;
};

// What a person has chosen for himself.
struct UserSettings {
    std::string user_id;
    std::vector<std::string> disabled_subscribers;
};

}  // namespace belfry::model
