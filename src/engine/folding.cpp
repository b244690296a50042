#include "engine/folding.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "base/limits.hpp"
#include "base/memory_limits.hpp"
#include "base/summary_limits.hpp"
#include "engine/fold_pointers.hpp"
#include "rules/fold.hpp"
#include "rules/may.hpp"
#include "rules/memory_text.hpp"
#include "rules/model_tokens.hpp"
#include "rules/rule_summary.hpp"
#include "rules/summary_model.hpp"
#include "rules/wake_key.hpp"

namespace belfry::engine {
namespace {

namespace limits = base::limits;
using base::Code;
using model::FoldJob;
using model::FoldState;
constexpr base::Duration sweep_pause = base::minutes(1);
constexpr base::Duration sweep_pause_max = base::hours(1);
static_assert(sweep_pause_max <= limits::thread_idle_before_fold);  // what is said after a sweep is not idle before it
constexpr base::Duration slice_pause = base::milliseconds(20);

base::Error no_such_job() {
    return base::error(Code::not_found, "there is no such fold", "id");
}
base::Error no_such_agent() {
    return base::error(Code::not_found, "there is no such agent", "agent_id");
}

bool is_alive(const model::AgentRecord* agent) {
    return agent != nullptr && agent->agent.lifecycle != model::AgentLifecycle::destroyed;
}

bool waits_for_model(const FoldJob& job, const model::Agent& agent, const ports::ClaimFold& wish) {
    if (job.summarizer == model::Summarizer::rules) return false;
    const auto has = [](const std::vector<std::string>& busy, const std::string& one) {
        return std::ranges::find(busy, one) != busy.end();
    };
    return wish.rules_only || has(wish.busy_users, job.user_id) ||
           has(wish.busy_models, rules::summary_model_key(agent));
}

}  // namespace

model::AgentMessage summary_message(const FoldJob& job, const model::MemorySummary& summary) {
    std::string content;
    model::JsonWriter writer(content);
    model::append_memory_summary(writer, summary);
    model::AgentMessage message;
    message.id = rules::summary_id(job.agent_id, job.thread_id, job.depth, job.start_message_id, job.end_message_id);
    message.kind = model::AgentMessageKind::summary;
    message.summary_start_message_id = job.start_message_id;
    message.summary_end_message_id = job.end_message_id;
    message.summary_depth = job.depth;
    message.tokens_approx = rules::estimate_model_tokens(content);
    message.content = model::RawJson::trusted(std::move(content));
    return message;
}

std::vector<std::type_index> Folding::handles() const {
    return {typeid(ports::ClaimFold),   typeid(ports::FinishFold),  typeid(ports::FailFold),
            typeid(ports::ReturnFolds), typeid(ports::RestartFold), typeid(ports::FoldNow)};
}

base::Result<void> Folding::rebuild(Unit& unit) {
    dropped();
    next_sweep_ = unit.now;
    return jobs_.look_later(unit);
}

base::Result<void> Folding::apply(ports::Command& command, Unit& unit) {
    if (auto* wish = dynamic_cast<ports::RestartFold*>(&command)) return restart(*wish, unit);
    if (auto* wish = dynamic_cast<ports::FoldNow*>(&command)) return fold_now(*wish, unit);
    // All else is the house's own.
    if (auto may = rules::may_administer(command.principal); !may.ok()) {
        command.refuse(std::move(may).error());
        return {};
    }
    if (auto* wish = dynamic_cast<ports::ClaimFold*>(&command)) return claim(*wish, unit);
    if (auto* wish = dynamic_cast<ports::FinishFold*>(&command)) return finish(*wish, unit);
    if (auto* wish = dynamic_cast<ports::FailFold*>(&command)) return fail(*wish, unit);
    return take_back(static_cast<ports::ReturnFolds&>(command), unit);
}

base::Result<void> Folding::claim(ports::ClaimFold& command, Unit& unit) {
    TRY_ASSIGN(std::optional<ports::FoldGrant> grant, next(command, unit));
    command.settle(std::move(grant));
    return {};
}

// Jobs that wait for a model stay where they are as long as all due jobs are seen at a glance. Otherwise they step
// aside, so that any number of jobs for one silent model hides no job behind them.
base::Result<std::optional<ports::FoldGrant>> Folding::next(const ports::ClaimFold& wish, Unit& unit) {
    using Grant = std::optional<ports::FoldGrant>;
    for (std::size_t seen = 0; seen < limits::sweep_slice_rows;) {
        TRY_ASSIGN(std::vector<FoldJob> due, unit.store.memory().due_jobs(unit.now, limits::fold_claim_page_rows));
        const std::size_t rows = due.size();
        TRY_ASSIGN(Page page, look_through(std::move(due), wish, unit));
        if (page.grant) return std::move(page.grant);
        const bool is_full = rows == limits::fold_claim_page_rows;
        if (!page.is_changed && !is_full) return Grant{};
        seen += rows;
        if (page.is_changed) continue;
        if (wish.leaves_waiting) return Grant{};
        for (FoldJob& job : page.waiting) {
            job.next_attempt_at = unit.now + limits::fold_model_wait;
            job.updated_at = unit.now;
            TRY(jobs_.put(job, unit));
        }
    }
    jobs_.look_soon();
    return Grant{};
}

base::Result<Folding::Page> Folding::look_through(std::vector<FoldJob> due, const ports::ClaimFold& wish, Unit& unit) {
    Page page;
    for (FoldJob& job : due) {
        TRY_ASSIGN(const model::AgentRecord* const agent, agents_.find(job.agent_id, unit));
        if (!is_alive(agent)) {
            TRY(jobs_.drop(job, "its agent is gone", unit));
            page.is_changed = true;
        } else if (job.state == FoldState::running) {
            rules::fail_fold(job, model::FoldFault::lost, "whoever was at it was not heard of any more", unit.now);
            TRY(jobs_.put(job, unit));
            page.is_changed = true;
        } else if (waits_for_model(job, agent->agent, wish)) {
            page.waiting.push_back(std::move(job));
        } else {
            TRY_ASSIGN(page.grant, grant(std::move(job), *agent, unit));
            return page;
        }
    }
    return page;
}

base::Result<ports::FoldGrant> Folding::grant(FoldJob job, const model::AgentRecord& agent, Unit& unit) {
    job.state = FoldState::running;
    ++job.attempts;
    job.lease_until = unit.now + limits::fold_lease;
    job.updated_at = unit.now;
    TRY(jobs_.put(job, unit));
    return ports::FoldGrant{std::move(job), agent};
}

base::Result<Folding::Found> Folding::held(const base::Uuid& id, std::int64_t attempt, Unit& unit) {
    TRY_ASSIGN(std::optional<FoldJob> job, unit.store.memory().questions().job(id));
    if (!job) return Found(no_such_job());
    const bool is_held = job->state == FoldState::running && job->attempts == attempt && *job->lease_until > unit.now;
    // Whoever has not heard that it is done asks again.
    const bool is_done = job->state == FoldState::done && job->attempts == attempt && job->summary_id;
    if (is_held || is_done) return Found(std::move(*job));
    return Found(base::error(Code::conflict, "it is not at this attempt any more", "attempt", "stale_claim"));
}

base::Result<void> Folding::finish(ports::FinishFold& command, Unit& unit) {
    TRY_ASSIGN(Found job, held(command.id, command.attempt, unit));
    if (!job.ok()) {
        command.refuse(std::move(job).error());
        return {};
    }
    if (job->state == FoldState::done) {
        command.settle(std::move(*job));
        return {};
    }
    TRY_ASSIGN(model::AgentRecord* const agent, agents_.find(job->agent_id, unit));
    const auto checked = rules::check_memory_summary(command.summary);
    if (!is_alive(agent)) {
        TRY(jobs_.drop(*job, "its agent is gone", unit));
    } else if (!checked.ok()) {
        rules::fail_fold(*job, model::FoldFault::invalid, checked.error().field + " " + checked.error().message,
                         unit.now);
        TRY(jobs_.put(*job, unit));
    } else {
        TRY_ASSIGN(const bool is_needed, is_needed_still(*job, unit));
        if (is_needed) TRY(keep(*job, *agent, command.summary, unit));
        else TRY(jobs_.drop(*job, "somebody else has folded it", unit));
    }
    command.settle(std::move(*job));
    return {};
}

// A worker may have made a summary of his own meanwhile.
base::Result<bool> Folding::is_needed_still(const FoldJob& job, Unit& unit) {
    if (job.depth > 1) return true;
    TRY_ASSIGN(const auto thread, unit.store.memory().questions().thread(job.thread_id));
    return !thread || thread->folded_through < job.start_position;
}

// Another device, or an attempt that nobody heard the end of, may have made the same one: then it is there already, and
// only what belongs to it is seen to.
base::Result<void> Folding::keep(FoldJob& job, model::AgentRecord& agent, const model::MemorySummary& summary,
                                 Unit& unit) {
    ports::MemoryTable& memory = unit.store.memory();
    model::AgentMessage message = summary_message(job, summary);
    TRY_ASSIGN(const auto there, unit.store.agent_messages().find(std::span(&message.id, 1)));
    if (there.empty()) {
        const model::ChangeOrigin itself{model::ChangeOrigin::Kind::agent, agent.agent.id};
        TRY(log_.append(agent, job.thread_id, std::span(&message, 1), itself, unit));
    } else {
        message = there.front();
    }
    TRY_ASSIGN(const auto place, memory.questions().summary(message.id));
    if (!place) {
        TRY(memory.add_summary({message.id, message.position, job.agent_id, job.thread_id, job.depth,
                                job.start_position, job.end_position, message.tokens_approx, std::nullopt}));
    }
    if (job.depth > 1) {
        TRY(memory.fold_summaries(job.agent_id, job.depth - 1, job.start_position, job.end_position, message.id));
    } else {
        TRY(cool_thread(job.thread_id, job.end_position, agent, unit));
        agents_.touch(agent);
    }
    job.state = FoldState::done;
    job.summary_id = message.id;
    job.lease_until.reset();
    job.last_error.clear();
    job.updated_at = unit.now;
    TRY(jobs_.put(job, unit));
    log_.note_summary(job.agent_id);
    return job.depth > 1 ? base::Result<void>{} : look_at(job.thread_id, unit);
}

base::Result<void> Folding::fail(ports::FailFold& command, Unit& unit) {
    TRY_ASSIGN(Found job, held(command.id, command.attempt, unit));
    if (!job.ok()) {
        command.refuse(std::move(job).error());
        return {};
    }
    if (job->state == FoldState::running) {
        rules::fail_fold(*job, command.fault, command.why, unit.now);
        TRY(jobs_.put(*job, unit));
    }
    command.settle(std::move(*job));
    return {};
}

base::Result<void> Folding::take_back(ports::ReturnFolds& command, Unit& unit) {
    TRY_ASSIGN(std::vector<FoldJob> running, unit.store.memory().running_jobs());
    for (FoldJob& job : running) {
        // A keeper that stops in order returns its jobs itself (FoldFault::stopped). This process ended otherwise: the
        // attempt counts, so that a job that ends Belfry again and again is not begun for ever.
        rules::fail_fold(job, model::FoldFault::lost, "Belfry ended while it worked", unit.now);
        TRY(jobs_.put(job, unit));
    }
    command.settle(ports::Nothing{});
    return {};
}

base::Result<void> Folding::restart(ports::RestartFold& command, Unit& unit) {
    TRY_ASSIGN(std::optional<FoldJob> job, unit.store.memory().questions().job(command.id));
    if (!job || !rules::may_set_for(command.principal, job->user_id).ok()) {
        command.refuse(no_such_job());
        return {};
    }
    TRY_ASSIGN(const model::AgentRecord* const agent, agents_.find(job->agent_id, unit));
    if (job->state == FoldState::failed_terminal && is_alive(agent)) {
        job->state = FoldState::pending;
        job->attempts = 0;
        job->next_attempt_at = unit.now;
        // Whoever starts it again has looked at it: the model is asked where there is one, however short it is.
        job->summarizer = rules::first_summarizer(agent->agent, rules::model_tokens_min);
        job->updated_at = unit.now;
        TRY(jobs_.put(*job, unit));
    }
    command.settle(std::move(*job));
    return {};
}

base::Result<void> Folding::fold_now(ports::FoldNow& command, Unit& unit) {
    TRY_ASSIGN(const model::AgentRecord* const agent, agents_.find(command.agent_id, unit));
    if (!is_alive(agent) || !rules::may_set_for(command.principal, agent->agent.user_id).ok()) {
        command.refuse(no_such_agent());
        return {};
    }
    ports::MemoryTable& memory = unit.store.memory();
    std::vector<model::AgentThread> threads;
    if (command.thread_id.empty()) {
        TRY_ASSIGN(threads, memory.hot_threads(command.agent_id, limits::sweep_slice_rows));
    } else {
        TRY_ASSIGN(std::optional<model::AgentThread> thread, memory.questions().thread(command.thread_id));
        if (!thread || thread->agent_id != command.agent_id) {
            command.refuse(base::error(Code::not_found, "this agent has no such thread", "thread_id"));
            return {};
        }
        threads.push_back(std::move(*thread));
    }
    std::int64_t open = 0;
    for (const model::AgentThread& thread : threads) {
        TRY_ASSIGN(const bool is_open, jobs_.make(thread, agent->agent, FoldJobs::When::now, unit));
        open += is_open ? 1 : 0;
    }
    TRY_ASSIGN(const bool is_open, jobs_.make_deeper(agent->agent, unit));
    open += is_open ? 1 : 0;
    command.settle(open);
    return {};
}

base::Result<void> Folding::close_thread(const std::string& thread_id, Unit& unit) {
    ports::MemoryTable& memory = unit.store.memory();
    TRY_ASSIGN(std::optional<model::AgentThread> thread, memory.questions().thread(thread_id));
    if (!thread || thread->is_closed) return {};
    thread->is_closed = true;
    return memory.put_thread(*thread);
}

base::Result<void> Folding::look_at(const std::string& thread_id, Unit& unit) {
    TRY_ASSIGN(std::optional<model::AgentThread> thread, unit.store.memory().questions().thread(thread_id));
    if (!thread) return {};
    TRY_ASSIGN(const model::AgentRecord* const agent, agents_.find(thread->agent_id, unit));
    if (!is_alive(agent)) return {};
    TRY(jobs_.make(std::move(*thread), agent->agent, FoldJobs::When::due, unit));
    return {};
}

base::Result<void> Folding::flush(Unit& unit) {
    std::set<std::string> threads = log_.take_spoken();
    for (const model::WakeId id : std::vector<model::WakeId>(wakes_.ended_now())) {
        TRY_ASSIGN(const std::optional<model::Wake> wake, wakes_.look_up(id, unit));
        // In a session more will be said.
        if (!wake || wake->thread_id != rules::run_thread_id(wake->agent_id, wake->run_key)) continue;
        TRY(close_thread(wake->thread_id, unit));
        threads.insert(wake->thread_id);
    }
    for (const std::string& thread_id : threads) TRY(look_at(thread_id, unit));
    // What is folded here is another summary in its turn.
    for (auto agents = log_.take_summarized(); !agents.empty(); agents = log_.take_summarized()) {
        for (const std::string& agent_id : agents) {
            TRY_ASSIGN(model::AgentRecord* const agent, agents_.find(agent_id, unit));
            if (agent != nullptr) TRY(fold_deeper(*agent, unit));
        }
    }
    return {};
}

base::Result<void> Folding::fold_deeper(model::AgentRecord& agent, Unit& unit) {
    if (!is_alive(&agent)) return {};
    while (true) {
        TRY_ASSIGN(std::optional<FoldJobs::Overdue> overdue, jobs_.take_overdue(agent.agent, unit));
        if (!overdue) break;
        std::vector<rules::FoldedSummary> summaries;
        for (const model::SummaryPlace& place : overdue->span) {
            TRY_ASSIGN(std::vector<model::AgentMessage> found,
                       unit.store.agent_messages().find(std::span(&place.message_id, 1)));
            if (found.empty()) continue;
            auto summary = model::memory_summary_of(found.front().content.view());
            summaries.push_back({std::move(found.front()), std::move(summary)});
        }
        TRY(keep(overdue->job, agent, rules::summarize_summaries(summaries), unit));
    }
    TRY(jobs_.make_deeper(agent.agent, unit));
    return {};
}

base::Result<void> Folding::look_at_idle(Unit& unit) {
    ports::MemoryTable& memory = unit.store.memory();
    TRY_ASSIGN(std::vector<model::AgentThread> idle,
               memory.idle_threads(unit.now - limits::thread_idle_before_fold, limits::sweep_slice_rows));
    for (model::AgentThread& thread : idle) {
        TRY_ASSIGN(const model::AgentRecord* const agent, agents_.find(thread.agent_id, unit));
        if (is_alive(agent)) {
            TRY(jobs_.make(std::move(thread), agent->agent, FoldJobs::When::due, unit));
            continue;
        }
        // Nothing of it stands in anybody's context any more.
        thread.hot_messages = 0;
        thread.hot_tokens = 0;
        TRY(memory.put_thread(thread));
    }
    return {};
}

base::Result<void> Folding::sweep(Unit& unit) {
    ports::MemoryTable& memory = unit.store.memory();
    TRY(look_at_idle(unit));
    TRY_ASSIGN(const std::uint64_t gone, memory.drop_jobs(unit.now - limits::fold_jobs_kept, limits::sweep_slice_rows));
    TRY_ASSIGN(const std::size_t indexed, memory.index_more(limits::sweep_slice_rows, rules::memory_words));
    if (indexed > 0 || gone >= limits::sweep_slice_rows) {
        swept_until_ = unit.now + slice_pause;
        return {};
    }
    TRY_ASSIGN(const std::optional<base::Timestamp> oldest, memory.oldest_hot());
    base::Duration pause = sweep_pause_max;
    if (oldest) pause = std::clamp(*oldest + limits::thread_idle_before_fold - unit.now, sweep_pause, sweep_pause_max);
    swept_until_ = unit.now + pause;
    return {};
}

base::Result<void> Folding::tend(Unit& unit) {
    if (jobs_.next_look() && *jobs_.next_look() <= unit.now) TRY(jobs_.look_later(unit));
    return next_sweep_ <= unit.now ? sweep(unit) : base::Result<void>{};
}

std::optional<base::Timestamp> Folding::next_due() const {
    return jobs_.next_look() ? std::min(next_sweep_, *jobs_.next_look()) : next_sweep_;
}

void Folding::committed(Effects& effects) {
    if (swept_until_) next_sweep_ = *swept_until_;
    swept_until_.reset();
    jobs_.committed(effects);
}

void Folding::dropped() {
    swept_until_.reset();
    jobs_.dropped();
}

}  // namespace belfry::engine
