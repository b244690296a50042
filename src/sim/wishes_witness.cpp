#include "sim/wishes_witness.hpp"

#include <algorithm>

#include "base/timer_limits.hpp"

namespace belfry::sim {
namespace {

std::string shown(const std::optional<base::Timestamp>& at) {
    return at ? base::format_timestamp(*at) : std::string("never");
}

}  // namespace

void WishesWitness::clock_was_set_back(base::Duration by) {
    if (by < base::limits::clock_step_min) return;
    is_twice_ = is_twice_ || set_back_ > base::Duration{} || is_restarted_;
    set_back_ = set_back_ + by;
    called_at_.reset();
    if (tended_) tended_before_step_ = std::max(tended_before_step_.value_or(*tended_), *tended_);
}

void WishesWitness::tended(base::Timestamp now) {
    tended_ = std::max(tended_.value_or(now), now);
    called(now);
}

void WishesWitness::called(base::Timestamp now) {
    if (!called_at_ && may_have_moved()) called_at_ = now;
}

WishesWitness::Bounds WishesWitness::bounds(const Known& known, base::Timestamp now, bool is_corrected) const {
    const base::Timestamp was = *known.said.here;
    const base::Timestamp record = *known.said.record;
    if (!known.is_sure || is_twice_) return {std::min({was - set_back_, record, now}), std::max(was, record)};
    const base::Timestamp called = called_at_.value_or(now);
    Bounds may{was, was};
    const bool is_moved = was != record;
    if (set_back_ > base::Duration{} || is_restarted_) {
        // SaidTime by a clock that was ahead: it keeps its distance.
        const bool is_of_then = known.said_at > now && record > known.said_at;
        if (is_of_then && is_moved) may = {was - set_back_, is_restarted_ ? was : was - set_back_};
        else if (is_of_then) may = {called + (record - known.said_at), now + (record - known.said_at)};
        // What was moved before goes on with the time that it had left.
        // Nothing moves at a start that finds no step.
        if (is_of_then && !is_moved && known.was_moved) {
            may.first = std::min(may.first, was - set_back_);
            if (is_restarted_) may.last = std::max(may.last, was);
        }
        if (!is_corrected) may = {std::min(may.first, was), std::max(may.last, was)};
    }
    // A clock that was behind is right again, or may be: the time that is left stays as it is, or the date counts.
    const bool may_have_jumped = jumped_ > base::Duration{} || is_restarted_;
    if (is_moved && may_have_jumped) may.last = record;
    return may;
}

std::optional<base::Timestamp> WishesWitness::latest_sleep(const std::string& agent_id, base::Timestamp now,
                                                           base::Duration jump_max) const {
    const auto known = sleeps_.find(agent_id);
    if (known == sleeps_.end() || !known->second.said.here) return std::nullopt;
    const SaidTime& said = known->second.said;
    return said.here == said.record ? *said.here + jump_max : bounds(known->second, now, false).last;
}

void WishesWitness::compare_one(const std::string& name, Known& known, const SaidTime& said, const WakeLook& look,
                                bool is_corrected, Complaints& complaints) const {
    if (said.record != known.said.record) {
        if (said.here != said.record && !may_have_moved()) {
            complaints.push_back(name + " was said just now to be " + shown(said.record) + ", and is " +
                                 shown(said.here));
        }
        known = {look.now, look.is_certain && !may_have_moved(), said, said.here != said.record};
        return;
    }
    if (said.record) {
        const Bounds may = bounds(known, look.now, is_corrected);
        if (*said.here < may.first || *said.here > may.last) {
            complaints.push_back(name + " is " + shown(said.here) + "; it was " + shown(known.said.here) +
                                 ", was said at " + base::format_timestamp(known.said_at) + " to be " +
                                 shown(said.record) + ", and should lie between " + base::format_timestamp(may.first) +
                                 " and " + base::format_timestamp(may.last));
        }
    }
    known.said = said;
    known.was_moved = known.was_moved || said.here != said.record;
}

bool WishesWitness::has_moved(const WakeLook& look) const {
    const auto is_moved = [](const std::map<std::string, Known>& all, const std::string& id, const SaidTime& now) {
        const auto known = all.find(id);
        return known != all.end() && now.record && now.record == known->second.said.record &&
               now.here != known->second.said.here;
    };
    return std::ranges::any_of(look.said, [&](const auto& one) {
        return is_moved(wakes_, one.first, one.second.wake) || is_moved(sleeps_, one.first, one.second.sleep);
    });
}

void WishesWitness::compare(const WakeLook& look, Complaints& complaints) {
    // All times are moved at once: by the look at what is due, or before the first command.
    const bool is_corrected = look.was_tended || is_restarted_ || has_moved(look);
    for (const auto& [id, times] : look.said) {
        const auto agent = look.agents.find(id);
        const bool is_gone =
            agent == look.agents.end() || agent->second.agent.lifecycle == model::AgentLifecycle::destroyed;
        if (is_gone) {
            wakes_.erase(id);
            sleeps_.erase(id);
            continue;
        }
        Known& wake = wakes_[id];
        const bool has_fired = std::ranges::any_of(look.signals, [&](const model::WakeSignal& signal) {
            return wake.said.record && signal.kind == model::SignalKind::timer && signal.rule == "next_wake" &&
                   signal.key == base::format_timestamp(*wake.said.record) && look.agent_of(signal.wake_id) == id;
        });
        // A sweep may have fired it before the clock was set back, though nobody heard that the sweep was recorded.
        const bool may_have_fired_before =
            wake.said.here && tended_before_step_ && *wake.said.here <= *tended_before_step_;
        if (has_fired && !may_have_fired_before) {
            const Bounds may = bounds(wake, look.now, true);
            if (may.first > look.now) {
                complaints.push_back("the wake time of " + id + " has fired, and was to be " +
                                     base::format_timestamp(may.first));
            }
        }
        compare_one("the wake time of " + id, wake, times.wake, look, is_corrected, complaints);
        compare_one("the sleep of " + id, sleeps_[id], times.sleep, look, is_corrected, complaints);
        if (look.was_tended && times.wake.here && *times.wake.here <= look.now) {
            complaints.push_back(id + " wished to be woken at " + shown(times.wake.here) + ", and was not");
        }
    }
    tended_.reset();
    tended_before_step_.reset();
    if (!is_corrected) return;
    set_back_ = {};
    jumped_ = {};
    called_at_.reset();
    is_restarted_ = is_twice_ = false;
}

}  // namespace belfry::sim
