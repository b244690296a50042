#include <algorithm>

#include "engine/wakes.hpp"
#include "rules/change_wake.hpp"
#include "rules/wake_facts.hpp"
#include "rules/wake_key.hpp"

namespace belfry::engine {
namespace {

struct Hit {
    const WakeRule* rule = nullptr;
    std::vector<const model::Change*> changes;
};

bool is_of_agent(const model::Change& change) {
    return change.unit.kind == model::agent_kind || change.unit.kind == model::agent_state_kind;
}

}  // namespace

base::Result<void> Wakes::notice(const model::ChangeBatch& batch, Unit& unit) {
    TRY(refresh(unit));
    if (rules_.is_empty()) return {};
    std::vector<const model::Change*> all;
    for (const model::Change& change : batch.changes) all.push_back(&change);
    const std::vector<const WakeRule*> about = rules_.about(model::tokens_of(all), batch.user_id);
    if (about.empty()) return {};
    std::vector<std::string> watchers;
    for (const WakeRule* const rule : about) watchers.push_back(rule->subscription.agent_id);
    TRY(agents_.load(watchers, unit));

    std::vector<Hit> hits;
    std::vector<const model::Change*> asked;  // by a predicate
    auto links = ChangedRecords::Links::no;
    for (const WakeRule* const rule : about) {
        TRY_ASSIGN(const model::AgentRecord* const agent, agents_.find(rule->subscription.agent_id, unit));
        if (agent == nullptr) continue;
        Hit hit{rule, rules::changes_for(rule->subscription, rule->tokens, agent->state.processed_counter_by_host,
                                         batch.changes)};
        if (hit.changes.empty()) continue;
        if (rule->predicate) asked.insert(asked.end(), hit.changes.begin(), hit.changes.end());
        if (rule->predicate && rule->predicate->has_links()) links = ChangedRecords::Links::yes;
        hits.push_back(std::move(hit));
    }
    TRY(load_changed(asked, unit));
    ChangedRecords records;
    TRY(records.load(batch.user_id, asked, links, unit));
    for (Hit& hit : hits) TRY(signal_changes(*hit.rule, batch, std::move(hit.changes), records, unit));
    return {};
}

base::Result<void> Wakes::load_changed(const std::vector<const model::Change*>& changes, Unit& unit) {
    std::vector<std::string> ids;
    for (const model::Change* const change : changes) {
        if (is_of_agent(*change)) ids.push_back(change->unit.id);
    }
    return agents_.load(ids, unit);
}

base::Result<void> Wakes::signal_changes(const WakeRule& rule, const model::ChangeBatch& batch,
                                         std::vector<const model::Change*> changes, const ChangedRecords& records,
                                         Unit& unit) {
    if (rule.predicate) {
        std::vector<const model::Change*> held;
        for (const model::Change* const change : changes) {
            if (!is_of_agent(*change)) {
                if (records.holds(*rule.predicate, *change)) held.push_back(change);
                continue;
            }
            TRY_ASSIGN(const model::AgentRecord* const record, agents_.find(change->unit.id, unit));
            if (record != nullptr && rule.predicate->holds(rules::AgentFacts(*record))) held.push_back(change);
        }
        changes = std::move(held);
    }
    if (changes.empty()) return {};
    const model::WakeSubscription& subscription = rule.subscription;
    std::string body;
    model::JsonWriter writer(body);
    writer.begin_object();
    model::append_changes(writer, batch, changes);
    writer.end_object();
    Signal cause;
    cause.reason_id = base::format_uuid(subscription.id.uuid);
    cause.run_key = rules::subscription_run_key(subscription.agent_id, cause.reason_id, batch.id);
    cause.kind = model::SignalKind::change;
    cause.key = batch.id;
    cause.body = body;
    cause.window = subscription.window;
    cause.priority = subscription.priority;
    for (const model::Change* const change : changes) {
        const auto [at, is_new] = cause.first_changes.emplace(change->unit.host, change->unit.counter);
        if (!is_new) at->second = std::min(at->second, change->unit.counter);
    }
    return signal(subscription.agent_id, rule.user_id, cause, unit);
}

}  // namespace belfry::engine
