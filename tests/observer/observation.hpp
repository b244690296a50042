#pragma once

#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "observation_devices.hpp"
#include "observation_intake.hpp"
#include "observation_parts.hpp"

// The vocabulary of the observer: everything that a party outside of Belfry sees. A user sees interfaces and sinks, a
// model sees pulls, a caller sees answers. Nothing here is a row, a holder or a state of the engine, and nothing here
// includes a header of src/.
//
// A world (the simulator, or world.py against the real binary) records observations and gives them to the Checker in
// rising `order`. The rules for a world:
//
// - Marks. Every emission, every narration and every posted message has a text of its own that contains a unique mark,
//   `#` letter digits `#` (`#m12#` emission, `#s7#` narration or other speech of an agent, `#u3#` message of a user,
//   `#a1#` agent that Belfry runs, `#k5#` run or question under an idempotency key).
//   The checker recognises content by its marks. A narration does not repeat the mark of the notification.
// - Tools. Every call of a tool has a tool name of its own (`mail_17`), so that an item that names the tool names the
// call.
// - Calls. `began` is the order at which the request left, `order` the order at which the answer arrived. Two calls
// whose
//   spans overlap may have taken effect in either order. A call without an answer has status 0 and counts as "perhaps".
// - Ids are the ids on the wire. `user`, `session`, `agent` are the names that the caller used; an empty text means
// none.
namespace observer {

// ---- requests that make something -----------------------------------------------------------------------------------

// A caller asked for a notification: POST /v1/notifications or /v1/notify/{topic}.
struct Emitted {
    std::string caller = {};  // the token's name; retries of one request are observations of their own
    std::string role = {};    // emitter, agent, user, service, admin
    std::string user = {};
    std::string session = {};
    std::string agent = {};  // agent_id, for notifications to one agent
    Routing routing = {};
    std::string mark = {};
    std::string text = {};
    std::string priority = "normal";
    std::string deduplication_key = {};
    std::optional<std::int64_t> lease = {};  // the lease that the caller wrote into the request
    std::string idempotency_key = {};
    std::string caused_by = {};
    std::int64_t ttl_ms = 0;  // 0: the default of 300 s
    Answer answer = {};
    std::string id = {};  // of the answer
    std::int64_t version = 0;
};

// A caller emitted an event: POST /v1/events.
struct EventEmitted {
    std::string caller = {};
    std::string role = {};
    std::string type = {};
    std::string source = {};
    std::string severity = {};
    std::string user = {};
    std::string session = {};
    std::string mark = {};  // stands in the payload
    std::string idempotency_key = {};
    // The public documents say to which channel this event must come: "inbox" (unmatched error), "agent" (a subscriber
    // makes passive context of it), "" (nobody needs to see it).
    std::string expect = {};
    Answer answer = {};
    std::string id = {};
};

// A message in a session: POST /v1/sessions/{id}/messages. Role "user" is to be delivered to the agent, role
// "assistant" is the agent's own speech in that session.
struct MessagePosted {
    std::string caller = {};
    std::string user = {};
    std::string session = {};
    std::string role = {};
    std::string mark = {};
    std::string text = {};
    Answer answer = {};
    std::string id = {};
    // How the caller spoke: http (or empty), rpc (client/user_message), cli (belfry send), alias
    // (kaiak/client/user_message).
    std::string way = {};
};

struct SessionMade {
    std::string session = {};
    std::string user = {};
    Answer answer = {};
};

struct SessionDeleted {
    std::string session = {};
    std::string user = {};
    Answer answer = {};
};

struct UserErased {
    std::string user = {};
    Answer answer = {};
};

// An agent that Belfry runs itself (`workflow` script or model) or that a worker runs (`worker`).
struct AgentMade {
    std::string agent = {};
    std::string user = {};
    std::string workflow = {};
    std::string mark = {};  // stands in every text that this agent says by notify_user
    bool tells = false;     // the script or the model calls notify_user once in each run
    // The notify_user text of the agent contains the text of every notification that the run was given.
    bool repeats_given = false;
    Answer answer = {};
};

// ---- a user's side --------------------------------------------------------------------------------------------------

// An interface asked for GET /v1/inbox/live and was answered.
struct Connected {
    std::string connection = {};  // unique in the whole world
    std::string user = {};
    std::string transport = {};  // sse, websocket, simulated
    Answer answer = {};          // 200 or 101
};

struct Disconnected {
    std::string connection = {};
    bool by_daemon = false;  // the daemon closed, crashed or was killed
};

// A frame {"type":"notification"} arrived at an interface.
struct Shown {
    std::string connection = {};
    std::string user = {};  // of the connection
    std::string id = {};
    std::int64_t lease = 0;
    std::int64_t version = 0;
    std::string session = {};
    std::string channel = {};  // inbox, conversation
    Routing routing = {};      // as the frame says
    bool narration = false;
    std::string text = {};
    std::string content = {};
    std::string state = {};
    std::string created_at = {};  // `timestamp` of the frame
};

// The line `caught_up`.
struct CaughtUp {
    std::string connection = {};
    std::int64_t waiting = 0;
};

// A frame {"type":"notification_state"}: another device acknowledged it, or it ended.
struct StateShown {
    std::string connection = {};
    std::string id = {};
    std::string state = {};
};

// An interface acknowledged (WebSocket frame or POST /v1/notifications/{id}/ack). For a WebSocket the answer is the
// `ack_result`: status "delivered" is recorded as 200, every other one as 409 with the reason.
struct Acked {
    std::string connection = {};  // empty: over HTTP without a connection
    std::string user = {};
    std::string id = {};
    std::optional<std::int64_t> lease = {};
    std::optional<std::int64_t> version = {};
    Answer answer = {};
};

struct MarkedRead {
    std::string user = {};
    std::string id = {};
    std::string mark = {};  // seen, acted, dismissed
    Answer answer = {};
};

// From now on a sink rings for this user, whatever the priority.
struct SinkMade {
    std::string sink = {};
    std::string user = {};
};

// A sink's call reached its destination (a command ran, a webhook was called).
struct Rang {
    std::string sink = {};
    std::string user = {};
    std::string id = {};
    std::int64_t version = 0;
    std::int64_t lease = 0;
    std::string text = {};
};

// An item of GET /v1/inbox at the end of the world.
struct Listed {
    std::string user = {};
    std::string id = {};
    std::string text = {};
    std::string state = {};
    bool unread = false;
};

// ---- an agent's side ------------------------------------------------------------------------------------------------

struct PulledItem {
    std::string handle = {};
    std::string id = {};
    std::int64_t lease = 0;
    std::int64_t version = 0;
    bool again = false;
    bool needs_answer = false;
    std::optional<bool> must_tell = {};
    std::string text = {};
    std::string content = {};
    // The part of the prompt text that belongs to this item says that the user must be told.
    std::optional<bool> prompt_must_tell = {};
    std::vector<std::string> stands_for = {};  // of a summary: the ids or handles of the notifications in it
};

struct SeenFact {
    std::string id = {};  // of the notification, where the answer has it
    std::int64_t version = 0;
    std::string status = {};  // seen, shown, shown_escalated, as the line's label says
    std::string text = {};
};

struct PulledMessage {
    std::string id = {};
    std::string text = {};
};

// A runtime pulled at an injection point.
struct Pulled {
    std::string runtime = {};  // unique for each process that runs an agent
    std::string token = {};    // name of the token; several runtimes may share one
    std::string user = {};
    std::string session = {};
    std::string point = {};
    std::int64_t budget_tokens = 0;  // 0: the default
    std::int64_t lease_ms = 0;       // 0: the default of 900 s
    std::string named_pull = {};     // `pull_id` or `acknowledge` of the request
    Answer answer = {};
    std::string pull_id = {};
    std::vector<PulledItem> items = {};
    std::vector<SeenFact> seen = {};
    std::int64_t facts_left = 0;  // the number of the line "… and 12 more, told in later turns"
    std::string digest = {};
    std::vector<PulledMessage> user_messages = {};
    std::int64_t waiting = 0;
    std::string prompt = {};  // `text` of the answer
    // The runtime received the answer and gave it to its model. False: the answer arrived and the runtime died, or lost
    // it.
    bool used = true;
};

struct TurnStarted {
    std::string runtime = {};
    std::string token = {};
    std::string session = {};
    Answer answer = {};
};

struct TurnEnded {
    std::string runtime = {};
    std::string token = {};
    std::string session = {};
    std::string pull_id = {};
    std::vector<ItemName> leases = {};
    std::vector<ItemName> acknowledged = {};
    bool only_named = false;
    Answer answer = {};
    std::vector<std::string> untold = {};  // of the answer
    std::vector<std::string> stale = {};   // of the answer: handles that another runtime holds, left as they are
};

// POST /v1/sessions/{id}/acknowledge, or `acknowledge` of a pull.
struct Acknowledged {
    std::string runtime = {};
    std::string token = {};
    std::string session = {};
    std::string pull_id = {};
    std::vector<ItemName> items = {};
    Answer answer = {};
    std::vector<std::string> untold = {};  // of the answer
};

struct Narrated {
    std::string runtime = {};
    std::string token = {};
    std::string session = {};
    ItemName item = {};
    std::string pull_id = {};
    std::string mark = {};
    std::string text = {};
    Answer answer = {};
};

struct Heartbeat {
    std::string runtime = {};
    std::string token = {};
    std::string session = {};
    std::string pull_id = {};
    std::vector<ItemName> leases = {};
    Answer answer = {};
    std::int64_t renewed = 0;
};

// A call of a tool in a turn: reported by a runtime, or carried out by Belfry (POST /v1/wakes/{id}/call, a script's
// step).
struct ToolCalled {
    std::string runtime = {};
    std::string token = {};
    std::string user = {};
    std::string session = {};  // empty: a wake without a session
    std::string tool = {};
    bool external = true;     // as registered by the operator; a tool that nobody registered is external
    std::string status = {};  // pending, success, failure, timeout
    bool by_belfry = false;
    std::vector<ItemName> handling = {};
    std::string pull_id = {};
    Answer answer = {};
};

// A follower of the stream agent:<user> asked for it and was answered.
struct FollowedAgent {
    std::string follower = {};
    std::string user = {};
    Answer answer = {};
};

// The follower was told that a turn is wanted.
struct TurnRequested {
    std::string follower = {};
    std::string user = {};
    std::string session = {};
    std::string agent = {};
    std::string id = {};  // of the notification
    std::string reason = {};
};

struct Unfollowed {
    std::string follower = {};
};

// ---- the end and the environment ------------------------------------------------------------------------------------

// GET /v1/why/{id}: the last state and the reason of the last step.
struct WhySaid {
    std::string id = {};
    std::string user = {};
    std::string state = {};  // pending, dispatched, locked, escalated, delivered, failed
    std::string reason =
        {};  // acknowledged, narrated, vetoed, silence, nobody_there, expired_unseen, dropped, erased, …
    std::vector<std::string> reasons = {};  // of every step, in order
    std::string text = {};
    std::int64_t version = 0;
};

// The conversation of a session at the end of the world: the marks of its messages and system messages, in reading
// order.
struct HistoryRead {
    std::string session = {};
    std::vector<std::string> marks = {};
};

struct Crashed {
    std::string node = {};
};

struct Restarted {
    std::string node = {};
};

struct ClockStepped {
    std::int64_t by_ms = 0;
};

// From here on the world makes nothing new: interfaces that acknowledge everything are connected, and all TTLs and
// leases run out. Invariants of the form "sooner or later" count only in a world that became quiet.
struct Quiet {};

using Body =
    std::variant<Emitted, EventEmitted, MessagePosted, SessionMade, SessionDeleted, UserErased, AgentMade, Connected,
                 Disconnected, Shown, CaughtUp, StateShown, Acked, MarkedRead, SinkMade, Rang, Listed, Pulled,
                 TurnStarted, TurnEnded, Acknowledged, Narrated, Heartbeat, ToolCalled, FollowedAgent, TurnRequested,
                 Unfollowed, WhySaid, HistoryRead, Crashed, Restarted, ClockStepped, Quiet, RecordRead, SubscriberMade,
                 SubscriberSwitched, SettingsRead, ParameterSent, KeySent, RecordsCounted, TimeSent, DevStarted,
                 DevListed, Links, DevicesMet, DeviceClock, Stalled, DigestsRead, AgentDestroyed, AgentRead, AgentWoken,
                 TimerMade, TimerRead, TimerAwaited, Granted, GrantEnded, OperationRead, TaskRead, InboxRead,
                 ElementAdded, ElementRemoved, ElementsRead, ValueWritten, ValueRead, MergesRead, SummarizerSet,
                 Remembered, ContextGiven, SummariesRead, FoldsRead, ItemTold, BoundTokenMade, BoundCall, SaidToAgent>;

struct Observation {
    std::uint64_t order = 0;  // rises by at least one with every observation
    std::uint64_t began = 0;  // of a call: the order when the request left; else 0, which means: as `order`
    std::int64_t at_ms = 0;   // the observer's own steady clock, which never steps; of a call: when the answer arrived
    std::int64_t began_ms = -1;  // of a call: when the request left; else -1, which means: as `at_ms`
    std::string actor = {};      // the party that saw it, for messages to people
    Body body;

    std::uint64_t start() const { return began == 0 ? order : began; }
    std::int64_t start_ms() const { return began_ms < 0 ? at_ms : began_ms; }
};

// The names of the alternatives of Body on the wire, in the order of the variant.
inline constexpr std::string_view kind_names[] = {
    "emitted",         "event_emitted",  "message_posted",  "session_made",
    "session_deleted", "user_erased",    "agent_made",      "connected",
    "disconnected",    "shown",          "caught_up",       "state_shown",
    "acked",           "marked_read",    "sink_made",       "rang",
    "listed",          "pulled",         "turn_started",    "turn_ended",
    "acknowledged",    "narrated",       "heartbeat",       "tool_called",
    "followed_agent",  "turn_requested", "unfollowed",      "why_said",
    "history_read",    "crashed",        "restarted",       "clock_stepped",
    "quiet",           "record_read",    "subscriber_made", "subscriber_switched",
    "settings_read",   "parameter_sent", "key_sent",        "records_counted",
    "time_sent",       "dev_started",    "dev_listed",      "links",
    "devices_met",     "device_clock",   "stalled",         "digests_read",
    "agent_destroyed", "agent_read",     "agent_woken",     "timer_made",
    "timer_read",      "timer_awaited",  "granted",         "grant_ended",
    "operation_read",  "task_read",      "inbox_read",      "element_added",
    "element_removed", "elements_read",  "value_written",   "value_read",
    "merges_read",     "summarizer_set", "remembered",      "context_given",
    "summaries_read",  "folds_read",     "item_told",       "bound_token_made",
    "bound_call",      "said_to_agent"};
static_assert(std::size(kind_names) == std::variant_size_v<Body>);

inline std::string_view kind_name(const Observation& seen) {
    return kind_names[seen.body.index()];
}

}  // namespace observer
