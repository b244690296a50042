#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "rules/assemble_memory.hpp"

// What a context is read from, within bounds of messages and bytes. A claim and a reader of the context use the same
// functions, so both have the same context.
namespace belfry::rules {

// The store as a context reads it.
struct ContextReads {
    using Messages = base::Result<std::vector<model::AgentMessage>>;
    // Reads at most so many raw messages of a thread before a position, the newest first, without content that lies
    // apart.
    std::function<Messages(const std::string& thread_id, std::int64_t before, std::size_t rows)> newest;
    // Reads at most so many raw messages of a thread after a position and up to another one, the oldest first, with
    // their whole content.
    std::function<Messages(const std::string& thread_id, std::int64_t after, std::int64_t through, std::size_t rows)>
        whole;
    std::function<base::Result<std::optional<model::AgentThread>>(const std::string& thread_id)> thread;
};
// Of a store's questions (ports::MemoryQuestions), which must outlive the result.
template <class Questions>
ContextReads context_reads(Questions& questions) {
    return {[&questions](const std::string& thread_id, std::int64_t before, std::size_t rows) {
                return questions.newest_raw(thread_id, before, rows);
            },
            [&questions](const std::string& thread_id, std::int64_t after, std::int64_t through, std::size_t rows) {
                return questions.raw_span(thread_id, after, through, rows);
            },
            [&questions](const std::string& thread_id) { return questions.thread(thread_id); }};
}

// Fills `newest`, `apart`, `summarized_through` and `unread`: as many messages as count_to_read returns, and at most
// limits::context_read_bytes_max of them with the contents that lie apart. Such a content is read, the newest first,
// for messages that may set marks, also where a summary covers them, and then for results of tools, at most
// limits::context_bytes_max of them. `agent`, `settings` and `thread_id` must be set.
base::Result<void> read_newest(MemorySource& source, const ContextReads& reads);

// Adds provisional summaries for the threads of these jobs, as long as there is room: for
// limits::provisional_messages_max messages and limits::provisional_read_bytes_max bytes of
// limits::provisional_threads_max threads. A job's span is one summary. If its thread is at rest, the messages after
// the span are another one: they have no job of their own before this job is done. If a thread has more than there is
// room for, its newest messages count. Messages that were not read count in `unread`. `jobs`: by thread, the one that
// was spoken in last first.
base::Result<void> read_provisional(MemorySource& source, std::span<const model::FoldJob> jobs,
                                    const ContextReads& reads, base::Timestamp now);

}  // namespace belfry::rules
