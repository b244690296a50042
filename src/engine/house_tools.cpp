#include "engine/house_tools.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "base/assert.hpp"
#include "base/limits.hpp"
#include "engine/agent_notice.hpp"
#include "rules/agent.hpp"
#include "rules/delivery_wake.hpp"
#include "rules/effect_id.hpp"
#include "rules/hold_proof.hpp"
#include "rules/may_wake.hpp"

namespace belfry::engine {
namespace {

namespace limits = base::limits;
using base::Code;

}  // namespace

ToolOutcome HouseTools::act(const ToolActor& actor, rules::HouseTool tool, model::JsonView arguments, Unit& unit) {
    auto read = rules::read_action(tool, arguments);
    if (!read.ok()) return base::Result<ToolEffect>(std::move(read).error());
    return std::visit([&](const auto& wish) { return act(actor, wish, unit); }, *read);
}

// Narrates the first notification with address user and ends the others as told with it. One event gives the user one
// item, also if the run fails later.
base::Result<std::optional<model::NotificationId>> HouseTools::narrate(const ToolActor& actor,
                                                                       const rules::NotifyUser& wish,
                                                                       std::span<model::Notification> open,
                                                                       Unit& unit) {
    const std::string by = "agent:" + actor.wake.agent_id;
    const auto first = std::ranges::find(open, model::Address::user, &model::Notification::address);
    std::optional<model::NotificationId> told;
    for (model::Notification& row : open) {
        const std::int64_t before = row.lease;
        rules::Steps steps;
        if (&row != std::to_address(first)) {
            (void)rules::tell_with(row, unit.now, by, steps);
        } else {
            if (rules::is_free(row, unit.now)) {
                (void)rules::claim(row, unit.now, by, limits::lease_default, steps);
            }
            rules::raise_to_user(row, unit.now, by, steps);
            row.priority = std::min(row.priority, wish.priority);  // critical is the least
            const rules::Refusal refusal =
                rules::narrate(row, unit.now, {by, row.lease, std::nullopt, wish.text}, steps);
            ASSERT(refusal == rules::Refusal::none);  // the row waits for an agent, and is held since the claim above
            told = row.id;
        }
        if (!steps.empty()) TRY(ledger_.change(row, before, std::move(steps), by, unit));
    }
    return told;
}

ToolOutcome HouseTools::act(const ToolActor& actor, const rules::NotifyUser& wish, Unit& unit) {
    TRY_ASSIGN(std::vector<model::Notification> open, wakes_.open_notifications(actor.wake, unit));
    // A pull holds a part of many notifications. An agent that Belfry runs speaks of those that it was given.
    if (actor.agent.agent.workflow != model::WorkflowKind::worker) {
        std::erase_if(open, [](const model::Notification& row) {
            return row.state != model::DeliveryState::locked || row.holder.empty();
        });
    }
    TRY_ASSIGN(const auto narrated, narrate(actor, wish, open, unit));
    if (narrated) {
        const std::string id = base::format_uuid(narrated->uuid);
        return base::Result<ToolEffect>(ToolEffect{"{\"notification_id\":\"" + id + "\"}", {id}});
    }
    auto notice = make_notice(actor.agent.agent, wish);
    if (!notice.ok()) return base::Result<ToolEffect>(std::move(notice).error());
    NewNotification told;
    told.notification = std::move(*notice);
    told.source = actor.agent.agent.display_name;
    told.user_is_named = true;
    TRY(ledger_.settle(unit));
    if (!actor.operation_id.empty()) {
        const model::NotificationId own{rules::told_notification_id(actor.wake.agent_id, actor.operation_id)};
        TRY_ASSIGN(const auto taken, unit.store.notifications().find(own));
        if (!taken) told.id = own;
    }
    TRY_ASSIGN(const model::Notification made, ledger_.add_now(std::move(told), unit));
    const std::string id = base::format_uuid(made.id.uuid);
    return base::Result<ToolEffect>(ToolEffect{"{\"notification_id\":\"" + id + "\"}", {id}});
}

base::Result<base::Result<std::string>> HouseTools::emit(const ToolActor& actor, model::Event event, Unit& unit) {
    TRY_ASSIGN(const std::int64_t depth, depth_of(actor, unit));
    if (depth >= limits::chain_depth_max) {
        return base::Result<std::string>(base::error(
            Code::conflict,
            "it comes of what agents told one another " + std::to_string(depth) + " times already: the chain ends here",
            {}, "chain_too_long"));
    }
    event.source = "agent";
    event.user_id = actor.wake.user_id;
    event.session_id = actor.wake.session_id;
    event.agent_id = actor.wake.agent_id;
    event.extensions = '"' + std::string(chain_depth_member) + "\":" + std::to_string(depth + 1);
    TRY_ASSIGN(const ports::Admission taken, intake_.take_in(std::move(event), model::house_principal(), unit));
    if (!taken.ok()) return base::Result<std::string>(taken.error());
    return base::Result<std::string>(base::format_uuid(taken->id.uuid));
}

ToolOutcome HouseTools::act(const ToolActor& actor, const rules::EmitEvent& wish, Unit& unit) {
    model::Event event;
    event.type = wish.type;
    event.severity = wish.severity;
    event.payload = wish.payload;
    TRY_ASSIGN(const auto id, emit(actor, std::move(event), unit));
    if (!id.ok()) return base::Result<ToolEffect>(id.error());
    return base::Result<ToolEffect>(ToolEffect{"{\"event_id\":\"" + *id + "\"}", {*id}});
}

ToolOutcome HouseTools::act(const ToolActor& actor, const rules::Say& wish, Unit& unit) {
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
    if (actor.wake.session_id.empty()) return base::Result<ToolEffect>(ToolEffect{});
    TRY_ASSIGN(model::Session* const session, sessions_.find(actor.wake.session_id, unit));
    if (session == nullptr || session->deleted_at) return base::Result<ToolEffect>(ToolEffect{});
    model::SessionMessage message = sessions_.new_message(*session, model::MessageRole::assistant, unit);
    message.content = wish.text;
    TRY(SessionBook::say(*session, message, unit));
    const model::Principal speaker = model::house_worker(actor.wake.agent_id);
    rules::note_spoken(session->progress, speaker.id, rules::is_guest(speaker, *session));
    sessions_.touch(*session);
    const std::string message_id = base::format_uuid(message.id.uuid);
    return base::Result<ToolEffect>(ToolEffect{"{\"message_id\":\"" + message_id + "\"}", {message_id}});
}

ToolOutcome HouseTools::act(const ToolActor& actor, const rules::SetState& wish, Unit& unit) {
    model::AgentSlots slots = rules::with_changes(actor.agent.state.slots, wish);
    if (auto may = rules::check_slots(slots); !may.ok()) return base::Result<ToolEffect>(std::move(may).error());
    actor.agent.state.slots = std::move(slots);
    TRY_ASSIGN(const model::ChangeOrigin itself, origin_of(actor, unit));
    agents_.touch_state(actor.agent, unit.now, itself);
    return base::Result<ToolEffect>(ToolEffect{});
}

ToolOutcome HouseTools::act(const ToolActor&, const rules::SleepUntil& wish, Unit&) {
    std::string says;
    model::JsonWriter(says).begin_object().field("until", base::format_timestamp(wish.until)).end_object();
    return base::Result<ToolEffect>(ToolEffect{std::move(says)});
}

ToolOutcome HouseTools::act(const ToolActor&, const rules::AcknowledgeHandles&, Unit&) {
    return base::Result<ToolEffect>(ToolEffect{});
}

}  // namespace belfry::engine
