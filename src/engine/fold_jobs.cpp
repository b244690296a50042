#include "engine/fold_jobs.hpp"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "base/memory_limits.hpp"
#include "base/message_limits.hpp"
#include "rules/fold.hpp"

namespace belfry::engine {
namespace {

namespace limits = base::limits;
using model::FoldJob;
using model::FoldState;
static_assert(limits::summaries_kept_max < limits::summaries_open_max);
// So that all that wait are seen, in ten depths, which nobody has lived long enough for.
static_assert(limits::summaries_open_max * 10 < limits::summaries_read_max);
constexpr base::Duration look_pause = base::seconds(30);  // while something is due and nobody has taken it

FoldJob new_job(const model::Agent& agent, std::string thread_id, std::int64_t tokens, Unit& unit) {
    FoldJob job;
    job.id = base::make_uuid7(unit.now, unit.random.next(), unit.random.next());
    job.agent_id = agent.id;
    job.user_id = agent.user_id;
    job.thread_id = std::move(thread_id);
    job.next_attempt_at = unit.now;
    job.summarizer = rules::first_summarizer(agent, tokens);
    job.created_at = unit.now;
    job.updated_at = unit.now;
    return job;
}

using Places = std::vector<model::SummaryPlace>;

// Where there are more of one depth than so many, the oldest of them, as many as are folded into one. From the lowest
// depth on: what is folded there may be folded again above. Puts the places into that order.
std::span<const model::SummaryPlace> oldest_of_too_many(Places& places, std::size_t most) {
    std::ranges::sort(places, {}, [](const auto& one) { return std::pair(one.depth, one.position); });
    for (auto begin = places.begin(); begin != places.end() && begin->depth < limits::summary_depth_max;) {
        const auto end = std::find_if(begin, places.end(), [&](const auto& one) { return one.depth != begin->depth; });
        const std::span of_depth(begin, end);
        if (of_depth.size() > most) return of_depth.first(rules::choose_summaries(of_depth));
        begin = end;
    }
    return {};
}

FoldJob deeper_job(const model::Agent& agent, std::span<const model::SummaryPlace> span, Unit& unit) {
    std::int64_t tokens = 0;
    for (const model::SummaryPlace& one : span) tokens += one.tokens;
    FoldJob job = new_job(agent, rules::memory_thread_of(agent.id), tokens, unit);
    job.depth = span.front().depth + 1;
    job.start_message_id = span.front().message_id;
    job.start_position = span.front().position;
    job.end_message_id = span.back().message_id;
    job.end_position = span.back().position;
    job.messages = static_cast<std::int64_t>(span.size());
    return job;
}

}  // namespace

base::Result<bool> FoldJobs::make(model::AgentThread thread, const model::Agent& agent, When when, Unit& unit) {
    ports::MemoryTable& memory = unit.store.memory();
    if (thread.hot_messages == 0) return false;
    const bool was_closed = thread.is_closed;
    if (when == When::now) thread.is_closed = true;
    if (!rules::is_fold_due(thread, agent.memory, unit.now)) return false;
    TRY_ASSIGN(const std::optional<FoldJob> open, memory.open_job(thread.thread_id));
    const bool is_behind = rules::is_summary_behind(thread, agent.memory);
    if (open) {
        const bool is_model = open->summarizer == model::Summarizer::model;
        if (open->state != FoldState::failed_terminal && is_model && is_behind) TRY(leave_to_rules(*open, unit));
        else if (when == When::now) TRY(hurry(*open, unit));
        return open->state != FoldState::failed_terminal;
    }
    TRY_ASSIGN(const auto hot, memory.raw_after(thread.thread_id, thread.folded_through, limits::fold_messages_max));
    if (hot.empty()) {
        // The row counts what is not there: it would be looked at again and again.
        thread.is_closed = was_closed;
        thread.hot_messages = 0;
        thread.hot_tokens = 0;
        TRY(memory.put_thread(thread));
        return false;
    }
    const std::size_t count = rules::choose_span(hot, thread, agent.memory, unit.now);
    if (count == 0) return false;
    std::int64_t tokens = 0;
    for (std::size_t i = 0; i < count; ++i) tokens += hot[i].tokens_approx;
    FoldJob job = new_job(agent, thread.thread_id, tokens, unit);
    job.start_message_id = hot.front().id;
    job.start_position = hot.front().position;
    job.end_message_id = hot[count - 1].id;
    job.end_position = hot[count - 1].position;
    job.messages = static_cast<std::int64_t>(count);
    if (is_behind) job.summarizer = model::Summarizer::rules;
    TRY(put(job, unit));
    return true;
}

base::Result<bool> FoldJobs::make_deeper(const model::Agent& agent, Unit& unit) {
    ports::MemoryTable& memory = unit.store.memory();
    TRY_ASSIGN(const std::optional<FoldJob> open, memory.open_job(rules::memory_thread_of(agent.id)));
    if (open) return open->state != FoldState::failed_terminal;
    TRY_ASSIGN(Places places, memory.questions().unfolded(agent.id));
    const auto span = oldest_of_too_many(places, limits::summaries_kept_max);
    if (span.empty()) return false;
    TRY(put(deeper_job(agent, span, unit), unit));
    return true;
}

base::Result<std::optional<FoldJobs::Overdue>> FoldJobs::take_overdue(const model::Agent& agent, Unit& unit) {
    ports::MemoryTable& memory = unit.store.memory();
    TRY_ASSIGN(Places places, memory.questions().unfolded(agent.id));
    const auto span = oldest_of_too_many(places, limits::summaries_open_max);
    if (span.empty()) return std::optional<Overdue>{};
    TRY_ASSIGN(std::optional<FoldJob> open, memory.open_job(rules::memory_thread_of(agent.id)));
    if (open) TRY(drop(*open, "too many summaries were waiting: rules have folded the oldest", unit));
    FoldJob job = deeper_job(agent, span, unit);
    job.summarizer = model::Summarizer::rules;
    return std::optional(Overdue{std::move(job), Places(span.begin(), span.end())});
}

base::Result<void> FoldJobs::put(const FoldJob& job, Unit& unit) {
    const bool is_due = job.state == FoldState::pending && job.next_attempt_at <= unit.now;
    has_work_ = has_work_ || is_due;
    std::optional<base::Timestamp> look;
    if (job.state == FoldState::pending) look = is_due ? unit.now + look_pause : job.next_attempt_at;
    else if (job.state == FoldState::running) look = job.lease_until;
    if (look && (!noted_ || *look < *noted_)) noted_ = look;
    return unit.store.memory().put_job(job);
}

base::Result<void> FoldJobs::drop(FoldJob& job, const std::string& why, Unit& unit) {
    job.state = FoldState::done;
    job.lease_until.reset();
    job.last_error = why;
    job.updated_at = unit.now;
    return put(job, unit);
}

base::Result<void> FoldJobs::hurry(FoldJob job, Unit& unit) {
    if (job.state != FoldState::pending || job.next_attempt_at <= unit.now) return {};
    job.next_attempt_at = unit.now;
    job.updated_at = unit.now;
    return put(job, unit);
}

base::Result<void> FoldJobs::leave_to_rules(FoldJob job, Unit& unit) {
    job.state = FoldState::pending;
    job.summarizer = model::Summarizer::rules;
    job.lease_until.reset();
    job.last_error = "too many messages wait for a summary; rules make this one";
    job.next_attempt_at = unit.now;
    job.updated_at = unit.now;
    return put(job, unit);
}

base::Result<void> FoldJobs::look_later(Unit& unit) {
    TRY_ASSIGN(noted_, unit.store.memory().next_job_at());
    is_asked_ = true;
    if (!noted_ || *noted_ > unit.now) return {};
    has_work_ = true;
    noted_ = unit.now + look_pause;
    return {};
}

void FoldJobs::committed(Effects& effects) {
    effects.has_folds = effects.has_folds || has_work_;
    if (is_asked_ || (noted_ && (!next_look_ || *noted_ < *next_look_))) next_look_ = noted_;
    dropped();
}

void FoldJobs::dropped() {
    noted_.reset();
    is_asked_ = false;
    has_work_ = false;
}

}  // namespace belfry::engine
