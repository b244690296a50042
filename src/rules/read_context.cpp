#include "rules/read_context.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/memory_limits.hpp"
#include "base/message_limits.hpp"
#include "base/summary_limits.hpp"
#include "rules/provisional_summary.hpp"

namespace belfry::rules {
namespace {

namespace limits = base::limits;
using model::AgentMessage;

// The bounds in bytes hold all contents that the bounds in messages let in.
static_assert((limits::memory_hot_messages_max + limits::unsummarized_read_max) *
                  limits::agent_message_inline_bytes_max <=
              limits::context_read_bytes_max);
static_assert(limits::provisional_messages_max * limits::agent_message_inline_bytes_max <=
              limits::provisional_read_bytes_max);

constexpr std::size_t rows_at_once = 100;  // what is read beyond a bound in bytes is no more than these

// What may still be read.
struct Room {
    std::size_t messages = 0;
    std::size_t bytes = 0;
    bool is_full = false;  // a message had no room in `bytes`: nothing older is read
};

std::size_t bytes_of(const AgentMessage& message) {
    std::size_t bytes = message.content.bytes().size() + message.metadata.extension.bytes().size() +
                        message.metadata.error_message.size();
    if (!message.tool_result) return bytes;
    for (const std::string& id : message.tool_result->changed_entity_ids) bytes += id.size();
    for (const std::string& token : message.tool_result->changed_tokens) bytes += token.size();
    return bytes;
}

// Messages of a thread between two positions, both outside, from the newest on.
base::Result<std::vector<AgentMessage>> read_between(const std::string& thread_id, std::int64_t after,
                                                     std::int64_t before, Room& room, const ReadNewest& read) {
    std::vector<AgentMessage> found;
    while (room.messages > 0 && !room.is_full) {
        const std::size_t wanted = std::min(rows_at_once, room.messages);
        TRY_ASSIGN(std::vector<AgentMessage> rows, read(thread_id, before, wanted));
        for (AgentMessage& message : rows) {
            const std::size_t bytes = bytes_of(message);
            room.is_full = message.position > after && bytes > room.bytes;
            if (message.position <= after || room.is_full) return found;
            --room.messages;
            room.bytes -= bytes;
            before = message.position;
            found.push_back(std::move(message));
        }
        if (rows.size() < wanted) break;
    }
    return found;
}

}  // namespace

base::Result<void> read_newest(MemorySource& source, const std::optional<model::AgentThread>& thread,
                               const ReadNewest& read) {
    Room room{count_to_read(source, thread), limits::context_read_bytes_max};
    TRY_ASSIGN(source.newest, read_between(source.thread_id, std::numeric_limits<std::int64_t>::min(),
                                           std::numeric_limits<std::int64_t>::max(), room, read));
    if (!thread || !room.is_full) return {};
    const auto waiting = std::ranges::count_if(
        source.newest, [&](const AgentMessage& message) { return message.position > source.summarized_through; });
    source.unread = std::max(source.unread, thread->hot_messages - waiting);
    return {};
}

base::Result<void> read_provisional(MemorySource& source, std::span<const model::FoldJob> jobs,
                                    const ReadNewest& read) {
    Room room{limits::provisional_messages_max, limits::provisional_read_bytes_max};
    for (const model::FoldJob& job : jobs) {
        TRY_ASSIGN(std::vector<AgentMessage> span,
                   read_between(job.thread_id, job.start_position - 1, job.end_position + 1, room, read));
        if (span.empty()) continue;
        std::ranges::reverse(span);
        source.summaries.push_back(provisional_summary(job, span));
        source.summary_positions.push_back(job.end_position);
    }
    return {};
}

}  // namespace belfry::rules
