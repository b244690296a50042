#include "engine/fold_pointers.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <vector>

#include "base/memory_limits.hpp"
#include "rules/memory_text.hpp"

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

// True if its goals, decisions and open loops name only messages of its span that may set marks. Otherwise a worker's
// summary could retain what a stranger wrote as a goal.
bool has_sound_marks(const AgentMessage& summary, const std::vector<AgentMessage>& hot, std::int64_t end) {
    const auto content = model::memory_summary_of(summary.content.view());
    if (!content) return true;
    std::set<base::Uuid> sources;
    for (const AgentMessage& message : hot) {
        if (message.position <= end && rules::may_set_marks(message.kind)) sources.insert(message.id);
    }
    const auto is_sound = [&](const model::MemoryItem& item) { return sources.contains(item.message_id); };
    return std::ranges::all_of(content->goals, is_sound) && std::ranges::all_of(content->decisions, is_sound) &&
           std::ranges::all_of(content->open_loops, is_sound);
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
    if (!is_next || !has_sound_marks(summary, hot, *end)) return {};
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

namespace {

std::optional<std::int64_t> told_of(const AgentMessage& summary) {
    const auto content = model::memory_summary_of(summary.content.view());
    return content ? std::optional(content->messages()) : std::nullopt;
}

base::Result<bool> is_what_is_hot(const AgentMessage& summary, Unit& unit) {
    ports::MemoryTable& memory = unit.store.memory();
    const auto told = told_of(summary);
    TRY_ASSIGN(const std::optional<model::AgentThread> thread, memory.questions().thread(summary.thread_id));
    if (!told || !thread) return false;
    TRY_ASSIGN(const auto hot, memory.raw_after(summary.thread_id, thread->folded_through, limits::fold_messages_max));
    const auto end = std::ranges::find(hot, *summary.summary_end_message_id, &AgentMessage::id);
    return !hot.empty() && hot.front().id == *summary.summary_start_message_id && end != hot.end() &&
           end - hot.begin() + 1 == *told;
}

// Of summaries of one depth that nothing has folded: those from the start to the end, where they tell of as many
// messages as this one.
base::Result<std::optional<model::SummaryPlace>> place_of_deeper(const AgentMessage& summary, Unit& unit) {
    using Place = std::optional<model::SummaryPlace>;
    ports::MemoryTable& memory = unit.store.memory();
    const auto told = told_of(summary);
    TRY_ASSIGN(const auto start, memory.questions().summary(*summary.summary_start_message_id));
    TRY_ASSIGN(const auto end, memory.questions().summary(*summary.summary_end_message_id));
    if (!told || !start || !end) return Place{};
    TRY_ASSIGN(const std::vector<model::SummaryPlace> unfolded, memory.questions().unfolded(summary.agent_id));
    std::vector<base::Uuid> span;
    for (const model::SummaryPlace& one : unfolded) {
        const bool is_inside = one.position >= start->position && one.position <= end->position;
        if (one.depth == summary.summary_depth - 1 && is_inside) span.push_back(one.message_id);
    }
    const auto has = [&](const base::Uuid& id) { return std::ranges::find(span, id) != span.end(); };
    if (!has(start->message_id) || !has(end->message_id)) return Place{};
    TRY_ASSIGN(const std::vector<AgentMessage> messages, unit.store.agent_messages().find(span));
    std::int64_t count = 0;
    for (const AgentMessage& one : messages) count += told_of(one).value_or(0);
    if (count != *told) return Place{};
    model::SummaryPlace place;
    place.start_position = start->position;
    place.end_position = end->position;
    return Place(place);
}

}  // namespace

base::Result<void> place_told_summary(const AgentMessage& summary, model::AgentRecord& agent, Unit& unit) {
    if (!summary.summary_start_message_id || !summary.summary_end_message_id) return {};
    if (summary.summary_depth <= 1) {
        TRY_ASSIGN(const bool is_exact, is_what_is_hot(summary, unit));
        return is_exact ? place_own_summary(summary, agent, unit) : base::Result<void>{};
    }
    TRY_ASSIGN(auto place, place_of_deeper(summary, unit));
    if (!place) return {};
    place->message_id = summary.id;
    place->position = summary.position;
    place->agent_id = summary.agent_id;
    place->thread_id = summary.thread_id;
    place->depth = summary.summary_depth;
    place->tokens = summary.tokens_approx;
    TRY(unit.store.memory().add_summary(*place));
    return unit.store.memory().fold_summaries(place->agent_id, place->depth - 1, place->start_position,
                                              place->end_position, place->message_id);
}

}  // namespace belfry::engine
