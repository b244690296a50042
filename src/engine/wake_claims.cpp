#include <algorithm>

#include "engine/wakes.hpp"
#include "rules/wake_key.hpp"

// What an agent is woken for on several devices is seen to by one of them.
namespace belfry::engine {
namespace {

namespace limits = base::limits;
using model::WakeReason;
using model::WakeState;
using Standing = RunClaims::Standing;

WakeReason reason_of(const model::WakeSignal& first, bool catch_up) {
    if (first.kind == model::SignalKind::timer) return catch_up ? WakeReason::recovery_catchup : WakeReason::timer;
    if (first.kind == model::SignalKind::user) return WakeReason::user_initiated;
    return first.kind == model::SignalKind::manual ? WakeReason::manual : WakeReason::subscription;
}

}  // namespace

base::Result<Wakes::Causes> Wakes::causes_of(const model::Wake& wake, Unit& unit) {
    TRY(book_.write_signals(unit));
    Causes causes;
    for (std::int64_t after = 0;;) {
        TRY_ASSIGN(const auto some, unit.store.wakes().signals(wake.id, after, limits::sweep_slice_rows));
        for (const model::WakeSignal& one : some) {
            after = one.ordinal;
            const auto key = rules::shared_run_key(wake.agent_id, one);
            causes.signals.push_back(one);
            causes.keys.push_back(key.value_or(std::string()));
            if (key && std::ranges::find(causes.shared, *key) == causes.shared.end()) causes.shared.push_back(*key);
        }
        if (some.size() < limits::sweep_slice_rows) return causes;
    }
}

base::Result<bool> Wakes::is_left_to_another(const model::Wake& wake, Unit& unit) {
    TRY_ASSIGN(const bool has_others, RunClaims::has_others(unit));
    if (!has_others) return false;
    TRY_ASSIGN(const Causes causes, causes_of(wake, unit));
    if (causes.shared.empty()) return false;
    TRY_ASSIGN(const auto looks, claims_.of(causes.shared, unit));
    std::optional<base::Timestamp> until;
    for (const auto& [key, look] : looks) {
        if (look.standing == Standing::theirs) until = std::max(until, std::optional(look.until));
    }
    if (until) {
        book_.let_rest(wake.id, *until);
        return true;
    }
    Causes left;
    for (std::size_t i = 0; i < causes.signals.size(); ++i) {
        const auto look = looks.find(causes.keys[i]);
        if (look != looks.end() && look->second.standing == Standing::done) continue;
        left.signals.push_back(causes.signals[i]);
        left.keys.push_back(causes.keys[i]);
    }
    if (left.signals.size() == causes.signals.size()) return false;
    if (!left.signals.empty()) TRY(go_on_with(left, wake, unit));
    TRY(close(wake, WakeState::not_needed, std::nullopt, unit));
    return true;
}

// Under a key of its own: what was done under the first one's is that run's, wherever that was.
base::Result<void> Wakes::go_on_with(const Causes& left, const model::Wake& wake, Unit& unit) {
    const model::WakeSignal& first = left.signals.front();
    std::vector<std::string> names;
    for (const model::WakeSignal& one : left.signals) names.push_back(one.rule + ' ' + one.key);
    model::Wake rest;
    rest.run_key = rules::left_run_key(wake.run_key, names);
    TRY_ASSIGN(const auto before, find_key(rest.run_key, unit));
    if (before) return {};
    rest.agent_id = wake.agent_id;
    rest.user_id = wake.user_id;
    rest.reason = reason_of(first, wake.catch_up);
    rest.reason_id = first.rule.empty() ? first.key : first.rule;
    rest.catch_up = wake.catch_up && first.kind == model::SignalKind::timer;
    rest.session_id = wake.session_id;
    rest.thread_id = wake.session_id.empty() ? rules::run_thread_id(wake.agent_id, rest.run_key) : wake.thread_id;
    rest.input = wake.input;
    rest.priority = wake.priority;
    rest.due_at = unit.now;
    TRY_ASSIGN(model::Wake made, enqueue(std::move(rest), unit));
    for (model::WakeSignal signal : left.signals) {
        signal.wake_id = made.id;
        signal.ordinal = ++made.signals;
        book_.add_signal(std::move(signal));
    }
    book_.carry(made.id, book_.find(wake.id)->carries);
    book_.put(std::move(made));
    return {};
}

base::Result<void> Wakes::claim_for_all(const model::Wake& wake, Unit& unit) {
    TRY_ASSIGN(const bool has_others, RunClaims::has_others(unit));
    if (!has_others) return {};
    TRY_ASSIGN(const Causes causes, causes_of(wake, unit));
    return claims_.claim(wake, causes.shared, unit);
}

base::Result<void> Wakes::tell_all_of_it(const model::Wake& wake, Unit& unit) {
    TRY_ASSIGN(const bool has_others, RunClaims::has_others(unit));
    if (!has_others) return {};
    TRY_ASSIGN(const Causes causes, causes_of(wake, unit));
    return claims_.go_on(wake, causes.shared, unit);
}

base::Result<void> Wakes::tell_all_done(const model::Wake& wake, Unit& unit) {
    TRY_ASSIGN(const bool has_others, RunClaims::has_others(unit));
    if (!has_others) return {};
    TRY_ASSIGN(const Causes causes, causes_of(wake, unit));
    return claims_.done(wake, causes.shared, unit);
}

base::Result<void> Wakes::claim_came(const std::string& agent_id, Unit& unit) {
    TRY(refresh(unit));
    book_.rouse(agent_id);
    return {};
}

}  // namespace belfry::engine
