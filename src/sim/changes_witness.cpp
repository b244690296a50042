#include "sim/changes_witness.hpp"

#include <algorithm>
#include <charconv>

namespace belfry::sim {
namespace {

// The counters that a signal names, read from its text.
std::vector<std::uint64_t> counters_in(std::string_view body) {
    constexpr std::string_view mark = "\"counter\":";
    std::vector<std::uint64_t> found;
    for (std::size_t at = body.find(mark); at != std::string_view::npos; at = body.find(mark, at + 1)) {
        std::uint64_t counter = 0;
        std::from_chars(body.data() + at + mark.size(), body.data() + body.size(), counter);
        found.push_back(counter);
    }
    return found;
}

bool is_about(const model::WakeSubscription& rule, const model::Change& change) {
    using Kind = model::ChangeOrigin::Kind;
    if (!rule.active || rule.tokens.empty()) return false;
    if (change.origin.kind == Kind::agent && change.origin.agent_id == rule.agent_id) return false;
    return std::ranges::any_of(change.tokens, [&](const model::ChangeToken& token) {
        return std::ranges::find(rule.tokens, model::to_text(token)) != rule.tokens.end();
    });
}

std::int64_t processed(const model::AgentRecord& agent, const std::string& host) {
    const auto at = agent.state.processed_counter_by_host.find(host);
    return at == agent.state.processed_counter_by_host.end() ? 0 : at->second;
}

}  // namespace

void ChangesWitness::carry(const model::WakeSignal& signal) {
    for (const std::uint64_t counter : counters_in(signal.body.bytes())) {
        const auto [at, is_new] = first_.emplace(signal.wake_id, counter);
        if (!is_new) at->second = std::min(at->second, counter);
    }
}

void ChangesWitness::compare_processed(const model::AgentRecord& before, const model::AgentRecord& agent,
                                       const WakeLook& look, Complaints& complaints) const {
    for (const auto& [host, counter] : before.state.processed_counter_by_host) {
        if (processed(agent, host) < counter) complaints.push_back(agent.agent.id + " has processed less than before");
    }
    for (const auto& [host, counter] : agent.state.processed_counter_by_host) {
        for (const auto& [id, wake] : look.open) {
            const auto first = first_.find(id);
            if (wake.agent_id != agent.agent.id || first == first_.end()) continue;
            if (static_cast<std::uint64_t>(counter) < first->second) continue;
            complaints.push_back(agent.agent.id + " has processed change " + std::to_string(counter) + ", and wake " +
                                 std::to_string(id) + " is still to run for change " + std::to_string(first->second));
        }
    }
}

void ChangesWitness::compare(const WakeLook& look, const std::map<std::string, model::AgentRecord>& agents_before,
                             const std::map<model::SubscriptionId, model::WakeSubscription>& rules_before,
                             Complaints& complaints) {
    for (const model::WakeSignal& signal : look.moved) {
        if (signal.kind == model::SignalKind::change) carry(signal);
    }
    for (const model::WakeSignal& signal : look.signals) {
        if (signal.kind != model::SignalKind::change) continue;
        carry(signal);
        for (const std::uint64_t counter : counters_in(signal.body.bytes())) {
            if (told_.emplace(signal.rule, counter).second) continue;
            complaints.push_back("change " + std::to_string(counter) + " is told to one rule twice");
        }
    }
    std::map<std::int64_t, model::Change> still;
    for (const model::Change& change : look.unbatched) still.emplace(change.number, change);
    for (const auto& [number, change] : waiting_) {
        if (still.contains(number)) continue;
        for (const auto& [id, rule] : rules_before) {
            const auto watcher = agents_before.find(rule.agent_id);
            const bool is_asked = watcher != agents_before.end() && watcher->second.agent.user_id == change.user_id &&
                                  watcher->second.agent.lifecycle != model::AgentLifecycle::destroyed;
            if (!is_asked || !is_about(rule, change)) continue;
            if (processed(watcher->second, change.unit.host) >= static_cast<std::int64_t>(change.unit.counter))
                continue;
            if (told_.contains({base::format_uuid(id.uuid), change.unit.counter})) continue;
            complaints.push_back("nobody told " + rule.agent_id + " of change " + std::to_string(change.unit.counter));
        }
    }
    waiting_ = std::move(still);
    for (const auto& [id, agent] : look.agents) {
        const auto before = agents_before.find(id);
        if (before != agents_before.end()) compare_processed(before->second, agent, look, complaints);
    }
}

}  // namespace belfry::sim
