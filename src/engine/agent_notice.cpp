#include "engine/agent_notice.hpp"

#include <utility>
#include <variant>

#include "model/value.hpp"
#include "rules/delivery.hpp"
#include "rules/effect_id.hpp"
#include "rules/model_tokens.hpp"
#include "text/toon.hpp"

namespace belfry::engine {

base::Result<model::Notification> make_notice(const model::Agent& agent, const rules::NotifyUser& wish) {
    model::Notification one;
    one.scope.user_id = agent.user_id;
    one.scope.agent_id = agent.id;
    one.subscriber_id = "agents";
    one.emitter = "agent:" + agent.id;
    one.priority = wish.priority;
    one.severity = wish.priority == model::Priority::critical ? model::Severity::critical : model::Severity::info;
    one.address = model::Address::user;
    one.target = model::Target::user;
    one.handler = model::Handler::system;
    one.text = wish.text;
    model::Value tree = model::Value::object(2);
    tree.append("agent", model::Value::string(agent.id));
    tree.append("says", model::Value::string(wish.text));
    TRY_ASSIGN(one.content, text::toon_encode(tree));
    one.model_tokens = rules::estimate_model_tokens(one.content);
    return one;
}

base::Result<void> revise_notice(const model::Agent& agent, const model::AgentMessage& action, Ledger& ledger,
                                 Unit& unit) {
    const bool is_notice =
        action.action && rules::parse_house_tool(action.action->tool_name) == rules::HouseTool::notify_user;
    if (!is_notice) return {};
    const auto read = rules::read_action(rules::HouseTool::notify_user, action.content.view());
    if (!read.ok()) return {};
    const auto* const wish = std::get_if<rules::NotifyUser>(&*read);
    if (wish == nullptr) return {};
    TRY(ledger.settle(unit));
    const model::NotificationId id{rules::told_notification_id(agent.id, action.metadata.operation_id)};
    TRY_ASSIGN(auto row, unit.store.notifications().find(id));
    if (!row || row->text == wish->text) return {};
    auto update = make_notice(agent, *wish);
    if (!update.ok()) return {};  // the text cannot be shown: the earlier one stays
    if (rules::repeat(*row, update->emitter, std::nullopt) != rules::Repeat::overwrites) {
        // The user has read it, or it has ended otherwise: the history tells what the devices agreed on.
        row->text = std::move(update->text);
        row->content = std::move(update->content);
        row->model_tokens = update->model_tokens;
        ++row->version;
        TRY(unit.store.notifications().revise(*row));
        return {};
    }
    const model::Notification before = *row;
    rules::Steps steps;
    rules::overwrite(*row, *update, unit.now, steps);
    return ledger.tell_update(*row, before, std::move(steps), unit);
}

}  // namespace belfry::engine
