#include "engine/fold_pointers.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "base/memory_limits.hpp"

namespace belfry::engine {
namespace {

namespace limits = base::limits;
using model::AgentMessage;

// The position of a raw message of this thread.
base::Result<std::optional<std::int64_t>> place_in(const std::string& thread_id, const base::Uuid& id, Unit& unit) {
    TRY_ASSIGN(const std::vector<AgentMessage> found, unit.store.agent_messages().find(std::span(&id, 1)));
    const bool is_its = !found.empty() && found.front().thread_id == thread_id &&
                        found.front().kind != model::AgentMessageKind::summary;
    return is_its ? std::optional(found.front().position) : std::nullopt;
}

}  // namespace

base::Result<void> cool_thread(const std::string& thread_id, std::int64_t through, model::AgentRecord& agent,
                               Unit& unit) {
    ports::MemoryTable& memory = unit.store.memory();
    TRY_ASSIGN(std::optional<model::AgentThread> thread, memory.questions().thread(thread_id));
    if (!thread || thread->folded_through >= through) return {};
    TRY_ASSIGN(const auto hot, memory.raw_after(thread_id, thread->folded_through, limits::fold_messages_max));
    std::int64_t count = 0;
    for (const AgentMessage& message : hot) {
        if (message.position > through) break;
        ++count;
        thread->hot_tokens -= message.tokens_approx;
    }
    thread->folded_through = through;
    thread->hot_messages = std::max<std::int64_t>(thread->hot_messages - count, 0);
    thread->hot_tokens = std::max<std::int64_t>(thread->hot_tokens, 0);
    agent.runtime.hot_message_count = std::max<std::int64_t>(agent.runtime.hot_message_count - count, 0);
    return memory.put_thread(*thread);
}

base::Result<void> place_own_summary(const AgentMessage& summary, model::AgentRecord& agent, Unit& unit) {
    ports::MemoryTable& memory = unit.store.memory();
    if (summary.summary_depth > 1 || !summary.summary_start_message_id || !summary.summary_end_message_id) return {};
    TRY_ASSIGN(const std::optional<model::AgentThread> thread, memory.questions().thread(summary.thread_id));
    if (!thread) return {};
    TRY_ASSIGN(const auto hot, memory.raw_after(summary.thread_id, thread->folded_through, limits::fold_messages_max));
    TRY_ASSIGN(const auto start, place_in(summary.thread_id, *summary.summary_start_message_id, unit));
    TRY_ASSIGN(const auto end, place_in(summary.thread_id, *summary.summary_end_message_id, unit));
    const bool is_next = !hot.empty() && start && end && *start == hot.front().position &&
                         *end >= hot.front().position && *end <= hot.back().position;
    if (!is_next) return {};
    model::SummaryPlace place;
    place.message_id = summary.id;
    place.position = summary.position;
    place.agent_id = summary.agent_id;
    place.thread_id = summary.thread_id;
    place.start_position = *start;
    place.end_position = *end;
    place.tokens = summary.tokens_approx;
    TRY(memory.add_summary(place));
    return cool_thread(summary.thread_id, *end, agent, unit);
}

}  // namespace belfry::engine
