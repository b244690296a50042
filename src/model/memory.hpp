#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/memory_limits.hpp"
#include "base/time.hpp"
#include "base/uuid.hpp"
#include "model/agent.hpp"
#include "model/agent_message.hpp"
#include "model/memory_settings.hpp"
#include "model/raw_json.hpp"

// How an agent's memory is kept inside the window of its model. Messages are hot while they stand in the context as
// they are; folded into a summary they are warm; folded once more, cold. Nothing of it is taken away by that: a summary
// names its span, and the span opens again.
namespace belfry::model {

// What of an agent's life is carried on from summary to summary, as long as it holds.
enum class MemoryMark : std::uint8_t { goal, decision, open_loop };
std::string_view memory_mark_name(MemoryMark mark);
std::optional<MemoryMark> parse_memory_mark(std::string_view name);

struct MemoryItem {
    std::string text;
    base::Uuid message_id;              // where it was said first
    Summarizer by = Summarizer::rules;  // who has found it: what was marked goes before what a model makes of words
    // When it was said last. What is open and what is closed is decided by this, in whatever order summaries are read.
    base::Timestamp at = {};

    bool operator==(const MemoryItem&) const = default;
};

// Something that went wrong, or that a tool has changed: how often, and where it was seen last.
struct MemoryEvent {
    std::string what;  // `create_task: out_of_scope`; `create_task`
    std::int64_t times = 1;
    base::Uuid message_id;

    bool operator==(const MemoryEvent&) const = default;
};

// The content of a summary. Lists are in the order of their coming.
struct MemorySummary {
    Summarizer by = Summarizer::rules;
    std::string text;
    std::vector<MemoryItem> goals;
    std::vector<MemoryItem> decisions;
    std::vector<MemoryItem> open_loops;
    // Loops and goals that were closed here, wherever they were opened: what they say, as it was said; of a question
    // that was answered here and asked before, the id of the message that asks it. Each with the message that closes
    // it.
    std::vector<MemoryItem> closed_loops;
    std::vector<MemoryEvent> errors;
    std::vector<MemoryEvent> effects;
    std::map<std::string, std::int64_t> counts;  // raw messages of each kind, by its name
    std::int64_t left_out = 0;                   // items that had no room; the messages still have them
    base::Timestamp from;                        // of the first and of the last raw message
    base::Timestamp to;

    bool operator==(const MemorySummary&) const = default;
    [[nodiscard]] std::int64_t messages() const;  // the sum of the counts
};

void append_memory_summary(JsonWriter& writer, const MemorySummary& summary);
// Nothing where it is not one: summaries of workers have any content that they like. What was stored before items had a
// time has that of the summary's end, and a closed loop that is a text alone has no message.
[[nodiscard]] std::optional<MemorySummary> memory_summary_of(JsonView json);

// A thread as its compaction sees it; one row, written with each message.
struct AgentThread {
    std::string thread_id;
    std::string agent_id;
    std::string user_id;
    std::int64_t messages = 0;        // raw ones, ever
    std::int64_t folded_through = 0;  // position of the last raw message that a summary covers; 0: none
    std::int64_t hot_messages = 0;    // raw ones after that
    std::int64_t hot_tokens = 0;
    base::Timestamp last_at;  // of its newest raw message
    bool is_closed = false;   // nothing more comes; what is hot is folded whole

    bool operator==(const AgentThread&) const = default;
};

// A summary's place: which span it covers, and what has folded it in turn. Positions are those of what it covers: raw
// messages at depth 1, summaries above.
struct SummaryPlace {
    base::Uuid message_id;
    std::int64_t position = 0;  // its own
    std::string agent_id;
    std::string thread_id;
    std::int64_t depth = 1;
    std::int64_t start_position = 0;
    std::int64_t end_position = 0;
    std::int64_t tokens = 0;
    std::optional<base::Uuid> folded_into;

    bool operator==(const SummaryPlace&) const = default;
};

enum class FoldState : std::uint8_t { pending, running, done, failed_terminal };
std::string_view fold_state_name(FoldState state);
std::optional<FoldState> parse_fold_state(std::string_view name);

// Stored work: to fold a span into one summary. One of a thread is open at a time. Never leaves this device.
struct FoldJob {
    base::Uuid id;
    std::string agent_id;
    std::string user_id;
    std::string thread_id;  // where the summary is added: the span's own, or `<agent>:memory` from depth 2 on
    std::int64_t depth = 1;
    base::Uuid start_message_id;
    base::Uuid end_message_id;
    std::int64_t start_position = 0;
    std::int64_t end_position = 0;
    std::int64_t messages = 0;  // of the span
    FoldState state = FoldState::pending;
    std::int64_t attempts = 0;
    base::Timestamp next_attempt_at;
    std::optional<base::Timestamp> lease_until;  // of a running one
    Summarizer summarizer = Summarizer::rules;   // by which it is tried next, or was
    std::string last_error;                      // empty: none
    base::Timestamp created_at;
    base::Timestamp updated_at;
    std::optional<base::Uuid> summary_id;  // of one that is done

    bool operator==(const FoldJob&) const = default;
};

// Why an attempt has failed.
enum class FoldFault : std::uint8_t {
    passing,  // the model did not answer, or not in time
    refused,  // it refuses for budget or rate: rules are tried at once
    invalid,  // what it answered is no summary: empty, too long, not to be read
    lost,     // who was at it is gone
    stopped,  // the daemon stopped in mid-question: the attempt does not count
};

void append_fold_job(JsonWriter& writer, const FoldJob& job);

// Whether something stands in the context, and if not, why.
enum class MemoryFate : std::uint8_t {
    included,
    over_budget,  // the rest of the budget, or of limits::context_bytes_max, has no room for it
    over_count,   // more raw messages than hot_messages
    over_hot,     // more tokens of raw messages than hot_tokens
    no_content,   // there is nothing in it to tell
    told_raw,     // of a summary: its whole span stands there as it is
};
std::string_view memory_fate_name(MemoryFate fate);

// One candidate for the context and what became of it.
struct MemoryChoice {
    enum class Part : std::uint8_t { slots, carried, summary, message };
    Part part = Part::message;
    base::Uuid id;     // of the message or summary
    std::string what;  // of carried ones: `goal`, `decision`, `open_loop`
    std::int64_t tokens = 0;
    MemoryFate fate = MemoryFate::included;

    bool operator==(const MemoryChoice&) const = default;
};
std::string_view memory_part_name(MemoryChoice::Part part);

// A summary as it stands in the context.
struct RecalledSummary {
    base::Uuid id;
    std::string thread_id;
    std::int64_t depth = 1;
    base::Uuid start_message_id;
    base::Uuid end_message_id;
    MemorySummary summary;
    std::int64_t tokens = 0;  // of its words, as they are told

    bool operator==(const RecalledSummary&) const = default;
};

// What an agent is told of what it remembers, in this order: slots, what is carried on, summaries from the oldest to
// the newest, raw messages of the thread from the oldest to the newest.
struct AssembledMemory {
    std::string thread_id;
    std::int64_t budget_tokens = 0;
    std::int64_t reserved_tokens = 0;  // of the budget, for what is delivered to the agent beside its memory
    std::int64_t used_tokens = 0;      // of memory, reserved ones not counted
    std::string slots;                 // as text; empty: there are none, or no room
    std::vector<MemoryItem> goals;
    std::vector<MemoryItem> decisions;
    std::vector<MemoryItem> open_loops;
    std::vector<RecalledSummary> summaries;
    std::vector<AgentMessage> messages;  // the oldest first
    std::vector<MemoryChoice> choices;   // every candidate, in the order of the context
    std::int64_t left_out = 0;           // how many of the choices

    bool operator==(const AssembledMemory&) const = default;
};

// `{"thread_id":…,"budget_tokens":…,…}`; `choices` only where they are wanted.
void append_assembled_memory(JsonWriter& writer, const AssembledMemory& memory, bool with_choices);

// Words that were found in the whole of a memory.
struct RecalledMessage {
    AgentMessage message;
    std::string snippet;     // around the first of the words
    std::int64_t words = 0;  // how many of the words it has

    bool operator==(const RecalledMessage&) const = default;
};

}  // namespace belfry::model
