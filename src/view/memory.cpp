#include <algorithm>
#include <functional>
#include <string>

#include "base/limits.hpp"
#include "rules/assemble_memory.hpp"
#include "rules/may.hpp"
#include "rules/read_context.hpp"
#include "rules/recall.hpp"
#include "view/answers.hpp"
#include "view/ask.hpp"
#include "view/context.hpp"
#include "view/page.hpp"

namespace belfry::view {
namespace {

namespace limits = base::limits;
using base::Code;
template <class T>
using List = base::Result<std::vector<T>>;

base::Error no_such_agent() {
    return base::error(Code::not_found, "there is no such agent", "agent_id");
}
base::Error no_such_summary() {
    return base::error(Code::not_found, "this agent has no such summary", "id");
}

// How much of an agent's memory somebody sees.
struct Sight {
    model::AgentRecord agent;
    std::optional<std::vector<std::string>> threads;  // only these; nothing: all of it

    [[nodiscard]] bool sees(const std::string& thread_id) const {
        return !threads || std::ranges::find(*threads, thread_id) != threads->end();
    }
};

// Whoever is bound to sessions sees what was said to the agent in those, and of it nothing else: not even that it is
// there, where nothing was.
base::Result<Sight> look_at(ports::Reading& reading, const model::Principal& who, const std::string& agent_id) {
    TRY_ASSIGN(std::optional<model::AgentRecord> found, reading.agents().find(agent_id));
    if (!found) return no_such_agent();
    Sight sight{std::move(*found), std::nullopt};
    const std::string& user = sight.agent.agent.user_id;
    if (rules::may_use_session(who, {}, user, agent_id).ok()) return sight;
    std::vector<std::string> threads;
    for (const std::string& session : who.bounds.sessions) {
        if (!rules::may_use_session(who, session, user, agent_id).ok()) continue;
        TRY_ASSIGN(const auto thread, reading.memory().questions().thread(agent_id + ":session:" + session));
        if (thread && thread->agent_id == agent_id) threads.push_back(thread->thread_id);
    }
    if (threads.empty()) return no_such_agent();
    sight.threads = std::move(threads);
    return sight;
}

base::Result<model::AgentRecord> find_own(ports::Reading& reading, const model::Principal& who,
                                          const std::string& agent_id) {
    TRY_ASSIGN(std::optional<model::AgentRecord> found, reading.agents().find(agent_id));
    if (!found || !rules::may_set_for(who, found->agent.user_id).ok()) return no_such_agent();
    return std::move(*found);
}

std::size_t bytes_of_message(const model::AgentMessage& one) {
    return one.content.bytes().size() + one.metadata.extension.bytes().size();
}

List<model::AgentThread> threads_of(ports::Reading& reading, const Sight& sight, const ports::ThreadFilter& filter) {
    if (!sight.threads) return reading.memory().threads(filter);
    std::vector<model::AgentThread> found;
    for (const std::string& id : *sight.threads) {
        TRY_ASSIGN(std::optional<model::AgentThread> thread, reading.memory().questions().thread(id));
        if (thread && thread->agent_id == filter.agent_id) found.push_back(std::move(*thread));
    }
    std::ranges::sort(found, std::greater{}, &model::AgentThread::last_at);
    const auto last = std::ranges::find(found, filter.after, &model::AgentThread::thread_id);
    if (last != found.end()) found.erase(found.begin(), std::next(last));
    if (found.size() > filter.limit) found.resize(filter.limit);
    return found;
}

// The thread that is asked for, or the one that was spoken in last.
base::Result<std::string> choose_thread(ports::Reading& reading, const Sight& sight, const std::string& asked) {
    const std::string& agent_id = sight.agent.agent.id;
    if (asked.empty()) {
        TRY_ASSIGN(const std::vector<model::AgentThread> newest, threads_of(reading, sight, {agent_id, {}, 1}));
        if (!newest.empty()) return newest.front().thread_id;
        return std::string();
    }
    if (asked.starts_with(agent_id + ":") && sight.sees(asked)) return asked;
    return base::error(Code::not_found, "this agent has no such thread", "thread_id");
}

List<ports::PlacedSummary> place(ports::Reading& reading, const Sight& sight,
                                 const std::vector<model::SummaryPlace>& places) {
    std::vector<ports::PlacedSummary> placed;
    for (const model::SummaryPlace& one : places) {
        if (!sight.sees(one.thread_id)) continue;
        TRY_ASSIGN(const std::optional<model::AgentMessage> message, reading.agent_messages().find(one.message_id));
        if (message) placed.push_back({one, rules::recalled_summary(one, *message), message->created_at});
    }
    return placed;
}

// Those that nothing has folded.
List<ports::PlacedSummary> place_frontier(ports::Reading& reading, const Sight& sight) {
    TRY_ASSIGN(const std::vector<ports::StoredSummary> frontier,
               reading.memory().questions().frontier(sight.agent.agent.id));
    std::vector<ports::PlacedSummary> placed;
    for (const ports::StoredSummary& one : frontier) {
        if (!sight.sees(one.place.thread_id)) continue;
        placed.push_back({one.place, rules::recalled_summary(one.place, one.message), one.message.created_at});
    }
    return placed;
}

// As AgentLog has it at a claim: spans of other threads whose summary is not there yet, by rules.
base::Result<void> add_provisional(ports::MemoryQuestions& questions, const Sight& sight, rules::MemorySource& source,
                                   const rules::ContextReads& reads, base::Timestamp now) {
    ports::WaitingJobFilter filter = ports::waiting_jobs_of(*source.agent, source.thread_id, now);
    filter.limit = limits::sweep_slice_rows;  // more than are read: the asker may not see them all, the rest is counted
    TRY_ASSIGN(std::vector<model::FoldJob> jobs, questions.waiting_jobs(filter));
    std::erase_if(jobs, [&](const model::FoldJob& job) { return !sight.sees(job.thread_id); });
    return rules::read_provisional(source, jobs, reads, now);
}

base::Result<model::AssembledMemory> assemble(ports::Reading& reading, const model::Principal& who,
                                              const std::string& agent_id, const std::string& thread_id,
                                              const rules::CountTokens& count, base::Timestamp now) {
    TRY_ASSIGN(const Sight sight, look_at(reading, who, agent_id));
    rules::MemorySource source;
    source.agent = &sight.agent.agent;
    if (!sight.threads) source.state = &sight.agent.state;
    source.settings = sight.agent.agent.memory;
    TRY_ASSIGN(source.thread_id, choose_thread(reading, sight, thread_id));
    const std::string session_prefix = agent_id + ":session:";
    if (source.thread_id.starts_with(session_prefix)) {
        ports::ContextQuestion pull;
        pull.session_id = source.thread_id.substr(session_prefix.size());
        const auto waiting = preview_context(reading, who, pull, now);
        if (waiting.ok()) source.reserved_tokens = waiting->model_tokens;  // else its session is gone
    }
    ports::MemoryQuestions& questions = reading.memory().questions();
    const rules::ContextReads reads = rules::context_reads(questions);
    if (!source.thread_id.empty()) TRY(rules::read_newest(source, reads));
    TRY_ASSIGN(std::vector<ports::PlacedSummary> placed, place_frontier(reading, sight));
    for (ports::PlacedSummary& one : placed) {
        source.summaries.push_back(std::move(one.summary));
        source.summary_positions.push_back(one.place.position);
    }
    TRY(add_provisional(questions, sight, source, reads, now));
    return rules::assemble_memory(std::move(source), count);
}

List<ports::PlacedSummary> list_summaries(ports::Reading& reading, const model::Principal& who,
                                          const std::string& agent_id, const std::optional<base::Uuid>& folded_into) {
    TRY_ASSIGN(const Sight sight, look_at(reading, who, agent_id));
    if (!folded_into) return place_frontier(reading, sight);
    ports::MemoryQuestions& questions = reading.memory().questions();
    TRY_ASSIGN(const std::optional<model::SummaryPlace> above, questions.summary(*folded_into));
    if (!above || above->agent_id != agent_id || !sight.sees(above->thread_id)) return no_such_summary();
    TRY_ASSIGN(const std::vector<model::SummaryPlace> places, questions.folded_into(*folded_into));
    return place(reading, sight, places);
}

// The summaries that one has folded, as messages. There are few of them, whatever the length of the history.
List<model::AgentMessage> read_folded(ports::Reading& reading, const base::Uuid& id, std::int64_t after,
                                      std::size_t limit) {
    TRY_ASSIGN(const std::vector<model::SummaryPlace> places, reading.memory().questions().folded_into(id));
    std::vector<model::AgentMessage> span;
    for (const model::SummaryPlace& one : places) {
        if (one.position <= after || span.size() == limit) continue;
        TRY_ASSIGN(std::optional<model::AgentMessage> message, reading.agent_messages().find(one.message_id));
        if (message) span.push_back(std::move(*message));
    }
    return span;
}

List<model::AgentMessage> read_raw(ports::Reading& reading, const model::SummaryPlace& summary, std::int64_t after,
                                   std::size_t limit) {
    return read_page<model::AgentMessage>(
        limit,
        [&](std::size_t wanted, const std::vector<model::AgentMessage>& before) {
            const std::int64_t from = before.empty() ? after : before.back().position;
            return reading.memory().questions().raw_span(summary.thread_id, std::max(from, summary.start_position - 1),
                                                         summary.end_position, wanted);
        },
        bytes_of_message);
}

base::Result<ports::OpenedSummary> open(ports::Reading& reading, const model::Principal& who,
                                        const ports::SummaryQuestion& question) {
    TRY_ASSIGN(const Sight sight, look_at(reading, who, question.agent_id));
    TRY_ASSIGN(const std::optional<model::SummaryPlace> found, reading.memory().questions().summary(question.id));
    if (!found || found->agent_id != question.agent_id) return no_such_summary();
    TRY_ASSIGN(std::vector<ports::PlacedSummary> placed, place(reading, sight, {*found}));
    if (placed.empty()) return no_such_summary();
    ports::OpenedSummary opened{std::move(placed.front()), {}, 0};
    TRY_ASSIGN(opened.span, found->depth > 1 ? read_folded(reading, question.id, question.after, question.limit + 1)
                                             : read_raw(reading, *found, question.after, question.limit + 1));
    std::size_t bytes = 0;
    const auto is_too_much = [&](const model::AgentMessage& one) {
        const bool is_full = bytes >= limits::page_bytes_max;
        bytes += bytes_of_message(one);
        return is_full;
    };
    const auto fits = std::ranges::find_if(opened.span, is_too_much) - opened.span.begin();
    const std::size_t kept = std::min(static_cast<std::size_t>(fits), question.limit);
    if (kept == opened.span.size()) return opened;
    opened.span.resize(kept);
    opened.next = opened.span.back().position;
    return opened;
}

List<model::RecalledMessage> recall_from(ports::Reading& reading, const model::Principal& who,
                                         const ports::RecallQuestion& question) {
    TRY_ASSIGN(const Sight sight, look_at(reading, who, question.agent_id));
    ports::RecallFilter filter;
    filter.agent_id = question.agent_id;
    filter.kind = question.kind;
    filter.limit = question.limit;
    if (sight.threads) filter.threads = *sight.threads;
    if (!question.thread_id.empty()) {
        TRY_ASSIGN(const std::string thread, choose_thread(reading, sight, question.thread_id));
        filter.threads = {thread};
    }
    return rules::recall(question.query, question.limit, [&](const std::vector<std::string>& words) {
        filter.words = words;
        return reading.memory().questions().recall(filter);
    });
}

base::Result<ports::AgentExportPage> export_page(ports::Reading& reading, const model::Principal& who,
                                                 const ports::AgentExportQuestion& question) {
    TRY_ASSIGN(model::AgentRecord agent, find_own(reading, who, question.agent_id));
    ports::AgentExportPage page;
    if (question.after == 0) page.agent = std::move(agent);
    TRY_ASSIGN(page.messages, read_page<model::AgentMessage>(
                                  question.limit,
                                  [&](std::size_t wanted, const std::vector<model::AgentMessage>& before) {
                                      return reading.memory().all(
                                          question.agent_id, before.empty() ? question.after : before.back().position,
                                          wanted);
                                  },
                                  bytes_of_message));
    if (page.messages.empty()) return page;
    // Whether that was all is asked of the store: a page also ends where it is full.
    TRY_ASSIGN(const std::vector<model::AgentMessage> more,
               reading.memory().all(question.agent_id, page.messages.back().position, 1));
    if (!more.empty()) page.next = page.messages.back().position;
    return page;
}

}  // namespace

void Answers::memory(const model::Principal& who, std::string_view agent_id, std::string_view thread_id,
                     std::function<void(base::Result<model::AssembledMemory>)> done) {
    ask<model::AssembledMemory>(
        beside_,
        [this, who, agent_id = std::string(agent_id), thread_id = std::string(thread_id), now = clock_.now()](
            ports::Reading& reading) { return assemble(reading, who, agent_id, thread_id, count_tokens_, now); },
        std::move(done));
}

void Answers::memory_threads(const model::Principal& who, ports::ThreadFilter filter,
                             std::function<void(List<model::AgentThread>)> done) {
    ask<std::vector<model::AgentThread>>(
        beside_,
        [who, filter = std::move(filter)](ports::Reading& reading) -> List<model::AgentThread> {
            TRY_ASSIGN(const Sight sight, look_at(reading, who, filter.agent_id));
            return threads_of(reading, sight, filter);
        },
        std::move(done));
}

void Answers::memory_summaries(const model::Principal& who, std::string_view agent_id,
                               std::optional<base::Uuid> folded_into,
                               std::function<void(List<ports::PlacedSummary>)> done) {
    ask<std::vector<ports::PlacedSummary>>(
        beside_,
        [who, agent_id = std::string(agent_id), folded_into](ports::Reading& reading) {
            return list_summaries(reading, who, agent_id, folded_into);
        },
        std::move(done));
}

void Answers::memory_summary(const model::Principal& who, ports::SummaryQuestion question,
                             std::function<void(base::Result<ports::OpenedSummary>)> done) {
    ask<ports::OpenedSummary>(
        beside_,
        [who, question = std::move(question)](ports::Reading& reading) { return open(reading, who, question); },
        std::move(done));
}

void Answers::recall(const model::Principal& who, ports::RecallQuestion question,
                     std::function<void(List<model::RecalledMessage>)> done) {
    ask<std::vector<model::RecalledMessage>>(
        beside_,
        [who, question = std::move(question)](ports::Reading& reading) { return recall_from(reading, who, question); },
        std::move(done));
}

void Answers::fold_jobs(const model::Principal& who, ports::FoldJobFilter filter,
                        std::function<void(List<model::FoldJob>)> done) {
    ask<std::vector<model::FoldJob>>(
        beside_,
        [who, filter = std::move(filter)](ports::Reading& reading) -> List<model::FoldJob> {
            TRY(find_own(reading, who, filter.agent_id));
            return reading.memory().jobs(filter);
        },
        std::move(done));
}

void Answers::agent_export(const model::Principal& who, ports::AgentExportQuestion question,
                           std::function<void(base::Result<ports::AgentExportPage>)> done) {
    ask<ports::AgentExportPage>(
        beside_,
        [who, question = std::move(question)](ports::Reading& reading) { return export_page(reading, who, question); },
        std::move(done));
}

}  // namespace belfry::view
