#include <algorithm>

#include "engine/notify.hpp"
#include "engine/wakes.hpp"
#include "rules/change_sight.hpp"
#include "rules/change_wake.hpp"
#include "rules/wake_facts.hpp"
#include "rules/wake_key.hpp"

namespace belfry::engine {
namespace {

struct Hit {
    const WakeRule* rule = nullptr;
    std::vector<std::string> allowed;  // categories of its agent
    std::vector<const model::Change*> changes;
};

// What the agent is told of them, as far as that still touches what it asked for.
std::vector<model::Change> told_of(const Hit& hit, const ChangedRecords& records) {
    std::vector<model::Change> told;
    for (const model::Change* const change : hit.changes) {
        std::set<std::string> seen;
        for (std::string& id : rules::named_by(*change)) {
            if (records.is_in(id, hit.allowed)) seen.insert(std::move(id));
        }
        auto part = rules::told_part(*change, hit.allowed, seen);
        if (part && rules::touches(*part, hit.rule->tokens)) told.push_back(std::move(*part));
    }
    return told;
}

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
    ChangedRecords::Wanted wanted;
    for (const WakeRule* const rule : about) {
        TRY_ASSIGN(const model::AgentRecord* const agent, agents_.find(rule->subscription.agent_id, unit));
        if (agent == nullptr) continue;
        Hit hit{rule, agent->agent.allowed_category_ids,
                rules::changes_for(rule->subscription, rule->tokens, agent->state.processed_counter_by_host,
                                   batch.changes)};
        std::erase_if(hit.changes, [&](const auto* change) { return !rules::may_be_told(*change, hit.allowed); });
        if (hit.changes.empty()) continue;
        for (const model::Change* const change : hit.changes) {
            for (std::string& id : rules::named_by(*change)) wanted.named.insert(std::move(id));
            if (rule->predicate) wanted.asked.push_back(change);
        }
        wanted.links = wanted.links || (rule->predicate && rule->predicate->has_links());
        hits.push_back(std::move(hit));
    }
    TRY(load_changed(wanted.asked, unit));
    ChangedRecords records;
    TRY(records.load(batch.user_id, wanted, unit));
    for (const Hit& hit : hits) {
        TRY(signal_changes(*hit.rule, batch, told_of(hit, records), hit.allowed, records, unit));
    }
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
                                         const std::vector<model::Change>& told, std::span<const std::string> allowed,
                                         const ChangedRecords& records, Unit& unit) {
    std::vector<const model::Change*> changes;
    for (const model::Change& change : told) {
        bool holds = true;
        if (rule.predicate && is_of_agent(change)) {
            TRY_ASSIGN(const model::AgentRecord* const record, agents_.find(change.unit.id, unit));
            holds = record != nullptr && rule.predicate->holds(rules::AgentFacts(*record));
        } else if (rule.predicate) {
            holds = records.holds(*rule.predicate, change, allowed);
        }
        if (holds) changes.push_back(&change);
    }
    if (changes.empty()) return {};
    const model::WakeSubscription& subscription = rule.subscription;
    std::string body;
    model::JsonWriter writer(body);
    const std::int64_t depth = rules::depth_of(changes);
    writer.begin_object();
    if (depth > 0) writer.field(chain_depth_member, depth);
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
    cause.depth = depth;
    cause.wakes_others = subscription.synced;
    for (const model::Change* const change : changes) {
        const auto [at, is_new] = cause.first_changes.emplace(change->unit.host, change->unit.counter);
        if (!is_new) at->second = std::min(at->second, change->unit.counter);
    }
    return signal(subscription.agent_id, rule.user_id, cause, unit);
}

}  // namespace belfry::engine
