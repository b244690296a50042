#include "rules/read_context.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "base/memory_limits.hpp"
#include "base/message_limits.hpp"
#include "base/summary_limits.hpp"
#include "rules/fold.hpp"
#include "rules/memory_text.hpp"
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
constexpr std::size_t whole_at_once = 16;  // the same of whole contents: as many as the bound in bytes holds
static_assert(whole_at_once * limits::agent_message_bytes_max <= limits::context_read_bytes_max);

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
                                                     std::int64_t before, Room& room, const ContextReads& reads) {
    std::vector<AgentMessage> found;
    while (room.messages > 0 && !room.is_full) {
        const std::size_t wanted = std::min(rows_at_once, room.messages);
        TRY_ASSIGN(std::vector<AgentMessage> rows, reads.newest(thread_id, before, wanted));
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

// True if the marks of this message stand in a content that was not read. Texts of strangers set no marks.
bool has_marks_apart(const AgentMessage& message) {
    return message.content_entry_id && message.content == model::RawJson() && may_set_marks(message.kind);
}

// True if this is a result whose content was not read.
bool is_result_apart(const AgentMessage& message) {
    return message.content_entry_id && message.content == model::RawJson() &&
           message.kind == model::AgentMessageKind::tool_result;
}

// Calls `take` with each of these messages that `is_wanted`, with its whole content, from the newest on, as long as
// there is room. `messages`: of one thread, the newest first.
template <class IsWanted, class Take>
base::Result<void> read_apart(std::span<const AgentMessage> messages, Room& room, const ContextReads& reads,
                              IsWanted&& is_wanted, Take&& take) {
    for (std::size_t i = 0; i < messages.size();) {
        std::size_t count = 0;
        while (count < whole_at_once && i + count < messages.size() && is_wanted(messages[i + count])) ++count;
        if (count == 0) {
            ++i;
            continue;
        }
        const AgentMessage& oldest = messages[i + count - 1];
        TRY_ASSIGN(std::vector<AgentMessage> whole,
                   reads.whole(oldest.thread_id, oldest.position - 1, messages[i].position, count));
        for (auto message = whole.rbegin(); message != whole.rend(); ++message) {
            const std::size_t bytes = message->content.bytes().size();
            if (bytes > room.bytes) return {};
            room.bytes -= bytes;
            take(std::move(*message));
        }
        i += count;
    }
    return {};
}

// A thread of a job, and what was read of it.
struct WaitingThread {
    const model::FoldJob* job = nullptr;
    std::vector<AgentMessage> messages;  // the newest first
};

void add_provisional(MemorySource& source, const model::FoldJob& job, std::span<const AgentMessage> span) {
    if (span.empty()) return;
    source.summaries.push_back(provisional_summary(job, span));
    source.summary_positions.push_back(job.end_position);
}

// One summary for the span of the job, one for what follows it. The second one has the id that the summary of all the
// rest will have.
void add_provisional(MemorySource& source, WaitingThread waiting) {
    std::ranges::reverse(waiting.messages);
    const std::span<const AgentMessage> messages = waiting.messages;
    const auto rest = std::ranges::find_if(
        messages, [&](const AgentMessage& message) { return message.position > waiting.job->end_position; });
    const auto in_job = static_cast<std::size_t>(rest - messages.begin());
    add_provisional(source, *waiting.job, messages.first(in_job));
    if (rest == messages.end()) return;
    model::FoldJob next = *waiting.job;
    next.start_message_id = rest->id;
    next.start_position = rest->position;
    next.end_message_id = messages.back().id;
    next.end_position = messages.back().position;
    add_provisional(source, next, messages.subspan(in_job));
}

}  // namespace

base::Result<void> read_newest(MemorySource& source, const ContextReads& reads) {
    TRY_ASSIGN(const std::optional<model::AgentThread> thread, reads.thread(source.thread_id));
    Room room{count_to_read(source, thread), limits::context_read_bytes_max};
    TRY_ASSIGN(source.newest, read_between(source.thread_id, std::numeric_limits<std::int64_t>::min(),
                                           std::numeric_limits<std::int64_t>::max(), room, reads));
    const auto waiting = static_cast<std::size_t>(std::ranges::count_if(
        source.newest, [&](const AgentMessage& message) { return message.position > source.summarized_through; }));
    // Also where a summary covers the message: the marks of the hot window count, and a worker's summary may lack them.
    const auto take = [&](AgentMessage message) { source.apart.emplace(message.id, std::move(message.content)); };
    TRY(read_apart(source.newest, room, reads, has_marks_apart, take));
    // Results come last, and no more of them than a context can have.
    Room of_results{0, std::min(room.bytes, limits::context_bytes_max)};
    TRY(read_apart(source.newest, of_results, reads, is_result_apart, take));
    if (!thread || !room.is_full) return {};
    source.unread = std::max(source.unread, thread->hot_messages - static_cast<std::int64_t>(waiting));
    return {};
}

base::Result<void> read_provisional(MemorySource& source, std::span<const model::FoldJob> jobs,
                                    const ContextReads& reads, base::Timestamp now) {
    Room room{limits::provisional_messages_max, limits::provisional_read_bytes_max};
    const std::size_t threads = std::min(jobs.size(), limits::provisional_threads_max);
    std::vector<WaitingThread> found;
    for (const model::FoldJob& job : jobs.first(threads)) {
        TRY_ASSIGN(const std::optional<model::AgentThread> thread, reads.thread(job.thread_id));
        const bool is_all = thread && is_at_rest(*thread, now);
        const std::int64_t after = is_all ? thread->folded_through : job.start_position - 1;
        const std::int64_t before = is_all ? std::numeric_limits<std::int64_t>::max() : job.end_position + 1;
        TRY_ASSIGN(std::vector<AgentMessage> messages, read_between(job.thread_id, after, before, room, reads));
        const std::int64_t waiting = is_all ? thread->hot_messages : job.messages;
        source.unread += std::max<std::int64_t>(waiting - static_cast<std::int64_t>(messages.size()), 0);
        if (!messages.empty()) found.push_back({&job, std::move(messages)});
    }
    for (const model::FoldJob& job : jobs.subspan(threads)) source.unread += job.messages;
    // Contents that lie apart have the room that the messages of all threads leave.
    for (WaitingThread& waiting : found) {
        std::map<base::Uuid, model::RawJson> apart;
        TRY(read_apart(waiting.messages, room, reads, has_marks_apart,
                       [&](AgentMessage message) { apart.emplace(message.id, std::move(message.content)); }));
        for (AgentMessage& message : waiting.messages) {
            const auto content = apart.find(message.id);
            if (content != apart.end()) message.content = std::move(content->second);
        }
        add_provisional(source, std::move(waiting));
    }
    return {};
}

}  // namespace belfry::rules
