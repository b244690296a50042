#pragma once

#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/memory.hpp"

namespace belfry::rules {

using CountTokens = std::function<std::int64_t(std::string_view)>;

// What there is to choose from. All of it is bounded, however long the history is.
struct MemorySource {
    const model::Agent* agent = nullptr;
    const model::AgentState* state = nullptr;
    model::MemorySettings settings;
    // A claim may ask for fewer messages of the hot window. The others count for their marks only.
    std::int64_t messages_max = std::numeric_limits<std::int64_t>::max();
    std::string thread_id;
    std::int64_t reserved_tokens = 0;
    // Of the thread, the newest first, without summaries: as read_newest reads them.
    std::vector<model::AgentMessage> newest;
    // Contents of some of `newest` that lie apart. Their marks count. The context has those of the user's messages, of
    // actions, of observations (the input of a wake) and of results, as long as the budget has room.
    std::map<base::Uuid, model::RawJson> apart;
    std::int64_t summarized_through = 0;            // position of the thread's last message that a summary covers
    std::int64_t unread = 0;                        // messages without a summary that were not read, of all threads
    std::vector<model::RecalledSummary> summaries;  // those that nothing has folded, of all threads, in any order
    std::vector<std::int64_t> summary_positions;    // as many: where each stands
};

// Returns how many of the newest messages of a thread the caller reads into `newest`: the hot window, and behind it the
// messages that no summary covers yet, at most limits::unsummarized_read_max of them beyond the window.
// `messages_max` of a claim hides none of them. Sets `summarized_through` and `unread`. `settings` must be set.
[[nodiscard]] std::size_t count_to_read(MemorySource& source, const std::optional<model::AgentThread>& thread);

// One deterministic choice under one budget, in this order:
// - what is reserved;
// - slots;
// - retained items (open loops, goals, decisions, each from the newest, marked ones first), also of messages that no
//   summary covers yet: up to three quarters of what is left and never in the newest message's way;
// - the hot window: the newest raw messages as far as hot_tokens, hot_messages and messages_max go. The newest one is
//   there even if it alone is too much for hot_tokens, unless it breaks the budget. A message of the user or an action
//   whose content lies apart stands there without the content (left_out_note) if the whole message has no room;
// - messages beyond the hot window that no summary covers yet, from the newest on: up to half of what is left if there
//   are summaries, and after the summaries what is left then. A message that has no room is passed over. A message of
//   the user or an action that stands without its content gets the content here. Messages together have at most
//   limits::context_bytes_max;
// - summaries of the thread from the newest on, then those of other threads. A summary whose whole span stands in the
//   context raw, with all contents, is not told again. Its retained items stand with the others, not in `summaries`
//   once more;
// - contents of results that lie apart, from the newest on. Until then such a result stands there without its content.
[[nodiscard]] model::AssembledMemory assemble_memory(MemorySource source, const CountTokens& count);

// A summary as `MemorySource` takes it, from its place and its message. One that nobody can read has its text alone.
[[nodiscard]] model::RecalledSummary recalled_summary(const model::SummaryPlace& place,
                                                      const model::AgentMessage& message);

// As a model is told: slots, what is carried on and summaries in one text; empty where there is none.
[[nodiscard]] std::string memory_words_for_model(const model::AssembledMemory& memory);
// What one message or summary counts: its text as a model is told it.
[[nodiscard]] std::string told_message(const model::AgentMessage& message);
[[nodiscard]] std::string told_summary(const model::RecalledSummary& summary);

}  // namespace belfry::rules
