#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "observation_parts.hpp"

// Observations of paired devices: links and clocks, agents and timers on several devices, lists and values that two
// devices change, what workers are granted, and what memory, journal and inboxes say after the devices met.
//
// Rules for a world with devices:
//
// - `device` is the name of one daemon. Names of agents, sessions, records and elements are unique in the world.
// - Marks of devices: `#i4#` title that a plan gives to a task, `#n4#` text that a plan gives to notify_user, `#g2#`
//   goal, decision or open item, `#t9#` other message of an agent, `#o3#` text of a stranger, `#x1#` text that only a
//   model made up, `#v5#` value of a field, `#u7#` words of a user, `#r8#` reply of an agent.
// - Clocks run right (offset 0) unless a DeviceClock says otherwise.
namespace observer {

// ---- links, clocks and the machine ----------------------------------------------------------------------------------

// The state of all links from here until the next one of these.
struct Links {
    // up: every two of `devices` are connected and nothing is behind. cut: none of `devices` has a link. uncertain:
    // links are being cut or healed, or a daemon is down.
    std::string state = {};
    std::vector<std::string> devices = {};
};

// All links were up, and every device said that nothing is unsent, unreceived or missing. `is_settled` false: that did
// not come about in `waited_ms`.
struct DevicesMet {
    std::vector<std::string> devices = {};
    bool is_settled = false;
    std::int64_t waited_ms = 0;
};

// The wall clock of a device goes on so much ahead of the right time (below zero: behind it).
struct DeviceClock {
    std::string device = {};
    std::int64_t offset_ms = 0;
};

// The machine did not run its programs in time: from `began_ms` to `at_ms`.
struct Stalled {};

// GET /v1/sync/digest of several devices, after a time in which they could become equal.
struct DigestsRead {
    std::vector<std::string> devices = {};
    std::vector<std::string> digests = {};
    std::int64_t waited_ms = 0;
};

// ---- agents and timers ----------------------------------------------------------------------------------------------

// DELETE /v1/agents/{id}.
struct AgentDestroyed {
    std::string device = {};
    std::string agent = {};
    Answer answer = {};
};

// GET /v1/agents/{id}.
struct AgentRead {
    std::string device = {};
    std::string agent = {};
    std::string lifecycle = {};
    Answer answer = {};
};

// POST /v1/agents/{id}/wake. `state`: what became of the wake in some seconds; the wake of a destroyed agent ends as
// destroyed.
struct AgentWoken {
    std::string device = {};
    std::string agent = {};
    std::string state = {};
    Answer answer = {};
};

// A timer that repeats: from one firing to the next there are at most `period_ms`.
struct TimerMade {
    std::string device = {};
    std::string agent = {};
    std::string timer = {};  // its id
    std::int64_t period_ms = 0;
    Answer answer = {};
};

// A timer as a device shows it. `next_in_ms`: from the right time of the answer to next_run_at.
struct TimerRead {
    std::string device = {};
    std::string timer = {};
    bool is_active = false;
    bool has_next = false;
    std::int64_t next_in_ms = 0;
    Answer answer = {};
};

// A worker of this device waited so long for a firing of the timer, which was active, and none came.
struct TimerAwaited {
    std::string device = {};
    std::string timer = {};
    std::int64_t waited_ms = 0;
};

// A worker was granted a wake: POST /v1/wakes/claim.
struct Granted {
    std::string device = {};
    std::string agent = {};
    std::string reason = {};
    std::string run_key = {};
    std::vector<std::string> instants = {};  // of timers: TIMER@SCHEDULED_AT, one for each signal
};

// The worker ended the wake as completed.
struct GrantEnded {
    std::string device = {};
    std::string run_key = {};
    Answer answer = {};
};

// ---- what an operation did ------------------------------------------------------------------------------------------

// An action in an agent's memory, with its result: GET /v1/agents/{id}/messages.
struct OperationRead {
    std::string device = {};
    std::string agent = {};
    std::string operation = {};
    std::string tool = {};
    std::string mark = {};    // in its arguments
    std::string entity = {};  // the record that the result says it made; empty: none
    std::string status = {};  // of the result; empty: there is none
};

// A task of the journal that a plan made.
struct TaskRead {
    std::string device = {};
    std::string record = {};
    std::string mark = {};
};

// The marks of all items in a user's inbox on one device.
struct InboxRead {
    std::string device = {};
    std::string user = {};
    std::vector<std::string> marks = {};
    Answer answer = {};
};

// ---- lists and values -----------------------------------------------------------------------------------------------

// A device added one element to a list of a record, or removed it: blocks, pins, labels, items of a checklist.
struct ElementAdded {
    std::string device = {};
    std::string record = {};
    std::string list = {};
    std::string element = {};
    Answer answer = {};
};

struct ElementRemoved {
    std::string device = {};
    std::string record = {};
    std::string list = {};
    std::string element = {};
    Answer answer = {};
};

// The ids of a list, as a device shows them.
struct ElementsRead {
    std::string device = {};
    std::string record = {};
    std::string list = {};
    std::vector<std::string> elements = {};
    Answer answer = {};
};

// A device wrote a value with a mark into a field.
struct ValueWritten {
    std::string device = {};
    std::string record = {};
    std::string field = {};
    std::string mark = {};
    Answer answer = {};
};

struct ValueRead {
    std::string device = {};
    std::string record = {};
    std::string field = {};
    std::string mark = {};
    Answer answer = {};
};

// GET /v1/sync/merges, all pages.
struct MergesRead {
    std::string device = {};
    std::string text = {};
    Answer answer = {};
};

// ---- memory ---------------------------------------------------------------------------------------------------------

// An agent whose summaries are made so: rules, silent (a model that never answers), lying (a model whose summaries are
// not true).
struct SummarizerSet {
    std::string device = {};
    std::string agent = {};
    std::string how = {};
    Answer answer = {};
};

// A message of an agent was stored.
struct Remembered {
    std::string device = {};
    std::string agent = {};
    std::string thread = {};
    std::string message = {};       // its id
    std::string message_kind = {};  // user, thought, action, observation, tool_result
    std::string item = {};          // goal, decision, open_loop; empty: none
    std::string mark = {};
    std::int64_t bytes = 0;  // of its content
    Answer answer = {};
};

// Memory that an agent was given: by a claim, by GET /v1/agents/{id}/memory, or as the request to a model.
struct ContextGiven {
    std::string device = {};
    std::string agent = {};
    std::string thread = {};
    std::string way = {};  // claim, memory, model
    std::int64_t budget_tokens = 0;
    std::int64_t messages_max = 0;  // `context_messages` of the claim; 0: no such limit
    std::string text = {};
    Answer answer = {};
};

// The messages of an agent that stand in a summary.
struct SummariesRead {
    std::string device = {};
    std::string agent = {};
    std::vector<std::string> covered = {};
    Answer answer = {};
};

// Jobs of an agent's summaries that wait and were not begun.
struct FoldsRead {
    std::string device = {};
    std::string agent = {};
    std::vector<std::string> waiting = {};
    Answer answer = {};
};

// A goal, decision or open item in a context, and the message that it names, as the device shows it.
struct ItemTold {
    std::string device = {};
    std::string agent = {};
    std::string item = {};
    std::string text = {};
    std::string message = {};         // empty: it names none
    std::int64_t message_status = 0;  // of GET /v1/agents/{id}/messages/{message}
    std::string message_kind = {};
};

// ---- tokens and sessions --------------------------------------------------------------------------------------------

// A token of role agent that is bound to one agent of its user. Status 422: this Belfry has no such tokens.
struct BoundTokenMade {
    std::string token = {};
    std::string user = {};
    std::string agent = {};
    Answer answer = {};
};

// A call with such a token. `agent`: which agent the call names; empty: a list.
struct BoundCall {
    std::string token = {};
    std::string method = {};
    std::string path = {};
    std::string agent = {};
    Answer answer = {};
    std::string text = {};  // the body of the answer
};

// A user spoke to an agent in a session, and the agent replied.
struct SaidToAgent {
    std::string device = {};
    std::string user = {};
    std::string agent = {};
    std::string session = {};
    std::string way = {};  // ag_ui, wake, message
    std::string mark = {};
    std::string reply_mark = {};  // of the reply to these words; empty: none was seen
    Answer answer = {};
};

}  // namespace observer
