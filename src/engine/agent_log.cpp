#include "engine/agent_log.hpp"

#include <algorithm>
#include <utility>

#include "base/message_limits.hpp"

namespace belfry::engine {
namespace {

namespace limits = base::limits;
using model::AgentMessage;
using model::AgentRelation;

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

// What a person says is his change, all else is the agent's own.
NewChange change_of(const model::Agent& agent, const AgentMessage& message) {
    using model::ChangeOrigin;
    using model::ChangeToken;
    NewChange change{"agent_message", base::format_uuid(message.id), agent.user_id, {}, {}, true};
    if (message.kind != model::AgentMessageKind::user) change.origin = {ChangeOrigin::Kind::agent, agent.id};
    const auto add = [&](base::Result<ChangeToken> token) {
        if (token.ok()) change.tokens.push_back(std::move(*token));
    };
    add(ChangeToken::make(ChangeToken::Class::semantic_key, {}, model::agent_message_appended_key));
    add(ChangeToken::make(ChangeToken::Class::subtype, change.kind, model::agent_message_kind_name(message.kind)));
    add(ChangeToken::make(ChangeToken::Class::entity_id, {}, change.id));
    return change;
}

}  // namespace

base::Result<std::int64_t> AgentLog::next_position(Unit& unit) {
    if (!last_) {
        TRY_ASSIGN(last_, unit.store.agent_messages().last_position());
    }
    return ++*last_;
}

base::Result<void> AgentLog::append(model::AgentRecord& agent, const std::string& thread_id,
                                    std::span<AgentMessage> messages, Unit& unit) {
    if (messages.empty()) return {};
    ports::AgentMessageTable& table = unit.store.agent_messages();
    TRY_ASSIGN(const std::vector<AgentMessage> thread_head, table.newest(thread_id, 1));
    std::optional<base::Uuid> prev;
    if (!thread_head.empty()) prev = thread_head.front().id;
    // The order by time is the order of coming, whatever the clock does.
    base::Timestamp created_at = unit.now;
    if (agent.state.recent_head_message_id) {
        TRY_ASSIGN(const auto head, table.find(std::span(&*agent.state.recent_head_message_id, 1)));
        if (!head.empty()) created_at = std::max(created_at, head.front().created_at);
    }
    std::vector<model::AgentLink> links;
    for (AgentMessage& message : messages) {
        if (message.id.is_nil()) message.id = new_id(unit);
        TRY_ASSIGN(message.position, next_position(unit));
        message.agent_id = agent.agent.id;
        message.thread_id = thread_id;
        message.created_at = created_at;
        message.prev_message_id = std::exchange(prev, message.id);
        if (message.content.bytes().size() > limits::agent_message_inline_bytes_max) {
            message.content_entry_id = new_id(unit);
        }
        if (message.kind == model::AgentMessageKind::summary) agent.state.latest_summary_message_id = message.id;
        add_links(links, message, agent.agent.user_id);
    }
    TRY(table.add(messages));
    TRY(table.link(links));
    for (const AgentMessage& message : messages) changes_.note(change_of(agent.agent, message));
    agent.state.recent_head_message_id = prev;
    agent.runtime.hot_message_count += static_cast<std::int64_t>(messages.size());
    agents_.touch(agent);
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

base::Result<ports::WakeContext> AgentLog::context(const model::Wake& wake, std::size_t count, Unit& unit) {
    ports::WakeContext context;
    TRY_ASSIGN(context.messages, unit.store.agent_messages().newest(wake.thread_id, count));
    std::size_t bytes = 0;
    const auto is_too_much = [&](const AgentMessage& message) {
        bytes += message.content.bytes().size();
        return bytes > limits::context_bytes_max;
    };
    context.messages.erase(std::ranges::find_if(context.messages, is_too_much), context.messages.end());
    std::ranges::reverse(context.messages);
    TRY_ASSIGN(context.plans, plans(wake.run_key, unit));
    return context;
}

}  // namespace belfry::engine
