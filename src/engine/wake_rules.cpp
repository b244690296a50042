#include "engine/wake_rules.hpp"

#include <algorithm>
#include <span>
#include <unordered_map>
#include <utility>

#include "base/limits.hpp"
#include "rules/wake_facts.hpp"

namespace belfry::engine {
namespace {

std::vector<model::ChangeToken> tokens_of(const model::WakeSubscription& subscription) {
    std::vector<model::ChangeToken> tokens;
    for (const std::string& text : subscription.tokens) {
        auto token = model::ChangeToken::parse(text);
        if (token.ok()) tokens.push_back(std::move(*token));
    }
    std::ranges::sort(tokens);
    return tokens;
}

bool lets_through(const WakeRule& rule, const model::Event& event, std::string_view person,
                  const rules::EventFacts& facts) {
    const model::WakeSubscription& subscription = rule.subscription;
    if (rule.user_id != person || event.severity < subscription.severity) return false;
    // What it says itself does not wake it.
    if (event.agent_id == subscription.agent_id) return false;
    const auto& sources = subscription.sources;
    if (!sources.empty() && std::ranges::find(sources, event.source) == sources.end()) return false;
    return !rule.predicate || rule.predicate->holds(facts);
}

}  // namespace

base::Result<void> WakeRules::rebuild(Unit& unit) {
    rules_.clear();
    free_.clear();
    places_.clear();
    index_ = {};
    is_changed_ = false;
    TRY_ASSIGN(const std::vector<model::WakeSubscription> all, unit.store.agents().load_subscriptions());
    std::unordered_map<std::string, std::string> users;  // by agent
    for (const model::WakeSubscription& one : all) users.try_emplace(one.agent_id);
    std::vector<std::string> agents;
    agents.reserve(users.size());
    for (const auto& [agent_id, user_id] : users) agents.push_back(agent_id);
    for (std::size_t first = 0; first < agents.size(); first += base::limits::sweep_slice_rows) {
        const std::size_t count = std::min(base::limits::sweep_slice_rows, agents.size() - first);
        TRY_ASSIGN(const auto found, unit.store.agents().find(std::span(agents).subspan(first, count)));
        for (const model::AgentRecord& agent : found) users[agent.agent.id] = agent.agent.user_id;
    }
    for (const model::WakeSubscription& one : all) {
        if (const std::string& user_id = users.at(one.agent_id); !user_id.empty()) put(one, user_id);
    }
    is_changed_ = true;  // what it is read in may be dropped
    return {};
}

void WakeRules::put(const model::WakeSubscription& subscription, const std::string& user_id) {
    remove(subscription.id);
    if (!subscription.active) return;
    WakeRule rule{subscription, user_id, {}, tokens_of(subscription)};
    if (!subscription.predicate.empty()) {
        auto parsed = rules::Predicate::parse(subscription.predicate, rules::roots_of(subscription));
        if (!parsed.ok()) return;  // it was checked when it came; what an older Belfry took, nobody is woken by
        rule.predicate = std::move(*parsed);
    }
    std::uint32_t place = 0;
    if (free_.empty()) {
        place = static_cast<std::uint32_t>(rules_.size());
        rules_.emplace_back();
    } else {
        place = free_.back();
        free_.pop_back();
    }
    index_.set(place, {user_id, subscription.types, rule.tokens});
    places_.emplace(subscription.id, place);
    rules_[place] = std::move(rule);
    is_changed_ = true;
}

void WakeRules::remove(const model::SubscriptionId& id) {
    const auto at = places_.find(id);
    if (at == places_.end()) return;
    index_.remove(at->second);
    rules_[at->second].reset();
    free_.push_back(at->second);
    places_.erase(at);
    is_changed_ = true;
}

const std::vector<const WakeRule*>& WakeRules::matches(const model::Event& event, std::string_view person) {
    matching_.clear();
    index_.match_event(person, event.type, found_);
    if (found_.empty()) return matching_;
    const rules::EventFacts facts(event);
    for (const std::uint32_t place : found_) {
        const WakeRule& rule = *rules_[place];
        if (lets_through(rule, event, person, facts)) matching_.push_back(&rule);
    }
    return matching_;
}

const std::vector<const WakeRule*>& WakeRules::about(std::span<const model::ChangeToken> tokens,
                                                     std::string_view person) {
    matching_.clear();
    index_.match_tokens(person, tokens, found_);
    for (const std::uint32_t place : found_) {
        if (rules_[place]->user_id == person) matching_.push_back(&*rules_[place]);
    }
    return matching_;
}

bool WakeRules::dropped() {
    return std::exchange(is_changed_, false);
}

}  // namespace belfry::engine
