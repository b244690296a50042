#include "engine/rule_changes.hpp"

#include "rules/merge_record.hpp"
#include "rules/sync_bodies.hpp"

namespace belfry::engine {
namespace {

void note(const model::WakeSubscription& rule, const std::string& user_id, std::vector<std::string> fields,
          ChangeLog& log) {
    if (fields.empty()) return;
    log.note({std::string(model::agent_subscription_kind),
              base::format_uuid(rule.id.uuid),
              user_id,
              {},
              {},
              false,
              {},
              std::move(fields)});
}

}  // namespace

void note_rule(const model::WakeSubscription* before, const model::WakeSubscription& after, const std::string& user_id,
               ChangeLog& log) {
    const model::RawJson was = before != nullptr ? rules::subscription_body(*before) : model::RawJson();
    note(after, user_id, rules::changed_fields(was.view(), rules::subscription_body(after).view()), log);
}

base::Result<void> bury_rule(const model::WakeSubscription& rule, const std::string& user_id, ChangeLog& log,
                             Unit& unit) {
    const ports::SyncTable::Plain dead{std::string(model::agent_subscription_kind), base::format_uuid(rule.id.uuid),
                                       user_id, rules::with_deleted_at(rules::subscription_body(rule), unit.now),
                                       unit.now};
    TRY(unit.store.sync().put_plain(std::span(&dead, 1)));
    note(rule, user_id, {"deleted_at"}, log);
    return {};
}

base::Result<void> bury_rules(const model::Agent& agent, ChangeLog& log, Unit& unit) {
    TRY_ASSIGN(const auto rules, unit.store.agents().subscriptions_of(agent.id));
    for (const model::WakeSubscription& rule : rules) TRY(bury_rule(rule, agent.user_id, log, unit));
    return {};
}

}  // namespace belfry::engine
