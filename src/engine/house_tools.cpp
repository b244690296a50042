#include "engine/house_tools.hpp"

#include <algorithm>
#include <utility>

#include "base/message_limits.hpp"
#include "engine/message_batch.hpp"
#include "model/value.hpp"
#include "rules/agent.hpp"
#include "rules/model_tokens.hpp"
#include "text/toon.hpp"

namespace belfry::engine {
namespace {

namespace limits = base::limits;
using base::Code;
using model::AgentMessage;

std::string clipped(std::string text, std::size_t bytes_max) {
    if (text.size() <= bytes_max) return text;
    while ((static_cast<unsigned char>(text[bytes_max]) & 0xC0U) == 0x80U) --bytes_max;  // no half of a character
    text.resize(bytes_max);
    return text;
}

}  // namespace

base::Result<void> HouseTools::apply(ports::Command& any, Unit& unit) {
    auto& command = static_cast<ports::PerformAction&>(any);
    TRY_ASSIGN(Wakes::Found wake, wakes_.claimed(command.principal, command.id, command.fence, unit));
    if (!wake.ok()) {
        command.refuse(std::move(wake).error());
        return {};
    }
    TRY_ASSIGN(const std::vector<model::AgentPlan> rounds, unit.store.agent_messages().plans(wake->run_key));
    const model::PlannedAction* planned = nullptr;
    for (const model::AgentPlan& round : rounds) {
        const auto at = std::ranges::find(round.actions, command.operation_id, &model::PlannedAction::operation_id);
        if (at != round.actions.end()) planned = &*at;
    }
    if (planned == nullptr) {
        command.refuse(base::error(Code::invalid, "the plan of this run has no such action", "operation_id"));
        return {};
    }
    TRY_ASSIGN(const auto begun, unit.store.agent_messages().find_action(wake->agent_id, planned->operation_id));
    if (begun) {
        TRY_ASSIGN(auto before, unit.store.agent_messages().result_of(begun->id));
        if (before) {
            command.settle(ports::PerformedAction{std::move(*before), false});
            return {};
        }
    }
    TRY_ASSIGN(model::AgentRecord* const agent, agents_.find(wake->agent_id, unit));
    ASSERT(agent != nullptr);
    TRY_ASSIGN(AgentMessage result, perform({*wake, *agent}, *planned, unit));
    command.settle(ports::PerformedAction{std::move(result), true});
    return {};
}

base::Result<AgentMessage> HouseTools::perform(const Actor& actor, const model::PlannedAction& action, Unit& unit) {
    TRY_ASSIGN(base::Result<Effect> effect, act(actor, action, unit));
    AgentMessage draft;
    draft.kind = model::AgentMessageKind::tool_result;
    draft.metadata.operation_id = action.operation_id;
    draft.tool_result.emplace();
    if (effect.ok()) {
        draft.metadata.status = model::ToolStatus::success;
        draft.content = model::RawJson::trusted(std::move(effect->says));
        draft.tool_result->changed_entity_ids = std::move(effect->changed);
    } else {
        const base::Error& why = effect.error();
        draft.metadata.status = model::ToolStatus::error;
        draft.metadata.error_code = why.reason.empty() ? base::code_name(why.code) : why.reason;
        draft.metadata.error_message = clipped(why.field.empty() ? why.message : why.field + " " + why.message,
                                               limits::agent_error_message_bytes_max);
    }
    MessageBatch batch(actor.agent, actor.wake);
    TRY_ASSIGN(const base::Result<void> taken, batch.take(std::move(draft), unit));
    if (!taken.ok()) return base::error(Code::internal, "a tool's result was refused: " + taken.error().message);
    TRY_ASSIGN(const model::ChangeOrigin itself, wakes_.origin_of(actor.wake, unit));
    TRY(log_.append(actor.agent, actor.wake.thread_id, batch.staged(), itself, unit));
    AgentMessage result = batch.taken().back();
    show(actor, action, result, unit);
    return result;
}

// Whoever watches the run sees the call and what came of it.
void HouseTools::show(const Actor& actor, const model::PlannedAction& action, const AgentMessage& result, Unit& unit) {
    runs_.hear(actor.wake.run_id, unit.now);
    const auto tool = rules::parse_house_tool(action.tool_name);
    if (tool == rules::HouseTool::say && result.metadata.status == model::ToolStatus::success) return;
    std::string call;
    model::JsonWriter(call)
        .begin_object()
        .field("tool_call_id", action.operation_id)
        .field("tool_name", action.tool_name)
        .name("arguments")
        .raw(action.arguments.bytes())
        .end_object();
    (void)runs_.tell(actor.wake.run_id, "llm.tool_call", call, unit);
    std::string answer;
    model::JsonWriter writer(answer);
    writer.begin_object().field("tool_call_id", action.operation_id).field("tool_name", action.tool_name);
    writer.field("status", model::tool_status_name(*result.metadata.status)).name("result");
    if (result.metadata.error_message.empty()) writer.raw(result.content.bytes());
    else writer.text(result.metadata.error_message);
    writer.end_object();
    (void)runs_.tell(actor.wake.run_id, "llm.tool_result", answer, unit);
}

HouseTools::Outcome HouseTools::act(const Actor& actor, const model::PlannedAction& action, Unit& unit) {
    const auto tool = rules::parse_house_tool(action.tool_name);
    if (action.type != model::ActionType::tool_call || !tool) {
        return base::Result<Effect>(base::error(
            Code::invalid, "there is no such tool; there are " + rules::house_tool_names(), {}, "unknown_tool"));
    }
    auto read = rules::read_action(*tool, action.arguments.view());
    if (!read.ok()) return base::Result<Effect>(std::move(read).error());
    return std::visit([&](const auto& wish) { return act(actor, wish, unit); }, *read);
}

HouseTools::Outcome HouseTools::act(const Actor& actor, const rules::NotifyUser& wish, Unit& unit) {
    NewNotification told;
    model::Notification& one = told.notification;
    one.scope.user_id = actor.wake.user_id;
    one.scope.agent_id = actor.wake.agent_id;
    one.subscriber_id = "agents";
    one.emitter = "agent:" + actor.wake.agent_id;
    one.priority = wish.priority;
    one.severity = wish.priority == model::Priority::critical ? model::Severity::critical : model::Severity::info;
    one.address = model::Address::user;
    one.target = model::Target::user;
    one.handler = model::Handler::system;
    one.text = wish.text;
    model::Value tree = model::Value::object(2);
    tree.append("agent", model::Value::string(actor.wake.agent_id));
    tree.append("says", model::Value::string(wish.text));
    auto content = text::toon_encode(tree);
    if (!content.ok()) return base::Result<Effect>(std::move(content).error());
    one.content = std::move(*content);
    one.model_tokens = rules::estimate_model_tokens(one.content);
    told.source = actor.agent.agent.display_name;
    told.user_is_named = true;
    TRY(ledger_.settle(unit));
    TRY_ASSIGN(const model::Notification made, ledger_.add_now(std::move(told), unit));
    const std::string id = base::format_uuid(made.id.uuid);
    return base::Result<Effect>(Effect{"{\"notification_id\":\"" + id + "\"}", {id}});
}

HouseTools::Outcome HouseTools::act(const Actor& actor, const rules::EmitEvent& wish, Unit& unit) {
    TRY_ASSIGN(const std::int64_t depth, wakes_.depth_of(actor.wake, unit));
    if (depth >= limits::chain_depth_max) {
        return base::Result<Effect>(base::error(
            Code::conflict,
            "it comes of what agents told one another " + std::to_string(depth) + " times already: the chain ends here",
            {}, "chain_too_long"));
    }
    model::Event event;
    event.type = wish.type;
    event.source = "agent";
    event.severity = wish.severity;
    event.user_id = actor.wake.user_id;
    event.session_id = actor.wake.session_id;
    event.agent_id = actor.wake.agent_id;
    event.payload = wish.payload;
    event.extensions = '"' + std::string(chain_depth_member) + "\":" + std::to_string(depth + 1);
    TRY_ASSIGN(const ports::Admission taken, intake_.take_in(std::move(event), model::house_principal(), unit));
    if (!taken.ok()) return base::Result<Effect>(taken.error());
    const std::string id = base::format_uuid(taken->id.uuid);
    return base::Result<Effect>(Effect{"{\"event_id\":\"" + id + "\"}", {id}});
}

HouseTools::Outcome HouseTools::act(const Actor& actor, const rules::Say& wish, Unit& unit) {
    const base::Uuid id = base::make_uuid7(unit.now, unit.random.next(), unit.random.next());
    if (!wish.shown) {
        const std::string name = base::format_uuid(id);
        std::string begin;
        std::string words;
        model::JsonWriter(begin).begin_object().field("message_id", name).end_object();
        model::JsonWriter(words).begin_object().field("message_id", name).field("delta", wish.text).end_object();
        (void)runs_.tell(actor.wake.run_id, "llm.message_start", begin, unit);
        (void)runs_.tell(actor.wake.run_id, "llm.stream", words, unit);
        (void)runs_.tell(actor.wake.run_id, "llm.message_end", begin, unit);
    }
    if (actor.wake.session_id.empty()) return base::Result<Effect>(Effect{});
    TRY_ASSIGN(model::Session* const session, sessions_.find(actor.wake.session_id, unit));
    if (session == nullptr || session->deleted_at) return base::Result<Effect>(Effect{});
    model::SessionMessage message = sessions_.new_message(*session, model::MessageRole::assistant, unit);
    message.content = wish.text;
    TRY(SessionBook::say(*session, message, unit));
    const std::string message_id = base::format_uuid(message.id.uuid);
    return base::Result<Effect>(Effect{"{\"message_id\":\"" + message_id + "\"}", {message_id}});
}

HouseTools::Outcome HouseTools::act(const Actor& actor, const rules::SetState& wish, Unit& unit) {
    model::AgentSlots slots = rules::with_changes(actor.agent.state.slots, wish);
    if (auto may = rules::check_slots(slots); !may.ok()) return base::Result<Effect>(std::move(may).error());
    actor.agent.state.slots = std::move(slots);
    TRY_ASSIGN(const model::ChangeOrigin itself, wakes_.origin_of(actor.wake, unit));
    agents_.touch_state(actor.agent, unit.now, itself);
    return base::Result<Effect>(Effect{});
}

HouseTools::Outcome HouseTools::act(const Actor&, const rules::SleepUntil& wish, Unit&) {
    std::string says;
    model::JsonWriter(says).begin_object().field("until", base::format_timestamp(wish.until)).end_object();
    return base::Result<Effect>(Effect{std::move(says)});
}

HouseTools::Outcome HouseTools::act(const Actor&, const rules::AcknowledgeHandles&, Unit&) {
    return base::Result<Effect>(Effect{});
}

}  // namespace belfry::engine
