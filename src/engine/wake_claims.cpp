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

// How long this device waits before it begins with what others come to as well; nothing if there is nobody to wait for.
struct Patience {
    base::Duration order;     // for the devices before it in the order
    base::Duration catch_up;  // for its links
};
base::Result<std::optional<Patience>> patience_with(const model::Wake& wake, ChangeLog& changes, Unit& unit) {
    using Found = std::optional<Patience>;
    TRY_ASSIGN(const std::vector<model::Peer> peers, unit.store.sync().peers());
    if (!wake.catch_up && std::ranges::none_of(peers, is_linked)) return Found{};
    TRY(changes.refresh(unit));
    std::set<std::string> hosts;
    for (const auto& [host, settled] : changes.settled()) hosts.insert(host);
    for (const model::Peer& peer : peers) {
        if (peer.revoked_at) hosts.erase(peer.host);
        else hosts.insert(peer.host);
    }
    Patience patience;
    patience.order = rules::claim_delay(rules::place_in_order(changes.host(), hosts));
    if (wake.catch_up) patience.catch_up = rules::catch_up_patience;
    return Found(patience);
}

// When this device may begin with a wake that others come to as well: after the devices before it in the order have had
// the time to claim it. Long ago, if there is nobody to wait for, if a user asked for the run, or if this device has
// begun it. The time counts from when the wake is due, which is stored: a start does not begin the wait anew.
base::Result<base::Timestamp> begins_at(const model::Wake& wake, const std::vector<model::WakeSignal>& signals,
                                        const std::vector<std::string>& keys,
                                        const std::map<std::string, RunClaims::Look>& looks, ChangeLog& changes,
                                        Unit& unit) {
    base::Timestamp begins;
    const bool is_asked_for = wake.reason == WakeReason::manual || wake.reason == WakeReason::user_initiated;
    if (is_asked_for || wake.attempts > 0) return begins;
    TRY_ASSIGN(const auto patience, patience_with(wake, changes, unit));
    if (!patience) return begins;
    for (std::size_t i = 0; i < signals.size(); ++i) {
        const auto look = looks.find(keys[i]);
        if (look != looks.end()) {
            // Ours, or of a device that is not heard of any more: then all others take it over in their order.
            const bool is_lost = look->second.until != base::Timestamp{};
            if (is_lost) begins = std::max(begins, look->second.until + patience->order);
            continue;
        }
        TRY_ASSIGN(const bool is_others_too, wakes_others(signals[i], unit));
        if (is_others_too) begins = std::max(begins, wake.due_at + patience->order + patience->catch_up);
    }
    return begins;
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
    if (left.signals.size() == causes.signals.size()) {
        TRY_ASSIGN(const base::Timestamp begins, begins_at(wake, causes.signals, causes.keys, looks, changes_, unit));
        if (begins <= unit.now) return false;
        book_.let_rest(wake.id, begins);
        return true;
    }
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
