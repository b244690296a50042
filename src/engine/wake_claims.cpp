#include <algorithm>
#include <set>

#include "engine/wakes.hpp"
#include "rules/run_order.hpp"
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

// True if a link with the peer has come up and its end was not noted since. The note is stored: after a start a peer
// counts as linked until a call has failed.
bool is_linked(const model::Peer& peer) {
    return !peer.revoked_at && peer.last_seen_at && peer.last_error.empty();
}

// True if other devices are woken by the same: an instant of a timer, or a change that a rule wants from all devices.
base::Result<bool> wakes_others(const model::WakeSignal& signal, Unit& unit) {
    if (signal.kind == model::SignalKind::timer) return true;
    const auto id = signal.kind == model::SignalKind::change ? base::parse_uuid(signal.rule) : std::nullopt;
    if (!id) return false;
    TRY_ASSIGN(const auto rule, unit.store.agents().find_subscription({*id}));
    return rule && rule->synced;
}

bool is_request(const model::WakeSignal& signal) {
    return signal.kind == model::SignalKind::manual || signal.kind == model::SignalKind::user;
}

// How long this device waits for those before it in the order; nothing if no peer is linked.
base::Result<std::optional<base::Duration>> wait_in_order(bool is_linked_or_not, ChangeLog& changes, Unit& unit) {
    using Found = std::optional<base::Duration>;
    TRY_ASSIGN(const std::vector<model::Peer> peers, unit.store.sync().peers());
    if (!is_linked_or_not && std::ranges::none_of(peers, is_linked)) return Found{};
    TRY(changes.refresh(unit));
    std::set<std::string> of_peers;
    std::set<std::string> others;
    for (const auto& [host, settled] : changes.settled()) others.insert(host);
    for (const model::Peer& peer : peers) {
        others.erase(peer.host);
        if (!peer.revoked_at && !peer.host.empty()) of_peers.insert(peer.host);
        if (peer.revoked_at)
            std::erase_if(others, [&](const std::string& host) { return rules::are_of_one_device(host, peer.host); });
    }
    return Found(rules::claim_delay(rules::place_in_order(changes.host(), of_peers, others)));
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

// After the devices before this one in the order have had the time to claim the wake. The time counts from when the
// wake is due, which is stored. A device that was off or asleep meanwhile has not heard what others did: it waits for
// its links first. Long ago: there is nobody to wait for, a user asked for the run, or this device has begun it.
base::Result<base::Timestamp> Wakes::begins_at(const model::Wake& wake, const Causes& causes,
                                               const std::map<std::string, RunClaims::Look>& looks, Unit& unit) {
    base::Timestamp begins;
    const bool is_asked_for = wake.reason == WakeReason::manual || wake.reason == WakeReason::user_initiated;
    if (is_asked_for) return begins;
    const base::Timestamp hears = awake_since_ + rules::catch_up_patience;
    const bool is_awake = hears + rules::claim_delay(rules::claim_steps_max) <= unit.now;
    TRY_ASSIGN(const auto order, wait_in_order(wake.catch_up || !is_awake, changes_, unit));
    if (!order) return begins;
    const base::Duration patience = wake.catch_up ? rules::catch_up_patience : base::Duration{};
    for (std::size_t i = 0; i < causes.signals.size(); ++i) {
        const auto look = looks.find(causes.keys[i]);
        if (look != looks.end()) {
            const bool is_ours = look->second.until == base::Timestamp{};
            // Of a device that is not heard of any more: all others take it over in their order.
            if (!is_ours && wake.attempts == 0) begins = std::max(begins, look->second.until + *order);
            // It lapsed before this device could hear that the other one is at it, or that others took it over.
            if (look->second.lapses_at < hears) begins = std::max(begins, hears + *order);
            continue;
        }
        if (wake.attempts > 0) continue;
        TRY_ASSIGN(const bool is_others_too, wakes_others(causes.signals[i], unit));
        if (!is_others_too) continue;
        begins = std::max(begins, wake.due_at + *order + patience);
        if (wake.due_at < awake_since_) begins = std::max(begins, hears + *order);
    }
    return begins;
}

base::Result<bool> Wakes::is_left_to_another(model::Wake& wake, Unit& unit) {
    TRY_ASSIGN(const bool has_others, RunClaims::has_others(unit));
    if (!has_others) return false;
    TRY_ASSIGN(const Causes causes, causes_of(wake, unit));
    if (causes.shared.empty()) return false;
    TRY_ASSIGN(const auto looks, claims_.of(causes.shared, unit));
    std::optional<base::Timestamp> until;
    for (const auto& [key, look] : looks) {
        if (look.standing == Standing::theirs) until = std::max(until, std::optional(look.until));
    }
    if (until) return divide(wake, causes, looks, *until, unit);
    Causes left;
    for (std::size_t i = 0; i < causes.signals.size(); ++i) {
        const auto look = looks.find(causes.keys[i]);
        if (look != looks.end() && look->second.standing == Standing::done) continue;
        left.add(causes, i);
    }
    if (left.signals.size() == causes.signals.size()) {
        TRY_ASSIGN(const base::Timestamp begins, begins_at(wake, causes, looks, unit));
        if (begins <= unit.now) return false;
        book_.let_rest(wake.id, begins, WakeBook::RestFor::devices);
        return true;
    }
    // Whoever made the request waits for the end of this wake.
    if (std::ranges::any_of(left.signals, is_request)) {
        TRY(keep_only(wake, left, unit));
        return false;
    }
    if (!left.signals.empty()) TRY(go_on_with(left, wake, unit));
    if (wake.attempts > 0) TRY(forgive(wake.agent_id, unit));
    TRY(close(wake, WakeState::not_needed, std::nullopt, unit));
    return true;
}

// What failed here was done by another device: the agent itself is sound.
base::Result<void> Wakes::forgive(const std::string& agent_id, Unit& unit) {
    TRY_ASSIGN(model::AgentRecord* const agent, agents_.find(agent_id, unit));
    if (agent == nullptr || agent->runtime.failure_streak == 0) return {};
    agent->runtime.failure_streak = 0;
    rest_agent(*agent, unit);
    return {};
}

// Signals that wake others as well stay together, claimed or not: the device that is at work comes to them next.
base::Result<bool> Wakes::divide(model::Wake& wake, const Causes& causes,
                                 const std::map<std::string, RunClaims::Look>& looks, base::Timestamp until,
                                 Unit& unit) {
    Causes shared;
    Causes own;
    for (std::size_t i = 0; i < causes.signals.size(); ++i) {
        const auto look = looks.find(causes.keys[i]);
        const Standing standing = look == looks.end() ? Standing::free : look->second.standing;
        if (standing == Standing::done) continue;
        TRY_ASSIGN(const bool is_others_too, wakes_others(causes.signals[i], unit));
        (standing == Standing::theirs || is_others_too ? shared : own).add(causes, i);
    }
    const bool keeps_own = std::ranges::any_of(own.signals, is_request);
    // An attempt that was made here was for all of them.
    const bool is_whole = own.signals.empty() || (wake.attempts > 0 && !keeps_own);
    if (!is_whole) {
        TRY_ASSIGN(const auto other, go_on_with(keeps_own ? shared : own, wake, unit));
        TRY(keep_only(wake, keeps_own ? own : shared, unit));
        if (other) TRY(make_ready(*other, unit));
        if (keeps_own) return false;
    }
    book_.let_rest(wake.id, until, WakeBook::RestFor::devices);
    return true;
}

base::Result<void> Wakes::keep_only(model::Wake& wake, const Causes& kept, Unit& unit) {
    TRY(book_.write_signals(unit));
    TRY(unit.store.wakes().remove_signals(wake.id));
    wake.signals = 0;
    for (model::WakeSignal signal : kept.signals) {
        signal.ordinal = ++wake.signals;
        book_.add_signal(std::move(signal));
    }
    book_.put(wake);
    return {};
}

// Under a key of its own: what was done under the first one's is that run's, wherever that was.
base::Result<std::optional<model::WakeId>> Wakes::go_on_with(const Causes& left, const model::Wake& wake, Unit& unit) {
    using Made = std::optional<model::WakeId>;
    const model::WakeSignal& first = left.signals.front();
    std::vector<std::string> names;
    for (const model::WakeSignal& one : left.signals) names.push_back(one.rule + ' ' + one.key);
    model::Wake rest;
    rest.run_key = rules::left_run_key(wake.run_key, names);
    TRY_ASSIGN(const auto before, find_key(rest.run_key, unit));
    if (before) return Made{};
    rest.agent_id = wake.agent_id;
    rest.user_id = wake.user_id;
    rest.reason = reason_of(first, wake.catch_up);
    rest.reason_id = first.rule.empty() ? first.key : first.rule;
    rest.catch_up = wake.catch_up && first.kind == model::SignalKind::timer;
    // What was asked for in a session, and with what, is no part of what had waited beside it.
    const bool is_asked_for = wake.reason == WakeReason::manual || wake.reason == WakeReason::user_initiated;
    const bool is_beside = is_asked_for && std::ranges::none_of(left.signals, is_request);
    if (!is_beside) rest.session_id = wake.session_id;
    if (!is_beside) rest.input = wake.input;
    rest.thread_id = rest.session_id.empty() ? rules::run_thread_id(wake.agent_id, rest.run_key) : wake.thread_id;
    rest.priority = wake.priority;
    rest.due_at = unit.now;
    TRY_ASSIGN(model::Wake made, enqueue(std::move(rest), unit));
    for (model::WakeSignal signal : left.signals) {
        signal.wake_id = made.id;
        signal.ordinal = ++made.signals;
        book_.add_signal(std::move(signal));
    }
    book_.carry(made.id, book_.find(wake.id)->carries);
    const model::WakeId id = made.id;
    book_.put(std::move(made));
    return Made(id);
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

base::Result<void> Wakes::leave_to_others(const model::Wake& wake, Unit& unit) {
    TRY_ASSIGN(const bool has_others, RunClaims::has_others(unit));
    if (!has_others) return {};
    TRY_ASSIGN(const Causes causes, causes_of(wake, unit));
    return claims_.give_up(wake, causes.shared, unit);
}

base::Result<void> Wakes::claim_came(const std::string& agent_id, Unit& unit) {
    TRY(refresh(unit));
    book_.rouse(agent_id);
    return {};
}

}  // namespace belfry::engine
