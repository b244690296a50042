#include "engine/forgetting.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "base/limits.hpp"
#include "base/memory_limits.hpp"
#include "rules/fold.hpp"
#include "rules/may.hpp"
#include "rules/model_tokens.hpp"
#include "rules/rule_summary.hpp"

namespace belfry::engine {
namespace {

namespace limits = base::limits;
using base::Code;
using model::AgentMessage;
using model::SummaryPlace;
constexpr const char* what_is_gone = "what it was to fold was taken away";

bool overlaps(const model::FoldJob& job, const std::vector<AgentMessage>& messages) {
    return std::ranges::any_of(messages, [&](const AgentMessage& one) {
        return one.position >= job.start_position && one.position <= job.end_position;
    });
}

bool covers(const SummaryPlace& place, const std::vector<AgentMessage>& messages) {
    return std::ranges::any_of(messages, [&](const AgentMessage& one) {
        return one.position >= place.start_position && one.position <= place.end_position;
    });
}

// Nothing of what was said stands in it.
std::string audit_detail(const ports::ForgetMemory& wish, const ports::ForgottenMemory& gone) {
    std::string json;
    model::JsonWriter writer(json);
    writer.begin_object().field("agent_id", wish.agent_id);
    if (wish.message_id) writer.field("message_id", base::format_uuid(*wish.message_id));
    if (!wish.thread_id.empty()) writer.field("thread_id", wish.thread_id);
    if (wish.before) writer.field("before", base::format_timestamp(*wish.before));
    writer.field("messages", static_cast<std::int64_t>(gone.messages));
    writer.field("summaries", static_cast<std::int64_t>(gone.summaries)).end_object();
    return json.substr(1, json.size() - 2);
}

}  // namespace

std::vector<std::type_index> Forgetting::handles() const {
    return {typeid(ports::ForgetMemory)};
}

base::Result<void> Forgetting::rebuild(Unit&) {
    dropped();
    return {};
}

void Forgetting::committed(Effects& effects) {
    effects.erased = effects.erased || std::exchange(has_removed_, false);
}

base::Result<void> Forgetting::apply(ports::Command& command, Unit& unit) {
    auto& wish = static_cast<ports::ForgetMemory&>(command);
    TRY_ASSIGN(model::AgentRecord* const agent, agents_.find(wish.agent_id, unit));
    if (agent == nullptr || !rules::may_set_for(wish.principal, agent->agent.user_id).ok()) {
        wish.refuse(base::error(Code::not_found, "there is no such agent", "agent_id"));
        return {};
    }
    TRY_ASSIGN(base::Result<Messages> messages, chosen(wish, unit));
    if (!messages.ok()) {
        wish.refuse(std::move(messages).error());
        return {};
    }
    const bool more = messages->size() > limits::sweep_slice_rows;
    if (more) messages->resize(limits::sweep_slice_rows);
    TRY(bury(agent->agent, *messages, unit));
    TRY_ASSIGN(ports::ForgottenMemory gone, forget(*agent, *messages, unit));
    gone.more = more;
    unit.audit("memory.forget", wish.principal, audit_detail(wish, gone));
    wish.settle(gone);
    return {};
}

base::Result<base::Result<Forgetting::Messages>> Forgetting::chosen(const ports::ForgetMemory& wish, Unit& unit) {
    using Chosen = base::Result<Messages>;
    if (!wish.message_id) {
        if (wish.thread_id.empty() && !wish.before) {
            return Chosen(base::error(Code::invalid, "must be given, or thread_id, or before", "message_id"));
        }
        TRY_ASSIGN(Messages found, unit.store.memory().raw_messages(wish.agent_id, wish.thread_id, wish.before,
                                                                    limits::sweep_slice_rows + 1));
        return Chosen(std::move(found));
    }
    if (!wish.thread_id.empty() || wish.before) {
        return Chosen(base::error(Code::invalid, "says it all: neither thread_id nor before", "message_id"));
    }
    TRY_ASSIGN(Messages found, unit.store.agent_messages().find(std::span(&*wish.message_id, 1)));
    if (found.empty() || found.front().agent_id != wish.agent_id) {
        return Chosen(base::error(Code::not_found, "this agent has no such message", "message_id"));
    }
    if (found.front().kind == model::AgentMessageKind::summary) {
        return Chosen(base::error(Code::invalid, "is a summary, which goes with what it was made of", "message_id"));
    }
    return Chosen(std::move(found));
}

base::Result<ports::ForgottenMemory> Forgetting::forget(model::AgentRecord& agent, const Messages& messages,
                                                        Unit& unit) {
    if (messages.empty()) return ports::ForgottenMemory{};
    std::map<std::string, Messages> by_thread;
    for (const AgentMessage& message : messages) by_thread[message.thread_id].push_back(message);
    Places made_of_them;
    for (const auto& [thread_id, some] : by_thread) {
        TRY_ASSIGN(const Places places, leave_thread(agent, some, unit));
        made_of_them.insert(made_of_them.end(), places.begin(), places.end());
    }
    return remove(agent, messages, made_of_them, {}, unit);
}

base::Result<ports::ForgottenMemory> Forgetting::remove(model::AgentRecord& agent, const Messages& messages,
                                                        const Places& made_of_them, const Places& deeper, Unit& unit) {
    ports::MemoryTable& memory = unit.store.memory();
    Places first = made_of_them;
    first.insert(first.end(), deeper.begin(), deeper.end());
    TRY_ASSIGN(const Places all, take_above(first, unit));
    if (!all.empty()) TRY(end_deeper_job(agent.agent.id, unit));
    std::vector<base::Uuid> ids;
    for (const SummaryPlace& place : all) ids.push_back(place.message_id);
    TRY_ASSIGN(const Messages summaries, unit.store.agent_messages().find(ids));
    TRY(bury(agent.agent, summaries, unit));
    TRY(memory.remove_summaries(all));
    TRY(memory.remove_messages(summaries));
    TRY_ASSIGN(const std::uint64_t gone, memory.remove_messages(messages));
    std::set<base::Uuid> removed(ids.begin(), ids.end());
    for (const AgentMessage& message : messages) removed.insert(message.id);
    for (auto* const pointer : {&agent.state.latest_summary_message_id, &agent.state.recent_head_message_id}) {
        if (*pointer && removed.contains(**pointer)) pointer->reset();
    }
    for (const SummaryPlace& place : made_of_them) {
        const auto old = std::ranges::find(summaries, place.message_id, &AgentMessage::id);
        if (old != summaries.end()) TRY(fold_rest(agent, place, *old, unit));
    }
    agents_.touch_state(agent, unit.now);
    folding_.sweep_soon(unit);
    has_removed_ = true;
    // The stored answer to a request that added a message repeats the message.
    TRY(idempotency_.erase_answers(unit));
    TRY(folding_.fold_deeper(agent, unit));
    return ports::ForgottenMemory{gone, all.size(), false};
}

base::Result<void> Forgetting::bury(const model::Agent& agent, const Messages& messages, Unit& unit) {
    std::vector<ports::SyncTable::Forgotten> gone;
    for (const AgentMessage& message : messages) {
        gone.push_back({message.id, agent.id, agent.user_id});
        changes_.note(
            {std::string(model::agent_message_kind), base::format_uuid(message.id), agent.user_id, {}, {}, true});
    }
    return unit.store.sync().add_forgotten(gone);
}

base::Result<void> Forgetting::take(model::AgentRecord& agent, const Messages& messages, Unit& unit) {
    std::map<std::string, Messages> by_thread;
    Messages gone;
    Places placed;
    for (const AgentMessage& message : messages) {
        if (message.kind != model::AgentMessageKind::summary) {
            by_thread[message.thread_id].push_back(message);
            gone.push_back(message);
            continue;
        }
        TRY_ASSIGN(const std::optional<SummaryPlace> place, unit.store.memory().questions().summary(message.id));
        // A summary that has no place here is one more message.
        if (place) placed.push_back(*place);
        else gone.push_back(message);
    }
    for (const auto& [thread_id, some] : by_thread) {
        TRY_ASSIGN(const Places places, leave_thread(agent, some, unit));
        placed.insert(placed.end(), places.begin(), places.end());
    }
    std::ranges::sort(placed, {}, &SummaryPlace::message_id);
    const auto repeats = std::ranges::unique(placed, {}, &SummaryPlace::message_id);
    placed.erase(repeats.begin(), repeats.end());
    Places deeper = placed;
    std::erase_if(deeper, [](const SummaryPlace& one) { return one.depth == 1; });
    std::erase_if(placed, [](const SummaryPlace& one) { return one.depth > 1; });
    if (gone.empty() && placed.empty() && deeper.empty()) return {};
    TRY(remove(agent, gone, placed, deeper, unit));
    return {};
}

base::Result<Forgetting::Places> Forgetting::leave_thread(model::AgentRecord& agent, const Messages& messages,
                                                          Unit& unit) {
    ports::MemoryTable& memory = unit.store.memory();
    const std::string& thread_id = messages.front().thread_id;
    TRY_ASSIGN(std::optional<model::AgentThread> thread, memory.questions().thread(thread_id));
    if (thread) {
        for (const AgentMessage& message : messages) {
            if (message.position <= thread->folded_through) continue;
            thread->hot_messages = std::max<std::int64_t>(thread->hot_messages - 1, 0);
            thread->hot_tokens = std::max<std::int64_t>(thread->hot_tokens - message.tokens_approx, 0);
            agent.runtime.hot_message_count = std::max<std::int64_t>(agent.runtime.hot_message_count - 1, 0);
        }
        TRY(memory.put_thread(*thread));
    }
    // Whoever is at it has read them.
    TRY_ASSIGN(std::optional<model::FoldJob> job, memory.open_job(thread_id));
    if (job && overlaps(*job, messages)) TRY(folding_.jobs().drop(*job, what_is_gone, unit));
    const auto [first, last] = std::ranges::minmax(messages, {}, &AgentMessage::position);
    TRY_ASSIGN(Places places, memory.covering(thread_id, first.position, last.position));
    std::erase_if(places, [&](const SummaryPlace& place) { return !covers(place, messages); });
    return places;
}

base::Result<Forgetting::Places> Forgetting::take_above(const Places& places, Unit& unit) {
    ports::MemoryTable& memory = unit.store.memory();
    Places all = places;
    std::set<base::Uuid> seen;
    for (const SummaryPlace& place : places) seen.insert(place.message_id);
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (all[i].depth > 1) TRY(memory.unfold(all[i].message_id));
        if (!all[i].folded_into || !seen.insert(*all[i].folded_into).second) continue;
        TRY_ASSIGN(const std::optional<SummaryPlace> above, memory.questions().summary(*all[i].folded_into));
        if (above) all.push_back(*above);
    }
    return all;
}

base::Result<void> Forgetting::end_deeper_job(const std::string& agent_id, Unit& unit) {
    TRY_ASSIGN(std::optional<model::FoldJob> job, unit.store.memory().open_job(rules::memory_thread_of(agent_id)));
    return job ? folding_.jobs().drop(*job, what_is_gone, unit) : base::Result<void>{};
}

base::Result<void> Forgetting::fold_rest(model::AgentRecord& agent, const SummaryPlace& place, const AgentMessage& old,
                                         Unit& unit) {
    ports::MemoryTable& memory = unit.store.memory();
    TRY_ASSIGN(const Messages rest, memory.questions().raw_span(place.thread_id, place.start_position - 1,
                                                                place.end_position, limits::fold_messages_max));
    if (rest.empty()) return {};
    model::FoldJob job;
    job.agent_id = place.agent_id;
    job.thread_id = place.thread_id;
    job.start_message_id = rest.front().id;
    job.end_message_id = rest.back().id;
    AgentMessage message = summary_message(job, rules::summarize_messages(rest));
    // The one that told of what is gone must not come back under its name.
    if (message.id == old.id) message.id = rules::remade_summary_id(old.id);
    TRY(log_.replace(agent, message, old, unit));
    if (!agent.state.latest_summary_message_id) agent.state.latest_summary_message_id = message.id;
    SummaryPlace anew = place;
    anew.message_id = message.id;
    anew.start_position = rest.front().position;
    anew.end_position = rest.back().position;
    anew.tokens = message.tokens_approx;
    anew.folded_into.reset();
    return memory.add_summary(anew);
}

}  // namespace belfry::engine
