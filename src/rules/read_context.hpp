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

// Reads at most so many raw messages of a thread before a position, the newest first, without content that lies apart.
using ReadNewest = std::function<base::Result<std::vector<model::AgentMessage>>(const std::string& thread_id,
                                                                                std::int64_t before, std::size_t rows)>;

// Fills `newest`, `summarized_through` and `unread`: as many messages as count_to_read returns, and at most
// limits::context_read_bytes_max of them. `agent`, `settings` and `thread_id` must be set.
base::Result<void> read_newest(MemorySource& source, const std::optional<model::AgentThread>& thread,
                               const ReadNewest& read);

// Adds a provisional summary for each of these jobs, as long as there is room: for limits::provisional_messages_max
// messages and limits::provisional_read_bytes_max bytes. If a span has more, its newest messages count. `jobs`: by
// thread, the one that was spoken in last first.
base::Result<void> read_provisional(MemorySource& source, std::span<const model::FoldJob> jobs, const ReadNewest& read);

}  // namespace belfry::rules
