#include "engine/agent_import.hpp"

#include <algorithm>
#include <utility>

#include "base/memory_limits.hpp"
#include "engine/agent_tombstone.hpp"
#include "rules/agent.hpp"
#include "rules/agent_message.hpp"
#include "rules/assemble_memory.hpp"
#include "rules/fold.hpp"

namespace belfry::engine {
namespace {

namespace limits = base::limits;
using base::Code;
using model::AgentMessage;
using model::SummaryPlace;

constexpr base::Duration ahead_max = base::hours(24);  // of another device's clock
constexpr int remade_max = 100;                        // times, as far as it is known again

bool is_summary(const AgentMessage& message) {
    return message.kind == model::AgentMessageKind::summary;
}

// Ids of summaries tell which fold has made them; a worker's own has any.
bool is_of_fold(const AgentMessage& message) {
    const auto& start = message.summary_start_message_id;
    const auto& end = message.summary_end_message_id;
    if (!is_summary(message) || !start || !end || message.summary_depth < 1) return false;
    base::Uuid id = rules::summary_id(message.agent_id, message.thread_id, message.summary_depth, *start, *end);
    for (int remade = 0; remade < remade_max && message.id != id; ++remade) id = rules::remade_summary_id(id);
    return message.id == id;
}

base::Result<void> check_message(AgentMessage& message, const model::Agent& agent, base::Timestamp not_before,
                                 base::Timestamp now) {
    if (message.agent_id != agent.id) return base::error(Code::invalid, "is another agent's", "agent_id");
    if (!message.thread_id.starts_with(agent.id + ":")) {
        return base::error(Code::invalid, "is none of the agent's", "thread_id");
    }
    if (message.created_at < not_before || message.created_at > now + ahead_max) {
        return base::error(Code::invalid, "lies before that of the message before it, or in the future", "created_at");
    }
    // What the agent was allowed then is not what it is allowed now.
    model::Agent then = agent;
    if (message.action) then.allowed_category_ids = message.action->scope_snapshot;
    return rules::check_message(message, then);
}

base::Result<void> check_messages(std::vector<AgentMessage>& messages, const model::Agent& agent, base::Timestamp now) {
    base::Timestamp not_before;
    for (std::size_t i = 0; i < messages.size(); ++i) {
        auto fits = check_message(messages[i], agent, not_before, now);
        not_before = messages[i].created_at;
        if (fits.ok()) continue;
        base::Error why = std::move(fits).error();
        why.field = "messages[" + std::to_string(i) + "]." + why.field;
        return why;
    }
    return {};
}

base::Result<std::optional<std::int64_t>> position_of(const base::Uuid& id, Unit& unit) {
    TRY_ASSIGN(const std::vector<AgentMessage> found, unit.store.agent_messages().find(std::span(&id, 1)));
    return found.empty() ? std::optional<std::int64_t>{} : std::optional(found.front().position);
}

// The raw messages of a thread that nothing covers yet and that a summary tells of: up to its last one or, where that
// is kept no more, up to its time.
base::Result<std::vector<AgentMessage>> span_of(const AgentMessage& summary, const model::AgentThread& thread,
                                                Unit& unit) {
    TRY_ASSIGN(const auto end, position_of(*summary.summary_end_message_id, unit));
    TRY_ASSIGN(std::vector<AgentMessage> span,
               unit.store.memory().questions().raw_span(thread.thread_id, thread.folded_through,
                                                        end.value_or(summary.position), limits::fold_messages_max));
    if (end) return span;
    const base::Timestamp to = rules::recalled_summary(SummaryPlace{}, summary).summary.to;
    std::erase_if(span, [&](const AgentMessage& one) { return one.created_at > to; });
    return span;
}

// A summary of raw messages: they are not hot any more. Where something here has folded them already, it is one more
// message and no more.
base::Result<void> place_first(model::AgentRecord& agent, const AgentMessage& summary, SummaryPlace place, Unit& unit) {
    TRY_ASSIGN(std::optional<model::AgentThread> thread, unit.store.memory().questions().thread(summary.thread_id));
    if (!thread) {
        thread.emplace();
        thread->thread_id = summary.thread_id;
        thread->agent_id = agent.agent.id;
        thread->user_id = agent.agent.user_id;
        thread->last_at = unit.now;
    }
    TRY_ASSIGN(const auto start, position_of(*summary.summary_start_message_id, unit));
    if (start && *start <= thread->folded_through) return {};
    TRY_ASSIGN(const std::vector<AgentMessage> span, span_of(summary, *thread, unit));
    place.start_position = start.value_or(span.empty() ? summary.position : span.front().position);
    place.end_position = span.empty() ? place.start_position : span.back().position;
    TRY(unit.store.memory().add_summary(place));
    thread->folded_through = std::max(thread->folded_through, span.empty() ? 0 : place.end_position);
    for (const AgentMessage& message : span) {
        --thread->hot_messages;
        thread->hot_tokens -= message.tokens_approx;
        --agent.runtime.hot_message_count;
    }
    return unit.store.memory().put_thread(*thread);
}

// A summary that a fold has made gets its place again.
base::Result<void> place_again(model::AgentRecord& agent, const AgentMessage& summary, Unit& unit) {
    SummaryPlace place;
    place.message_id = summary.id;
    place.position = summary.position;
    place.agent_id = summary.agent_id;
    place.thread_id = summary.thread_id;
    place.depth = summary.summary_depth;
    place.tokens = summary.tokens_approx;
    if (place.depth == 1) return place_first(agent, summary, std::move(place), unit);
    TRY_ASSIGN(const auto start, position_of(*summary.summary_start_message_id, unit));
    TRY_ASSIGN(const auto end, position_of(*summary.summary_end_message_id, unit));
    if (!start || !end) return {};
    place.start_position = *start;
    place.end_position = *end;
    TRY(unit.store.memory().add_summary(place));
    return unit.store.memory().fold_summaries(place.agent_id, place.depth - 1, *start, *end, place.message_id);
}

// Nobody has spoken in it for long, but what comes next may be what has folded it: it is as if somebody had just now.
base::Result<void> wake_thread(const std::string& thread_id, std::ptrdiff_t order, Unit& unit) {
    TRY_ASSIGN(std::optional<model::AgentThread> thread, unit.store.memory().questions().thread(thread_id));
    if (!thread) return {};
    thread->last_at = unit.now + base::microseconds(order);
    return unit.store.memory().put_thread(*thread);
}

std::string audit_detail(const ports::ImportAgent& wish, std::size_t added) {
    std::string json;
    model::JsonWriter writer(json);
    writer.begin_object().field("agent_id", wish.agent_id).field("messages", static_cast<long long>(added));
    writer.end_object();
    return json.substr(1, json.size() - 2);
}

}  // namespace

base::Result<void> AgentImport::apply(ports::Command& any, Unit& unit) {
    auto& command = static_cast<ports::ImportAgent&>(any);
    TRY_ASSIGN(base::Result<void> may, check(command, unit));
    if (!may.ok()) {
        command.refuse(std::move(may).error());
        return {};
    }
    TRY_ASSIGN(const base::Result<std::size_t> known, count_known(command, unit));
    if (!known.ok()) {
        command.refuse(known.error());
        return {};
    }
    const std::size_t added = command.messages.size() - *known;
    model::AgentRecord* agent = nullptr;
    if (command.draft) {
        agent = &agents_.make(std::move(command.draft->agent), unit);
        agent->state.slots = std::move(command.draft->state.slots);
        agent->state.sleep_until = command.draft->state.sleep_until;
    } else {
        TRY_ASSIGN(agent, book_.find(command.agent_id, unit));
        if (added > 0 && agent->state.recent_head_message_id != command.after) {
            command.refuse(
                base::error(Code::conflict, "is not the last message that is here", "after", "out_of_order"));
            return {};
        }
    }
    if (added > 0) TRY(take(*agent, command.messages, unit));
    if (added > 0 || command.draft) unit.audit("agent.import", command.principal, audit_detail(command, added));
    command.settle(ports::ImportedAgent{*agent, added, *known});
    return {};
}

base::Result<base::Result<void>> AgentImport::check(ports::ImportAgent& command, Unit& unit) {
    using May = base::Result<void>;
    if (!command.draft) {
        TRY_ASSIGN(const Agents::Found found, agents_.find(command.principal, command.agent_id, unit));
        if (!found.ok()) return May(found.error());
        return check_messages(command.messages, (*found)->agent, unit.now);
    }
    model::Agent& draft = command.draft->agent;
    auto may = agents_.check_draft(command.principal, draft);
    if (may.ok()) may = rules::check_slots(command.draft->state.slots);
    if (may.ok()) may = check_messages(command.messages, draft, unit.now);
    if (!may.ok()) return may;
    TRY_ASSIGN(model::AgentRecord* const there, book_.find(draft.id, unit));
    if (there != nullptr) return May(base::error(Code::conflict, "another agent has this id", "id", "taken"));
    TRY_ASSIGN(base::Result<void> is_free, check_not_buried(draft.id, book_, unit));
    if (!is_free.ok()) return is_free;
    return Agents::check_room(draft, unit);
}

base::Result<base::Result<std::size_t>> AgentImport::count_known(const ports::ImportAgent& command, Unit& unit) {
    using Known = base::Result<std::size_t>;
    std::vector<base::Uuid> ids;
    for (const AgentMessage& message : command.messages) ids.push_back(message.id);
    std::ranges::sort(ids);
    if (std::ranges::adjacent_find(ids) != ids.end()) {
        return Known(base::error(Code::invalid, "has a message twice", "messages"));
    }
    TRY_ASSIGN(const std::vector<AgentMessage> there, unit.store.agent_messages().find(ids));
    const bool is_its = std::ranges::all_of(
        there, [&](const AgentMessage& one) { return one.agent_id == command.agent_id && !command.draft; });
    if (!is_its || (!there.empty() && there.size() < ids.size())) {
        return Known(base::error(Code::conflict, "something else has the id of one of them", "messages", "taken"));
    }
    return Known(there.size());
}

base::Result<void> AgentImport::take(model::AgentRecord& agent, Messages& messages, Unit& unit) {
    for (auto from = messages.begin(); from != messages.end();) {
        // Raw messages of one thread together; a summary alone, when all that it was made of is there.
        auto to = std::next(from);
        while (!is_summary(*from) && to != messages.end() && !is_summary(*to) && to->thread_id == from->thread_id) ++to;
        const std::string thread_id = from->thread_id;
        TRY(log_.adopt(agent, thread_id, std::span(from, to), unit));
        TRY(wake_thread(thread_id, from - messages.begin(), unit));
        if (is_of_fold(*from)) TRY(place_again(agent, *from, unit));
        from = to;
    }
    return {};
}

}  // namespace belfry::engine
