#include "engine/message_batch.hpp"

#include <algorithm>
#include <utility>

#include "rules/agent_message.hpp"
#include "rules/effect_id.hpp"

namespace belfry::engine {
namespace {

using base::Code;
using model::AgentMessage;
using model::AgentMessageKind;
using Refused = base::Result<base::Result<void>>;

Refused refused(base::Error error) {
    return base::Result<void>(std::move(error));
}

Refused taken_by_another(const char* field, const char* what, const char* reason) {
    return refused(base::error(Code::conflict, what, field, reason));
}

}  // namespace

Refused MessageBatch::take(AgentMessage draft, Unit& unit) {
    if (auto checked = rules::check_message(draft, agent_.agent); !checked.ok()) {
        return refused(std::move(checked).error());
    }
    if (draft.trigger_source_id.empty()) draft.trigger_source_id = wake_.reason_id;
    if (!draft.id.is_nil()) {
        TRY_ASSIGN(const auto there, find(draft.id, unit));
        if (there) {
            const bool is_same = there->agent_id == agent_.agent.id && there->thread_id == wake_.thread_id &&
                                 rules::is_same_message(*there, draft);
            if (!is_same) return taken_by_another("id", "another message has this id", "taken");
            is_there(*there);
            return base::Result<void>{};
        }
    }
    switch (draft.kind) {
        case AgentMessageKind::action: return take_action(std::move(draft), unit);
        case AgentMessageKind::tool_result: return take_result(std::move(draft), unit);
        case AgentMessageKind::summary: return take_summary(std::move(draft), unit);
        default: return stage(std::move(draft), unit);
    }
}

Refused MessageBatch::take_action(AgentMessage draft, Unit& unit) {
    const std::string& operation = draft.metadata.operation_id;
    TRY_ASSIGN(const auto there, find_action(operation, unit));
    if (there) {
        if (there->thread_id != wake_.thread_id || !rules::is_same_message(*there, draft)) {
            return taken_by_another("action.operation_id", "another action has this operation", "operation_taken");
        }
        is_there(*there);
        return base::Result<void>{};
    }
    TRY_ASSIGN(const auto plan, planned(operation, unit));
    if (plan) {
        if (auto fits = rules::check_planned(*plan, draft); !fits.ok()) return refused(std::move(fits).error());
    }
    return stage(std::move(draft), unit);
}

// An action of the plan that was not told of by itself is told of with its result, so that there are always two.
Refused MessageBatch::take_result(AgentMessage draft, Unit& unit) {
    model::AgentMessageMetadata& said = draft.metadata;
    std::optional<AgentMessage> action;
    if (said.action_ref_id) {
        TRY_ASSIGN(action, find(*said.action_ref_id, unit));
    } else {
        TRY_ASSIGN(action, find_action(said.operation_id, unit));
        TRY_ASSIGN(const auto plan, planned(said.operation_id, unit));
        if (!action && plan) {
            AgentMessage begun = rules::message_of(*plan, agent_.agent);
            begun.trigger_source_id = wake_.reason_id;
            TRY_ASSIGN(const AgentMessage* const placed, place(std::move(begun), unit));
            action = *placed;
        }
    }
    const char* const named = said.action_ref_id ? "tool_result.action_ref_id" : "tool_result.operation_id";
    if (!action || !rules::may_be_answered(*action, wake_.thread_id)) {
        return refused(base::error(Code::invalid, "must be an action of this thread", named));
    }
    if (!said.operation_id.empty() && said.operation_id != action->metadata.operation_id) {
        return refused(base::error(Code::invalid, "is not that of the action", "tool_result.operation_id"));
    }
    said.action_ref_id = action->id;
    said.operation_id = action->metadata.operation_id;
    TRY_ASSIGN(const auto there, result_of(action->id, unit));
    if (there) {
        if (!rules::is_same_message(*there, draft)) {
            return taken_by_another(named, "this action has another result already", "answered");
        }
        is_there(*there);
        return base::Result<void>{};
    }
    return stage(std::move(draft), unit);
}

Refused MessageBatch::take_summary(AgentMessage draft, Unit& unit) {
    TRY_ASSIGN(const auto start, find(*draft.summary_start_message_id, unit));
    TRY_ASSIGN(const auto end, find(*draft.summary_end_message_id, unit));
    const auto is_ours = [&](const std::optional<AgentMessage>& one) {
        return one && one->position > 0 && one->agent_id == agent_.agent.id;
    };
    if (!is_ours(start)) {
        return refused(base::error(Code::invalid, "must be a message of this agent", "summary_start_message_id"));
    }
    if (!is_ours(end)) {
        return refused(base::error(Code::invalid, "must be a message of this agent", "summary_end_message_id"));
    }
    if (start->position > end->position) {
        return refused(base::error(Code::invalid, "must not come before the start", "summary_end_message_id"));
    }
    return stage(std::move(draft), unit);
}

base::Result<base::Uuid> MessageBatch::id_of(const AgentMessage& draft, Unit& unit) const {
    const bool is_action = draft.kind == AgentMessageKind::action;
    if (is_action || draft.kind == AgentMessageKind::tool_result) {
        const std::string& operation = draft.metadata.operation_id;
        const base::Uuid id = is_action ? rules::action_message_id(agent_.agent.id, operation)
                                        : rules::result_message_id(agent_.agent.id, operation);
        // Whoever names his messages himself may have given it to another one.
        TRY_ASSIGN(const auto taken, find(id, unit));
        if (!taken) return id;
    }
    return base::make_uuid7(unit.now, unit.random.next(), unit.random.next());
}

base::Result<const AgentMessage*> MessageBatch::place(AgentMessage draft, Unit& unit) {
    if (draft.id.is_nil()) {
        TRY_ASSIGN(draft.id, id_of(draft, unit));
    }
    draft.agent_id = agent_.agent.id;
    draft.thread_id = wake_.thread_id;
    return &staged_.emplace_back(std::move(draft));
}

Refused MessageBatch::stage(AgentMessage draft, Unit& unit) {
    taken_.push_back({staged_.size(), std::nullopt});
    TRY(place(std::move(draft), unit));
    return base::Result<void>{};
}

void MessageBatch::is_there(const AgentMessage& message) {
    const auto at = std::ranges::find(staged_, message.id, &AgentMessage::id);
    if (at == staged_.end()) taken_.push_back({std::nullopt, message});
    else taken_.push_back({static_cast<std::size_t>(at - staged_.begin()), std::nullopt});
}

std::vector<AgentMessage> MessageBatch::taken() const {
    std::vector<AgentMessage> all;
    for (const Taken& one : taken_) all.push_back(one.staged ? staged_[*one.staged] : *one.there);
    return all;
}

MessageBatch::Maybe MessageBatch::find(const base::Uuid& id, Unit& unit) const {
    const auto at = std::ranges::find(staged_, id, &AgentMessage::id);
    if (at != staged_.end()) return std::optional(*at);
    TRY_ASSIGN(std::vector<AgentMessage> found, unit.store.agent_messages().find(std::span(&id, 1)));
    if (found.empty()) return std::optional<AgentMessage>{};
    return std::optional(std::move(found.front()));
}

MessageBatch::Maybe MessageBatch::find_action(const std::string& operation_id, Unit& unit) const {
    const auto at = std::ranges::find_if(staged_, [&](const AgentMessage& one) {
        return one.kind == AgentMessageKind::action && one.metadata.operation_id == operation_id;
    });
    if (at != staged_.end()) return std::optional(*at);
    return unit.store.agent_messages().find_action(agent_.agent.id, operation_id);
}

MessageBatch::Maybe MessageBatch::result_of(const base::Uuid& action_id, Unit& unit) const {
    const auto at = std::ranges::find_if(staged_, [&](const AgentMessage& one) {
        return one.kind == AgentMessageKind::tool_result && one.metadata.action_ref_id == action_id;
    });
    if (at != staged_.end()) return std::optional(*at);
    return unit.store.agent_messages().result_of(action_id);
}

base::Result<std::optional<model::PlannedAction>> MessageBatch::planned(const std::string& operation_id, Unit& unit) {
    if (!plans_) {
        TRY_ASSIGN(plans_, unit.store.agent_messages().plans(wake_.run_key));
    }
    for (const model::AgentPlan& plan : *plans_) {
        const auto at = std::ranges::find(plan.actions, operation_id, &model::PlannedAction::operation_id);
        if (at != plan.actions.end()) return std::optional(*at);
    }
    return std::optional<model::PlannedAction>{};
}

}  // namespace belfry::engine
