#include "engine/change_set_book.hpp"

#include <utility>

#include "base/change_set_limits.hpp"
#include "base/message_limits.hpp"
#include "engine/message_batch.hpp"
#include "model/value.hpp"
#include "rules/change_set.hpp"
#include "rules/delivery.hpp"
#include "rules/model_tokens.hpp"
#include "text/toon.hpp"

namespace belfry::engine {
namespace {

namespace limits = base::limits;
using base::Code;
using model::ChangeItemState;

std::string key_of(const model::ChangeSet& set) {
    return "change-set:" + base::format_uuid(set.id.uuid);
}

model::ChangeSet new_set(const ToolActor& actor, std::int64_t depth, Unit& unit) {
    model::ChangeSet set;
    set.id = {base::make_uuid7(unit.now, unit.random.next(), unit.random.next())};
    set.wake_id = actor.wake.id;
    set.user_id = actor.wake.user_id;
    set.agent_id = actor.wake.agent_id;
    set.agent_name = actor.agent.agent.display_name;
    set.run_id = actor.wake.run_id;
    set.thread_id = actor.wake.thread_id;
    set.session_id = actor.wake.session_id;
    set.reason = actor.wake.reason;
    set.depth = depth;
    set.created_at = unit.now;
    return set;
}

base::Error no_room(std::size_t count, std::string_view what) {
    return base::error(Code::overloaded, std::to_string(count) + std::string(what) + ": the person decides first", {},
                       "too_many_proposals");
}

model::RawJson observation_of(const model::ChangeSet& set, const model::ChangeItem& item) {
    std::string content;
    model::JsonWriter writer(content);
    writer.begin_object().field("change_set_id", base::format_uuid(set.id.uuid)).field("item", item.number);
    writer.field("tool_name", item.tool_name).field("operation_id", item.operation_id);
    writer.field("outcome", model::change_item_state_name(item.state));
    const bool is_told = item.result && item.result->bytes().size() <= limits::agent_message_inline_bytes_max / 2;
    if (is_told) writer.name("result").raw(item.result->bytes());
    if (!item.error_code.empty()) {
        writer.name("error").begin_object().field("code", item.error_code);
        writer.field("message", item.error_message).end_object();
    }
    writer.end_object();
    return model::RawJson::trusted(std::move(content));
}

base::Result<NewNotification> notification_of(const model::ChangeSet& set) {
    NewNotification told;
    model::Notification& one = told.notification;
    one.scope.user_id = set.user_id;
    one.scope.agent_id = set.agent_id;
    one.subscriber_id = "agents";
    one.emitter = "agent:" + set.agent_id;
    one.address = model::Address::user;
    one.target = model::Target::user;
    one.handler = model::Handler::system;
    one.deduplication_key = key_of(set);
    one.text = rules::proposal_text(set);
    const std::string id = base::format_uuid(set.id.uuid);
    model::Value tree = model::Value::object(3);
    tree.append("agent", model::Value::string(set.agent_id));
    tree.append("says", model::Value::string(one.text));
    tree.append("change_set", model::Value::string(id));
    TRY_ASSIGN(one.content, text::toon_encode(tree));
    one.metadata = model::RawJson::trusted("{\"change_set_id\":\"" + id + "\"}");
    one.model_tokens = rules::estimate_model_tokens(one.content);
    told.source = set.agent_name;
    told.user_is_named = true;
    return told;
}

}  // namespace

model::Wake wake_of(const model::ChangeSet& set) {
    model::Wake wake;
    wake.id = set.wake_id;
    wake.agent_id = set.agent_id;
    wake.user_id = set.user_id;
    wake.reason = set.reason;
    wake.reason_id = base::format_uuid(set.id.uuid);
    wake.thread_id = set.thread_id;
    wake.session_id = set.session_id;
    wake.run_id = set.run_id;
    return wake;
}

base::Result<ChangeSetBook::Proposed> ChangeSetBook::propose(const ToolActor& actor, const model::PlannedAction& action,
                                                             model::RawJson changes, std::int64_t depth, Unit& unit) {
    ports::ChangeSetTable& table = unit.store.change_sets();
    TRY_ASSIGN(std::optional<model::ChangeSet> set, table.of_wake(actor.wake.id));
    if (!set) {
        TRY_ASSIGN(const std::int64_t open, table.count_open(actor.wake.user_id));
        if (open >= static_cast<std::int64_t>(limits::change_sets_open_max)) {
            return Proposed(no_room(limits::change_sets_open_max, " sets of changes wait for the person"));
        }
        set = new_set(actor, depth, unit);
        TRY_ASSIGN(set->ordinal, table.add(*set));
    }
    if (set->item_count() >= static_cast<std::int64_t>(limits::change_items_max)) {
        return Proposed(no_room(limits::change_items_max, " changes were proposed in this wake"));
    }
    model::ChangeItem item;
    item.number = set->item_count() + 1;
    item.tool_name = action.tool_name;
    item.arguments = action.arguments;
    item.operation_id = action.operation_id;
    item.changes = std::move(changes);
    item.created_at = unit.now;
    rules::add(*set, item, unit.now);
    TRY(table.add_item(set->ordinal, item));
    TRY(table.update(*set));
    TRY(tell(*set, unit));
    TRY(notify(*set, unit));
    return Proposed(Place{set->id, item.number});
}

base::Result<void> ChangeSetBook::settle(model::ChangeSet& set, model::ChangeItem& item, ChangeItemState state,
                                         const std::string& by, model::AgentRecord* agent, Unit& unit) {
    rules::settle(set, item, state, by, unit.now);
    TRY_ASSIGN(const bool was_proposed, unit.store.change_sets().settle_item(set.ordinal, item));
    if (!was_proposed) return base::error(Code::conflict, "somebody else has decided this", "number", "decided");
    TRY(unit.store.change_sets().update(set));
    if (agent == nullptr) return {};
    return observe(set, item, *agent, unit);
}

base::Result<void> ChangeSetBook::observe(const model::ChangeSet& set, const model::ChangeItem& item,
                                          model::AgentRecord& agent, Unit& unit) {
    model::AgentMessage draft;
    draft.kind = model::AgentMessageKind::observation;
    draft.content = observation_of(set, item);
    const model::Wake wake = wake_of(set);
    MessageBatch batch(agent, wake);
    TRY_ASSIGN(const base::Result<void> taken, batch.take(std::move(draft), unit));
    if (!taken.ok()) return base::error(Code::internal, "a decision was refused: " + taken.error().message);
    const model::ChangeOrigin by_user{model::ChangeOrigin::Kind::user, {}};
    return log_.append(agent, set.thread_id, batch.staged(), by_user, unit);
}

base::Result<void> ChangeSetBook::tell(const model::ChangeSet& set, Unit& unit) {
    std::string body;
    model::append_change_set_line(body, set);
    TRY_ASSIGN(const model::StreamId stream, ledger_.inbox_stream(set.user_id, unit));
    unit.streams.append(unit.store, stream, {model::Severity::info, "change_set", set.user_id, set.session_id}, body);
    return {};
}

base::Result<void> ChangeSetBook::notify(const model::ChangeSet& set, Unit& unit) {
    TRY_ASSIGN(NewNotification told, notification_of(set));
    TRY(ledger_.settle(unit));
    TRY_ASSIGN(auto waiting, unit.store.notifications().find_key(set.user_id, key_of(set)));
    if (!waiting || rules::repeat(*waiting, "belfry", std::nullopt) != rules::Repeat::overwrites) {
        if (waiting) told.notification.follows = waiting->id;
        TRY(ledger_.add_now(std::move(told), unit));
        return {};
    }
    const model::Notification before = *waiting;
    rules::Steps steps;
    rules::overwrite(*waiting, told.notification, unit.now, steps);
    return ledger_.tell_update(*waiting, before, std::move(steps), unit);
}

base::Result<void> ChangeSetBook::tell_decided(const model::ChangeSet& set, const std::string& by, Unit& unit) {
    TRY(tell(set, unit));
    if (!set.decided_at) return {};
    TRY(ledger_.settle(unit));
    TRY_ASSIGN(auto waiting, unit.store.notifications().find_key(set.user_id, key_of(set)));
    if (!waiting || !rules::mark_read(*waiting, model::ReadMark::acted, unit.now)) return {};
    return ledger_.mark(*waiting, by, unit);
}

}  // namespace belfry::engine
