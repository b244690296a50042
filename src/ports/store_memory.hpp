#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/memory_limits.hpp"
#include "base/result.hpp"
#include "base/summary_limits.hpp"
#include "model/memory.hpp"

// Threads, summaries, folding and words of what agents remember; the messages themselves are AgentMessageTable's.
namespace belfry::ports {

struct RecallFilter {
    std::string agent_id;
    std::vector<std::string> threads;  // only of these; empty: of all
    std::vector<std::string> words;    // each must be there, as rules::memory_words has them
    std::optional<model::AgentMessageKind> kind;
    std::optional<base::Timestamp> from;
    std::optional<base::Timestamp> before;
    std::size_t limit = 0;
};

// A summary as it is stored, and where it stands.
struct StoredSummary {
    model::SummaryPlace place;
    model::AgentMessage message;

    bool operator==(const StoredSummary&) const = default;
};

// Which threads are due for a summary, by the settings of their agent.
struct WaitingJobFilter {
    std::string agent_id;
    std::string but_thread_id;      // not of this thread
    base::Timestamp idle_since;     // a thread whose last message is not younger is due
    std::int64_t hot_messages = 0;  // a thread with more of them is due
    std::int64_t hot_tokens = 0;    // likewise
    std::size_t limit = 0;
};
// The jobs that a context of this agent has provisional summaries of, in a thread that is not one of them.
[[nodiscard]] inline WaitingJobFilter waiting_jobs_of(const model::Agent& agent, std::string thread_id,
                                                      base::Timestamp now) {
    return {agent.id,
            std::move(thread_id),
            now - base::limits::thread_idle_before_fold,
            agent.memory.hot_messages,
            agent.memory.hot_tokens,
            base::limits::provisional_threads_max};
}

// What both the engine and readers may ask. The newest of a thread and spans come without summaries where they say so.
class MemoryQuestions {
public:
    virtual ~MemoryQuestions() = default;
    virtual base::Result<std::optional<model::AgentThread>> thread(std::string_view thread_id) = 0;
    // Raw messages of a thread before a position, without content that lies apart: the newest first.
    virtual base::Result<std::vector<model::AgentMessage>> newest_raw(std::string_view thread_id, std::int64_t before,
                                                                      std::size_t limit) = 0;
    // Raw messages of a thread after a position and up to another one, the oldest first, with their whole content.
    virtual base::Result<std::vector<model::AgentMessage>> raw_span(std::string_view thread_id, std::int64_t after,
                                                                    std::int64_t through, std::size_t limit) = 0;
    virtual base::Result<std::optional<model::SummaryPlace>> summary(const base::Uuid& id) = 0;
    // Those that nothing has folded, of one agent, by depth from the deepest, then by position. Should there be more
    // than limits::summaries_read_max, those that are left out are the oldest of the lowest depths.
    virtual base::Result<std::vector<model::SummaryPlace>> unfolded(std::string_view agent_id) = 0;
    // The same with the summaries themselves, each whole, in one question: every context is made of them.
    virtual base::Result<std::vector<StoredSummary>> frontier(std::string_view agent_id) = 0;
    // The summaries that were folded into this one, by position.
    virtual base::Result<std::vector<model::SummaryPlace>> folded_into(const base::Uuid& id) = 0;
    virtual base::Result<std::optional<model::FoldJob>> job(const base::Uuid& id) = 0;
    // Jobs of depth 1 that are not done, of threads that are due for a summary (rules::is_fold_due). Jobs whose span a
    // summary covers already are left out. The thread that was spoken in last comes first.
    virtual base::Result<std::vector<model::FoldJob>> waiting_jobs(const WaitingJobFilter& filter) = 0;
    // Positions of messages that have all the words, the newest first, with the messages.
    virtual base::Result<std::vector<model::AgentMessage>> recall(const RecallFilter& filter) = 0;
};

// As the engine's thread writes it.
class MemoryTable {
public:
    virtual ~MemoryTable() = default;
    [[nodiscard]] virtual MemoryQuestions& questions() = 0;

    // Inserts or replaces.
    virtual base::Result<void> put_thread(const model::AgentThread& thread) = 0;
    // Threads with something hot that are closed, or whose last message is older than this; by that time, the closed
    // ones first. Without those that have a job already (open_job).
    virtual base::Result<std::vector<model::AgentThread>> idle_threads(base::Timestamp older_than,
                                                                       std::size_t limit) = 0;
    // The last message's time of the first one of those, however young it is; of a closed one 0.
    virtual base::Result<std::optional<base::Timestamp>> oldest_hot() = 0;
    // Threads of one agent with something hot, by the time of their last message.
    virtual base::Result<std::vector<model::AgentThread>> hot_threads(std::string_view agent_id, std::size_t limit) = 0;
    // Raw messages of a thread after a position, the oldest first, without content that lies apart.
    virtual base::Result<std::vector<model::AgentMessage>> raw_after(std::string_view thread_id, std::int64_t after,
                                                                     std::size_t limit) = 0;

    virtual base::Result<void> add_summary(const model::SummaryPlace& place) = 0;
    // Those of one agent and depth from one position up to another that nothing has folded.
    virtual base::Result<void> fold_summaries(std::string_view agent_id, std::int64_t depth, std::int64_t from,
                                              std::int64_t through, const base::Uuid& into) = 0;

    // The words of messages that were added in this transaction.
    struct Words {
        std::int64_t position = 0;
        std::string agent_id;
        std::vector<std::string> words;
    };
    virtual base::Result<void> add_words(std::span<const Words> messages) = 0;
    // A slice of what the index is behind with: words of messages that are older than the index, as rules::memory_words
    // has them; then, to be rid for good of the words of what was removed. How much of it was done, in messages and
    // steps; 0: there is nothing left.
    using WordsOf = std::vector<std::string> (*)(const model::AgentMessage& message);
    virtual base::Result<std::size_t> index_more(std::size_t limit, WordsOf words_of) = 0;

    // Inserts or replaces.
    virtual base::Result<void> put_job(const model::FoldJob& job) = 0;
    // The one of a thread that is not done: it waits, runs, or was given up.
    virtual base::Result<std::optional<model::FoldJob>> open_job(std::string_view thread_id) = 0;
    // Pending ones that are due, by the time; running ones whose lease has run out.
    virtual base::Result<std::vector<model::FoldJob>> due_jobs(base::Timestamp now, std::size_t limit) = 0;
    virtual base::Result<std::vector<model::FoldJob>> running_jobs() = 0;
    virtual base::Result<std::optional<base::Timestamp>> next_job_at() = 0;
    // Done ones that were changed last before this.
    virtual base::Result<std::uint64_t> drop_jobs(base::Timestamp older_than, std::size_t limit) = 0;

    // A slice of what is to be taken away, without content: raw messages of an agent, the oldest first; only of a
    // thread where one is named, only of before a time where there is one.
    virtual base::Result<std::vector<model::AgentMessage>> raw_messages(std::string_view agent_id,
                                                                        std::string_view thread_id,
                                                                        std::optional<base::Timestamp> before,
                                                                        std::size_t limit) = 0;
    // Summaries of depth 1 of a thread whose span has one of these positions, by position.
    virtual base::Result<std::vector<model::SummaryPlace>> covering(std::string_view thread_id, std::int64_t from,
                                                                    std::int64_t through) = 0;
    // Real deletion. Takes away messages with their contents, links and words; how many.
    virtual base::Result<std::uint64_t> remove_messages(std::span<const model::AgentMessage> messages) = 0;
    virtual base::Result<void> remove_summaries(std::span<const model::SummaryPlace> places) = 0;
    // Those that the removed ones had folded are unfolded again.
    virtual base::Result<void> unfold(const base::Uuid& summary) = 0;
    // Raw messages of a kind that a summary covers and that are older, of all agents: a slice, without content.
    virtual base::Result<std::vector<model::AgentMessage>> folded_messages(model::AgentMessageKind kind,
                                                                           base::Timestamp older_than,
                                                                           std::size_t limit) = 0;
};

struct FoldJobFilter {
    std::string user_id;  // empty fields do not narrow
    std::string agent_id;
    std::optional<model::FoldState> state;
    std::optional<base::Uuid> after;  // the last one of the page before
    std::size_t limit = 0;
};
struct ThreadFilter {
    std::string agent_id;
    std::string after;  // the last one of the page before
    std::size_t limit = 0;
};

// Reading beside the engine.
class MemoryReading {
public:
    virtual ~MemoryReading() = default;
    [[nodiscard]] virtual MemoryQuestions& questions() = 0;
    // Newest first.
    virtual base::Result<std::vector<model::FoldJob>> jobs(const FoldJobFilter& filter) = 0;
    // The one that was spoken in last first.
    virtual base::Result<std::vector<model::AgentThread>> threads(const ThreadFilter& filter) = 0;
    // All of an agent's messages in the order of their coming, with their whole content; after this position.
    virtual base::Result<std::vector<model::AgentMessage>> all(std::string_view agent_id, std::int64_t after,
                                                               std::size_t limit) = 0;
};

}  // namespace belfry::ports
