#include "engine/agent_log.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/limits.hpp"
#include "base/memory_limits.hpp"
#include "base/message_limits.hpp"
#include "base/timer_limits.hpp"
#include "engine/thread_ends.hpp"
#include "model/sync.hpp"
#include "rules/due.hpp"
#include "rules/effect_id.hpp"
#include "rules/may_wake.hpp"
#include "rules/memory_text.hpp"
#include "rules/message_fork.hpp"
#include "rules/message_host.hpp"
#include "rules/model_tokens.hpp"
#include "rules/portion.hpp"
#include "rules/read_context.hpp"

namespace belfry::engine {
namespace {

namespace limits = base::limits;
using model::AgentMessage;
using model::AgentMessageKind;
using model::AgentRelation;
constexpr base::Duration instant = base::microseconds(1);

base::Uuid new_id(Unit& unit) {
    return base::make_uuid7(unit.now, unit.random.next(), unit.random.next());
}

void add_links(std::vector<model::AgentLink>& links, const AgentMessage& message, const std::string& user_id) {
    const auto add = [&](AgentRelation relation, std::string to) {
        links.push_back({relation, message.id, std::move(to), user_id, message.created_at});
    };
    const auto add_id = [&](AgentRelation relation, const std::optional<base::Uuid>& to) {
        if (to) add(relation, base::format_uuid(*to));
    };
    add_id(AgentRelation::message_prev, message.prev_message_id);
    for (const base::Uuid& end : rules::also_after(message)) add_id(AgentRelation::message_prev, end);
    add_id(AgentRelation::message_payload, message.content_entry_id);
    add_id(AgentRelation::summary_start, message.summary_start_message_id);
    add_id(AgentRelation::summary_end, message.summary_end_message_id);
    if (!message.tool_result) return;
    std::vector<std::string> changed = message.tool_result->changed_entity_ids;
    std::ranges::sort(changed);
    const auto repeats = std::ranges::unique(changed);
    changed.erase(repeats.begin(), repeats.end());
    for (std::string& entity : changed) add(AgentRelation::tool_effect, std::move(entity));
}

// Of what waits for the agent in its session at the start of a turn.
base::Result<std::int64_t> tokens_delivered(const model::Wake& wake, Unit& unit) {
    if (wake.session_id.empty()) return 0;
    TRY_ASSIGN(std::vector<model::Session> found, unit.store.sessions().find(std::span(&wake.session_id, 1)));
    if (found.empty() || found.front().deleted_at) return 0;
    model::Session& session = found.front();
    rules::begin_turn(session, unit.now, {});
    ports::DueQuestion question;
    question.session_id = session.id;
    question.user_id = session.user_id;
    question.agent_id = rules::agent_at_work(model::house_worker(wake.agent_id), session);
    question.classes = rules::due_classes(model::InjectAt::turn_start);
    question.or_before = rules::left_over_before(model::InjectAt::turn_start, session);
    question.or_handed_before = true;
    question.now = unit.now;
    question.limit = limits::pull_items_max;
    TRY_ASSIGN(const std::vector<model::Notification> due, unit.store.notifications().due(question));
    std::int64_t tokens = 0;
    for (const model::Notification& one : due) tokens += one.model_tokens + rules::item_overhead_tokens;
    return tokens;
}

// Where devices share records, an action and its result say which device carried them out, and whether it succeeded.
base::Result<void> name_host(std::span<AgentMessage> messages, ChangeLog& changes, Unit& unit) {
    const bool has_operations = std::ranges::any_of(messages, [](const AgentMessage& one) {
        return one.kind == AgentMessageKind::action || one.kind == AgentMessageKind::tool_result;
    });
    if (!has_operations) return {};
    TRY(changes.refresh(unit));
    if (!changes.knows_others()) {
        TRY_ASSIGN(const std::vector<model::Peer> peers, unit.store.sync().peers());
        if (peers.empty()) return {};
    }
    for (AgentMessage& message : messages) {
        rules::set_host(message, changes.host(), rules::outcome_in(messages, message));
    }
    return {};
}

bool is_raw(const AgentMessage& message) {
    return message.kind != AgentMessageKind::summary;
}

// The input of a request that the user did not make is an observation. The agent is woken for the input, so the context
// has a long one as it has a message of the user.
void add_input(rules::MemorySource& source, const model::Wake& wake) {
    if (wake.input.bytes().size() <= limits::agent_message_inline_bytes_max) return;
    const std::int64_t tokens = rules::estimate_model_tokens(wake.input.bytes());
    const auto is_input = [&](const AgentMessage& one) {
        return one.kind == AgentMessageKind::observation && one.content_entry_id && one.created_at >= wake.created_at &&
               one.tokens_approx == tokens;
    };
    const auto input = std::find_if(source.newest.rbegin(), source.newest.rend(), is_input);
    if (input != source.newest.rend()) source.apart.emplace(input->id, wake.input);
}

// What a person says is his change, all else is the agent's own. A summary says nothing new: agents that watch each
// other's messages would be woken by it for ever, each run being folded in its turn.
NewChange change_of(const model::Agent& agent, const AgentMessage& message, const model::ChangeOrigin& by) {
    NewChange change{
        std::string(model::agent_message_kind), base::format_uuid(message.id), agent.user_id, {}, {}, true};
    if (message.kind != AgentMessageKind::user) change.origin = by;
    change.tokens = message_tokens(message);
    return change;
}

}  // namespace

std::vector<model::ChangeToken> message_tokens(const AgentMessage& message) {
    using model::ChangeToken;
    std::vector<ChangeToken> tokens;
    const auto add = [&](base::Result<ChangeToken> token) {
        if (token.ok()) tokens.push_back(std::move(*token));
    };
    if (is_raw(message)) {
        add(ChangeToken::make(ChangeToken::Class::semantic_key, {}, model::agent_message_appended_key));
        add(ChangeToken::make(ChangeToken::Class::subtype, model::agent_message_kind,
                              model::agent_message_kind_name(message.kind)));
    }
    add(ChangeToken::make(ChangeToken::Class::entity_id, {}, base::format_uuid(message.id)));
    return tokens;
}

base::Result<std::int64_t> AgentLog::next_position(Unit& unit) {
    if (!last_) {
        TRY_ASSIGN(last_, unit.store.agent_messages().last_position());
    }
    return ++*last_;
}

base::Result<base::Timestamp> AgentLog::next_time(const model::AgentRecord& agent, const std::string& thread_id,
                                                  Unit& unit) {
    if (agent.state.recent_head_message_id) {
        TRY_ASSIGN(const auto head,
                   unit.store.agent_messages().find(std::span(&*agent.state.recent_head_message_id, 1)));
        if (!head.empty()) return std::max(unit.now, head.front().created_at + instant);
    }
    // It was taken away, but its thread knows when it was.
    TRY_ASSIGN(const auto thread, unit.store.memory().questions().thread(thread_id));
    return thread ? std::max(unit.now, thread->last_at + instant) : unit.now;
}

base::Result<void> AgentLog::append(model::AgentRecord& agent, const std::string& thread_id,
                                    std::span<AgentMessage> messages, const model::ChangeOrigin& by, Unit& unit) {
    if (messages.empty()) return {};
    TRY_ASSIGN(base::Timestamp time, next_time(agent, thread_id, unit));
    for (AgentMessage& message : messages) message.created_at = std::exchange(time, time + instant);
    TRY(name_host(messages, changes_, unit));
    TRY(put_down(agent, thread_id, messages, unit));
    for (const AgentMessage& message : messages) changes_.note(change_of(agent.agent, message, by));
    return remember(agent.agent, thread_id, messages, unit);
}

base::Result<void> AgentLog::adopt(model::AgentRecord& agent, const std::string& thread_id,
                                   std::span<AgentMessage> messages, Unit& unit) {
    if (messages.empty()) return {};
    TRY(put_down(agent, thread_id, messages, unit));
    for (const AgentMessage& message : messages) {
        NewChange change = change_of(agent.agent, message, {});
        change.tokens.clear();
        changes_.note(std::move(change));
    }
    TRY(remember(agent.agent, thread_id, messages, unit));
    spoken_.erase(thread_id);
    return {};
}

// Where nobody else speaks it is the newest one.
base::Result<std::vector<AgentMessage>> AgentLog::ends_of(const std::string& thread_id, Unit& unit) {
    ports::AgentMessageTable& table = unit.store.agent_messages();
    if (changes_.knows_others()) {
        TRY_ASSIGN(const auto ends, find_ends(thread_id, unit));
        if (ends) {
            TRY_ASSIGN(std::vector<AgentMessage> found, table.find(ends->ends));
            if (!found.empty()) return found;
        }
    }
    return table.newest(thread_id, 1);
}

base::Result<void> AgentLog::put_down(model::AgentRecord& agent, const std::string& thread_id,
                                      std::span<AgentMessage> messages, Unit& unit) {
    ports::AgentMessageTable& table = unit.store.agent_messages();
    TRY_ASSIGN(const std::vector<AgentMessage> ends, ends_of(thread_id, unit));
    std::optional<base::Uuid> prev;
    std::vector<model::AgentLink> links;
    for (AgentMessage& message : messages) {
        if (message.id.is_nil()) message.id = new_id(unit);
        TRY_ASSIGN(message.position, next_position(unit));
        message.agent_id = agent.agent.id;
        message.thread_id = thread_id;
        message.prev_message_id = prev;
        if (!prev) rules::put_after(message, ends);
        prev = message.id;
        if (message.content.bytes().size() > limits::agent_message_inline_bytes_max) {
            message.content_entry_id = rules::message_content_id(message.id);
        }
        if (!is_raw(message)) agent.state.latest_summary_message_id = message.id;
        add_links(links, message, agent.agent.user_id);
    }
    TRY(table.add(messages));
    TRY(table.link(links));
    if (ends.size() > 1) TRY(keep_ends(thread_id, agent.agent.user_id, {}, prev, unit));
    agent.state.recent_head_message_id = prev;
    agent.runtime.hot_message_count += std::ranges::count_if(messages, is_raw);
    agents_.touch(agent);
    return {};
}

base::Result<void> AgentLog::take_in(model::AgentRecord& agent, const std::string& thread_id,
                                     std::span<AgentMessage> messages, Unit& unit) {
    if (messages.empty()) return {};
    ports::AgentMessageTable& table = unit.store.agent_messages();
    TRY_ASSIGN(auto kept, find_ends(thread_id, unit));
    rules::ThreadEnds ends = kept.value_or(rules::ThreadEnds{});
    if (!kept) {
        TRY_ASSIGN(const std::vector<AgentMessage> newest, table.newest(thread_id, 1));
        for (const AgentMessage& one : newest) ends.ends.push_back(one.id);
    }
    std::vector<base::Uuid> followed;
    for (const AgentMessage& message : messages) {
        if (message.prev_message_id) followed.push_back(*message.prev_message_id);
        for (const base::Uuid& end : rules::also_after(message)) followed.push_back(end);
    }
    TRY_ASSIGN(const std::vector<AgentMessage> there, table.find(followed));
    std::set<base::Uuid> here;
    for (const AgentMessage& one : there) here.insert(one.id);
    std::vector<model::AgentLink> links;
    for (AgentMessage& message : messages) {
        TRY_ASSIGN(message.position, next_position(unit));
        ends.add(message, [&](const base::Uuid& id) { return here.contains(id); });
        here.insert(message.id);
        add_links(links, message, agent.agent.user_id);
    }
    TRY(table.add(messages));
    TRY(table.link(links));
    TRY(keep_ends(thread_id, agent.agent.user_id, ends, messages.back().id, unit));
    agent.runtime.hot_message_count += std::ranges::count_if(messages, is_raw);
    agents_.touch(agent);
    TRY(remember(agent.agent, thread_id, messages, unit));
    spoken_.erase(thread_id);
    return {};
}

base::Result<void> AgentLog::put_instead(const model::AgentRecord& agent, const AgentMessage& old,
                                         AgentMessage& message, Unit& unit) {
    message.position = old.position;
    TRY(unit.store.memory().remove_messages(std::span(&old, 1)));
    TRY(unit.store.agent_messages().add(std::span(&message, 1)));
    std::vector<model::AgentLink> links;
    add_links(links, message, agent.agent.user_id);
    TRY(unit.store.agent_messages().link(links));
    if (!is_raw(message)) return {};
    const ports::MemoryTable::Words words{message.position, agent.agent.id, rules::memory_words(message)};
    return unit.store.memory().add_words(std::span(&words, 1));
}

base::Result<void> AgentLog::remember(const model::Agent& agent, const std::string& thread_id,
                                      std::span<const AgentMessage> messages, Unit& unit) {
    if (std::ranges::none_of(messages, is_raw)) return {};
    ports::MemoryTable& memory = unit.store.memory();
    TRY_ASSIGN(std::optional<model::AgentThread> thread, memory.questions().thread(thread_id));
    if (!thread) {
        thread.emplace();
        thread->thread_id = thread_id;
        thread->agent_id = agent.id;
        thread->user_id = agent.user_id;
    }
    std::vector<ports::MemoryTable::Words> words;
    for (const AgentMessage& message : messages) {
        if (!is_raw(message)) continue;
        ++thread->messages;
        ++thread->hot_messages;
        thread->hot_tokens += message.tokens_approx;
        // Messages follow each other also after a clock that was ahead. When a thread was spoken in last, the clock
        // says.
        thread->last_at = std::max(thread->last_at, std::min(message.created_at, unit.now + limits::clock_skew_max));
        words.push_back({message.position, agent.id, rules::memory_words(message)});
    }
    TRY(memory.put_thread(*thread));
    spoken_.insert(thread_id);
    return memory.add_words(words);
}

base::Result<void> AgentLog::replace(const model::AgentRecord& agent, AgentMessage& message, const AgentMessage& like,
                                     Unit& unit) {
    message.position = like.position;
    message.agent_id = like.agent_id;
    message.thread_id = like.thread_id;
    message.created_at = like.created_at;
    message.prev_message_id = like.prev_message_id;
    if (message.content.bytes().size() > limits::agent_message_inline_bytes_max)
        message.content_entry_id = rules::message_content_id(message.id);
    std::vector<model::AgentLink> links;
    add_links(links, message, agent.agent.user_id);
    TRY(unit.store.agent_messages().add(std::span(&message, 1)));
    TRY(unit.store.agent_messages().link(links));
    changes_.note(change_of(agent.agent, message, {model::ChangeOrigin::Kind::agent, agent.agent.id}));
    return {};
}

base::Result<model::PlanNow> AgentLog::progress_of(model::AgentPlan plan, Unit& unit) {
    ports::AgentMessageTable& table = unit.store.agent_messages();
    model::PlanNow now{std::move(plan), {}};
    for (const model::PlannedAction& action : now.plan.actions) {
        model::PlanNow::Progress progress;
        TRY_ASSIGN(progress.action, table.find_action(now.plan.agent_id, action.operation_id));
        if (progress.action) {
            TRY_ASSIGN(progress.result, table.result_of(progress.action->id));
        }
        now.progress.push_back(std::move(progress));
    }
    return now;
}

base::Result<std::vector<model::PlanNow>> AgentLog::plans(const std::string& run_key, Unit& unit) {
    TRY_ASSIGN(std::vector<model::AgentPlan> rounds, unit.store.agent_messages().plans(run_key));
    std::vector<model::PlanNow> found;
    for (model::AgentPlan& round : rounds) {
        TRY_ASSIGN(model::PlanNow now, progress_of(std::move(round), unit));
        found.push_back(std::move(now));
    }
    return found;
}

base::Result<void> AgentLog::add_summaries(rules::MemorySource& source, const rules::ContextReads& reads, Unit& unit) {
    ports::MemoryQuestions& questions = unit.store.memory().questions();
    TRY_ASSIGN(const std::vector<ports::StoredSummary> frontier, questions.frontier(source.agent->id));
    for (const ports::StoredSummary& one : frontier) {
        source.summaries.push_back(rules::recalled_summary(one.place, one.message));
        source.summary_positions.push_back(one.place.position);
    }
    // Spans of other threads whose summary is not there yet. Without them the agent would not know of the run before
    // this one as long as a model is asked for its summary.
    ports::WaitingJobFilter filter = ports::waiting_jobs_of(*source.agent, source.thread_id, unit.now);
    filter.limit = limits::sweep_slice_rows;  // more than are read: the rest is counted
    TRY_ASSIGN(const std::vector<model::FoldJob> jobs, questions.waiting_jobs(filter));
    return rules::read_provisional(source, jobs, reads, unit.now);
}

base::Result<ports::WakeContext> AgentLog::context(const model::Wake& wake, const model::AgentRecord& agent,
                                                   std::span<const model::WakeSignal> signals, std::size_t messages,
                                                   Unit& unit) const {
    rules::MemorySource source;
    source.agent = &agent.agent;
    source.state = &agent.state;
    source.settings = agent.agent.memory;
    // Marks count in the whole window of the agent, however few messages the worker asks for.
    source.messages_max = static_cast<std::int64_t>(messages);
    source.thread_id = wake.thread_id;
    TRY_ASSIGN(source.reserved_tokens, tokens_delivered(wake, unit));
    for (const model::WakeSignal& signal : signals) {
        // The input of a request is a message of the thread and counts there. Reserved as well, a long input would
        // leave no room for itself.
        const bool is_request = signal.kind == model::SignalKind::user || signal.kind == model::SignalKind::manual;
        if (!is_request) source.reserved_tokens += count_(signal.body.bytes());
    }
    const auto window = static_cast<std::size_t>(std::min(source.settings.hot_messages, source.messages_max));
    ports::MemoryQuestions& questions = unit.store.memory().questions();
    const rules::ContextReads reads = rules::context_reads(questions);
    TRY(rules::read_newest(source, reads));
    add_input(source, wake);
    TRY(add_summaries(source, reads, unit));
    ports::WakeContext context;
    context.memory = rules::assemble_memory(std::move(source), count_);
    // The worker gets as many of the newest as it asked for. Older ones that no summary covers yet stay in `memory`.
    std::vector<model::AgentMessage>& told = context.memory.messages;
    const auto first = told.end() - static_cast<std::ptrdiff_t>(std::min(told.size(), window));
    context.messages.assign(std::make_move_iterator(first), std::make_move_iterator(told.end()));
    told.erase(first, told.end());
    TRY_ASSIGN(context.plans, plans(wake.run_key, unit));
    return context;
}

}  // namespace belfry::engine
