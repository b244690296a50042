#include "sim/timers_witness.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/timer_limits.hpp"
#include "ports/commands/agents.hpp"
#include "ports/commands/timers.hpp"

namespace belfry::sim {
namespace {

constexpr std::int64_t day_us = base::days(1).us;

const std::uint64_t never_decreed = std::numeric_limits<std::uint64_t>::max();

std::int64_t floor_by(std::int64_t value, std::int64_t step) {
    const std::int64_t rest = value % step;
    return value - (rest < 0 ? rest + step : rest);
}

// The first of a row of instants, `step` apart, one of which is `at`.
base::Timestamp first_after(std::int64_t at, std::int64_t step, base::Timestamp after) {
    return {floor_by(after.us - at, step) + step + at};
}

bool says(const model::AgentTimer& a, const model::AgentTimer& b) {
    return a.active == b.active && a.next_run_at == b.next_run_at && a.last_scheduled_at == b.last_scheduled_at &&
           a.counted_from == b.counted_from && a.due_at == b.due_at && a.fault.empty() == b.fault.empty() &&
           a.schedule == b.schedule && a.name == b.name;
}

std::string name_of(const model::AgentTimer& timer) {
    return "timer " + timer.name + " of " + timer.agent_id;
}

}  // namespace

std::optional<base::Timestamp> TimersWitness::next(const model::AgentTimer& timer, base::Timestamp after,
                                                   const MadeUpZones& zones) {
    const model::Schedule& schedule = timer.schedule;
    if (const auto* at = std::get_if<model::AtInstant>(&schedule.when)) {
        return at->at > after ? std::optional(at->at) : std::nullopt;
    }
    if (const auto* every = std::get_if<model::EveryInterval>(&schedule.when)) {
        const base::Timestamp coming = first_after(every->anchor.us, every->interval.us, after);
        // A beginning that nobody has said is that of the clock, which may have been ahead.
        const bool is_said = every->anchor != timer.begun_at && every->anchor != timer.created_at;
        return is_said ? std::max(coming, every->anchor) : coming;
    }
    const model::WallTime time = std::get<model::Daily>(schedule.when).time;
    const base::Duration wall = base::hours(time.hour) + base::minutes(time.minute);
    const base::Duration ahead = base::seconds(schedule.zone == "UTC" ? 0 : zones.offset_s(schedule.zone));
    return first_after(wall.us - ahead.us, day_us, after);
}

// What becomes of a timer that is looked at.
model::AgentTimer TimersWitness::looked_at(model::AgentTimer timer, const Tended& look) {
    const base::Timestamp now = look.at;
    if (!timer.active || *timer.due_at > now) return timer;
    if (look.zones.is_damaged && std::holds_alternative<model::Daily>(timer.schedule.when)) {
        timer.fault = "damaged";
        timer.due_at = now + base::limits::timer_rest;
        return timer;
    }
    timer.fault.clear();
    auto coming = next(timer, timer.counted_from, look.zones);
    if (coming && *coming <= now) {
        while (coming && *coming <= now) {
            timer.last_scheduled_at = coming;
            coming = next(timer, *coming, look.zones);
        }
    }
    timer.counted_from = now;
    timer.active = coming.has_value();
    timer.next_run_at = coming;
    timer.due_at = coming;
    return timer;
}

void TimersWitness::heard(const ports::Command& command, base::Timestamp now, Complaints& complaints) {
    watch_zones();
    const auto begun = [&](const model::AgentTimer& timer) {
        Counted& counted = counted_of(timer);
        counted.since.insert(now);
        counted.last = now;
        const auto due = next_unfired(timer, now);
        if (timer.active && timer.next_run_at != due) {
            complaints.push_back(name_of(timer) + " says another time than its schedule");
        }
    };
    const auto* const added = dynamic_cast<const ports::AddTimer*>(&command);
    const auto* const changed = dynamic_cast<const ports::ChangeTimer*>(&command);
    const auto* const deleted = dynamic_cast<const ports::DeleteTimer*>(&command);
    const auto* const destroyed = dynamic_cast<const ports::DestroyAgent*>(&command);
    if (added != nullptr && added->result().ok()) {
        const model::AgentTimer& timer = added->result()->shown.timer;
        changed_.insert(timer.id);
        if (added->result()->is_new) begun(timer);
        rows_[timer.id] = timer;
    }
    if (changed != nullptr && changed->result().ok()) {
        const model::AgentTimer& timer = changed->result()->timer;
        changed_.insert(timer.id);
        const auto before = rows_.find(timer.id);
        if (before != rows_.end() && before->second.last_scheduled_at != timer.last_scheduled_at) {
            complaints.push_back(name_of(timer) + " was changed, and forgot what it has fired for");
        }
        const bool goes_on = before != rows_.end() && before->second.active && timer.active;
        if (!goes_on || before->second.schedule != timer.schedule) begun(timer);
        rows_[timer.id] = timer;
    }
    if (deleted != nullptr && deleted->result().ok()) rows_.erase(deleted->id);
    if (destroyed == nullptr || !destroyed->result().ok()) return;
    for (auto& [id, timer] : rows_) {
        if (timer.agent_id != destroyed->agent_id) continue;
        changed_.insert(id);
        timer.active = false;
        timer.next_run_at.reset();
        timer.due_at.reset();
        timer.fault.clear();
    }
}

void TimersWitness::unheard(const ports::Command& command) {
    if (const auto* wish = dynamic_cast<const ports::AddTimer*>(&command)) loose_.insert(wish->agent_id);
    if (const auto* wish = dynamic_cast<const ports::ChangeTimer*>(&command)) loose_.insert(wish->agent_id);
    if (const auto* wish = dynamic_cast<const ports::DeleteTimer*>(&command)) loose_.insert(wish->agent_id);
    if (const auto* wish = dynamic_cast<const ports::DestroyAgent*>(&command)) loose_.insert(wish->agent_id);
}

void TimersWitness::compare_row(const model::AgentTimer& before, const model::AgentTimer& row, const WakeLook& look,
                                Complaints& complaints) {
    if (loose_.contains(row.agent_id)) {
        const bool went_back = before.last_scheduled_at > row.last_scheduled_at;
        if (went_back && !was_set_back_) complaints.push_back(name_of(row) + " went back");
        return;
    }
    if (was_set_back_) return compare_loosely(before, row, look, complaints);
    // Where it was not heard whether it was looked at, it may be as it was.
    model::AgentTimer expected = before;
    bool is_right = !look.is_certain && says(row, before);
    Tended fired{look.now, zones_};
    for (const Tended& one : tended_) {
        const auto fired_for = expected.last_scheduled_at;
        expected = looked_at(std::move(expected), one);
        const bool fires = expected.last_scheduled_at != fired_for;
        if (fires && expected.last_scheduled_at == row.last_scheduled_at) fired = one;
        is_right = is_right || (!look.is_certain && says(row, expected));
    }
    if (!is_right && !says(row, expected)) {
        const auto shown = [](const std::optional<base::Timestamp>& at) {
            return at ? base::format_timestamp(*at) : std::string("never");
        };
        complaints.push_back(name_of(row) + " last fired for " + shown(row.last_scheduled_at) + " and is due at " +
                             shown(row.due_at) + "; that should be " + shown(expected.last_scheduled_at) + " and " +
                             shown(expected.due_at));
    }
    if (row.last_scheduled_at == before.last_scheduled_at) return;
    const auto first = next(before, before.counted_from, fired.zones);
    const bool is_late = fired.at - *first > base::limits::timer_late;
    catching_up_[{row.agent_id, base::format_uuid(row.id.uuid), base::format_timestamp(*row.last_scheduled_at)}] =
        row.last_scheduled_at != first || is_late;
}

std::optional<base::Timestamp> TimersWitness::next_unfired(const model::AgentTimer& timer,
                                                           base::Timestamp after) const {
    const auto fired = fired_.find(base::format_uuid(timer.id.uuid));
    auto coming = next(timer, after, zones_);
    while (coming && fired != fired_.end() && fired->second.contains(base::format_timestamp(*coming))) {
        coming = next(timer, *coming, zones_);
    }
    return coming;
}

void TimersWitness::compare_loosely(const model::AgentTimer& before, const model::AgentTimer& row, const WakeLook& look,
                                    Complaints& complaints) {
    if (row.last_scheduled_at != before.last_scheduled_at) {
        fired_loosely_.insert(
            {row.agent_id, base::format_uuid(row.id.uuid), base::format_timestamp(*row.last_scheduled_at)});
    }
    if (!look.was_tended || !row.fault.empty() || !has_same_instants(row)) return;
    const auto coming = next_unfired(row, look.now);
    if (coming && before.active && !row.active && !changed_.contains(row.id)) {
        complaints.push_back(name_of(row) + " has stopped, though its schedule says " +
                             base::format_timestamp(*coming));
    }
    if (!row.active || *row.due_at <= look.now) return;
    if (!coming || *row.next_run_at != *coming) {
        complaints.push_back(name_of(row) + " rests until " + base::format_timestamp(*row.next_run_at) +
                             ", though its schedule says " +
                             (coming ? base::format_timestamp(*coming) : std::string("never")));
    }
}

void TimersWitness::watch_zones() {
    for (const char* const name : MadeUpZones::names) {
        auto& [offset, changes] = zones_seen_[name];
        if (std::exchange(offset, zones_.offset_s(name)) != offset) ++changes;
    }
}

void TimersWitness::tended(base::Timestamp now) {
    watch_zones();
    tended_.push_back({now, zones_});
}

void TimersWitness::clock_was_set_back() {
    was_set_back_ = true;
    for (auto& [of, counted] : counted_) {
        counted.before.merge(counted.since);
        for (const Tended& one : tended_) {  // the store was not seen since
            counted.before.insert(one.at);
            counted.unsure.insert(one.at);
        }
        counted.since.clear();
        counted.last.reset();
    }
}

TimersWitness::Counted& TimersWitness::counted_of(const model::AgentTimer& timer) {
    const auto [at, is_new] = counted_.try_emplace({timer.id, timer.schedule.zone});
    if (is_new) at->second.decrees = zones_seen_[timer.schedule.zone].second;
    return at->second;
}

bool TimersWitness::has_same_instants(const model::AgentTimer& timer) const {
    if (!std::holds_alternative<model::Daily>(timer.schedule.when)) return true;
    const auto counted = counted_.find({timer.id, timer.schedule.zone});
    const auto zone = zones_seen_.find(timer.schedule.zone);
    const bool is_seen = counted != counted_.end() && zone != zones_seen_.end();
    return is_seen && counted->second.decrees == zone->second.second;
}

bool TimersWitness::has_fired_before(const model::AgentTimer& timer, base::Timestamp instant) const {
    const std::string id = base::format_uuid(timer.id.uuid);
    const auto all = fired_.find(id);
    if (all == fired_.end() || !all->second.contains(base::format_timestamp(instant))) return false;
    const auto now = fired_now_.find(id);
    return now == fired_now_.end() || std::ranges::find(now->second, instant, &Fired::instant) == now->second.end();
}

void TimersWitness::compare_owed(const model::AgentTimer& before, const model::AgentTimer& row, const WakeLook& look,
                                 Complaints& complaints) {
    const bool is_changed = changed_.contains(row.id) || before.schedule != row.schedule;
    if (loose_.contains(row.agent_id) || (is_changed && !tended_.empty())) {
        Counted& counted =
            counted_.try_emplace({row.id, row.schedule.zone}, Counted{{}, {}, {}, {}, never_decreed}).first->second;
        counted.since.insert(row.begun_at);
        counted.last.reset();
        return;
    }
    if (tended_.empty() || !before.active) return;
    Counted& counted =
        counted_.try_emplace({row.id, row.schedule.zone}, Counted{{}, {}, {}, {}, never_decreed}).first->second;
    if (!row.fault.empty()) return;  // its zone could not be asked
    const std::optional<base::Timestamp> last = counted.last;
    for (const Tended& one : tended_) {
        counted.since.insert(one.at);
        if (!look.was_tended || &one != &tended_.back()) counted.unsure.insert(one.at);
    }
    if (look.was_tended) counted.last = look.now;
    else if (fired_now_.contains(base::format_uuid(row.id.uuid))) counted.last.reset();  // nobody heard at which look
    const bool is_one_look = look.was_tended && tended_.size() == 1 && look.is_certain;
    if (!last || !is_one_look || !has_same_instants(row)) return;
    // Time that was counted before the clock was set back is not counted again.
    const auto later = counted.before.upper_bound(look.now);
    const base::Timestamp from = later == counted.before.begin() ? *last : std::max(*last, *std::prev(later));
    // A clock that was ahead, or one that was behind: both may show a time again that was counted. What a catch-up left
    // out before may fire when the clock has not come so far yet.
    const bool is_between = from != *last && (look.now <= *counted.before.rbegin() || counted.unsure.contains(from));
    compare_firings(before, {*last, from, look.now, is_between}, complaints);
}

void TimersWitness::compare_firings(const model::AgentTimer& timer, const Passed& passed,
                                    Complaints& complaints) const {
    std::optional<base::Timestamp> first;
    std::optional<base::Timestamp> last;
    std::set<base::Timestamp> may;
    for (auto one = next(timer, passed.last, zones_); one && *one <= passed.now; one = next(timer, *one, zones_)) {
        if (has_fired_before(timer, *one)) continue;
        if (passed.is_between) may.insert(*one);
        if (*one <= passed.from) continue;
        if (!first) first = one;
        last = one;
    }
    const auto all = fired_now_.find(base::format_uuid(timer.id.uuid));
    const std::vector<Fired> fired = all == fired_now_.end() ? std::vector<Fired>() : all->second;
    for (const Fired& one : fired) {
        if (one.instant == last || (!last && may.contains(one.instant))) continue;
        complaints.push_back(name_of(timer) + " has fired for " + base::format_timestamp(one.instant) +
                             ", which it does not owe after " + base::format_timestamp(passed.from));
    }
    if (fired.size() > 1) complaints.push_back(name_of(timer) + " has fired twice at one look");
    if (!last) return;
    const auto owed = std::ranges::find(fired, *last, &Fired::instant);
    const bool is_late = first != last || passed.now - *first > base::limits::timer_late;
    if (owed == fired.end()) {
        complaints.push_back(name_of(timer) + " did not fire for " + base::format_timestamp(*last));
    } else if (owed->catch_up != is_late && !passed.is_between) {
        complaints.push_back("what fired for " + base::format_timestamp(*last) + " is wrong about having been missed");
    }
}

void TimersWitness::remember_signals(const WakeLook& look, Complaints& complaints) {
    fired_now_.clear();
    for (const model::WakeSignal& signal : look.signals) {
        if (signal.kind != model::SignalKind::timer || signal.rule == wish_rule) continue;
        const bool catch_up = signal.body.bytes().find("\"timer_catchup\":true") != std::string_view::npos;
        fired_now_[signal.rule].push_back({base::parse_timestamp(signal.key).value_or(base::Timestamp{}), catch_up});
        if (fired_[signal.rule].insert(signal.key).second) continue;
        complaints.push_back("a timer has fired for " + signal.key + " a second time, in wake " +
                             std::to_string(signal.wake_id));
    }
}

// Each signal of a timer is one that has fired just now, and says rightly whether it was missed.
void TimersWitness::compare_signals(const WakeLook& look, const std::set<SignalName>& fired,
                                    Complaints& complaints) const {
    for (const model::WakeSignal& signal : look.signals) {
        if (signal.kind != model::SignalKind::timer) continue;
        const auto named = std::ranges::find_if(fired, [&](const SignalName& name) {
            return std::get<1>(name) == signal.rule && std::get<2>(name) == signal.key;
        });
        // After a step of the clock a later firing hides it in the row, and a wish of the agent has moved.
        if (named == fired.end() && was_set_back_) {
            compare_signal_loosely(signal, look, complaints);
            continue;
        }
        if (named == fired.end()) {
            complaints.push_back("wake " + std::to_string(signal.wake_id) + " has a signal of a timer for " +
                                 signal.key + ", which has not fired for it");
            continue;
        }
        const auto late = catching_up_.find(*named);
        const bool says_late = signal.body.bytes().find("\"timer_catchup\":true") != std::string_view::npos;
        if (late != catching_up_.end() && late->second != says_late) {
            complaints.push_back("what fired for " + signal.key + " is wrong about having been missed");
        }
    }
}

void TimersWitness::compare_signal_loosely(const model::WakeSignal& signal, const WakeLook& look,
                                           Complaints& complaints) const {
    const auto instant = base::parse_timestamp(signal.key);
    if (!instant || *instant > look.now) {
        complaints.push_back("a timer has fired for " + signal.key + ", which has not come");
        return;
    }
    const auto id = base::parse_uuid(signal.rule);
    const auto row = id ? look.timers.find(model::TimerId{*id}) : look.timers.end();
    if (row == look.timers.end() || changed_.contains(row->first) || loose_.contains(row->second.agent_id)) return;
    const bool is_of_it = next(row->second, *instant - base::microseconds(1), zones_) == instant;
    if (!is_of_it && has_same_instants(row->second)) {
        complaints.push_back(name_of(row->second) + " has fired for " + signal.key + ", which its schedule has not");
    }
}

std::vector<SignalName> TimersWitness::compare(const WakeLook& look,
                                               const std::map<std::string, model::AgentRecord>& before,
                                               Complaints& complaints) {
    catching_up_.clear();
    fired_loosely_.clear();
    remember_signals(look, complaints);
    for (const auto& [id, known] : rows_) {
        const auto row = look.timers.find(id);
        if (row != look.timers.end()) {
            compare_row(known, row->second, look, complaints);
            compare_owed(known, row->second, look, complaints);
        } else if (!loose_.contains(known.agent_id)) {
            complaints.push_back(name_of(known) + " is gone");
        }
    }
    for (const auto& [id, row] : look.timers) {
        const bool is_known = rows_.contains(id) || loose_.contains(row.agent_id);
        if (!is_known) complaints.push_back(name_of(row) + " came from nowhere");
        if (look.was_tended && row.active && *row.due_at <= look.now) {
            complaints.push_back(name_of(row) + " was due and nobody looked at it");
        }
    }
    std::set<SignalName> fired = fired_loosely_;
    for (const auto& [name, is_late] : catching_up_) fired.insert(name);
    for (const auto& [id, agent] : look.agents) {
        const auto known = before.find(id);
        const bool is_gone = agent.agent.lifecycle == model::AgentLifecycle::destroyed;
        const auto& wish = agent.state.next_wake_at;
        if (look.was_tended && !is_gone && wish && *wish <= look.now) {
            complaints.push_back(id + " wished to be woken, and was not");
        }
        if (is_gone || wish || known == before.end() || !known->second.state.next_wake_at) continue;
        fired.insert({id, std::string(wish_rule), base::format_timestamp(*known->second.state.next_wake_at)});
    }
    compare_signals(look, fired, complaints);
    rows_ = look.timers;
    tended_.clear();
    loose_.clear();
    changed_.clear();
    return {fired.begin(), fired.end()};
}

const model::AgentTimer* TimersWitness::some(std::uint64_t draw) const {
    if (rows_.empty()) return nullptr;
    return &std::next(rows_.begin(), static_cast<std::ptrdiff_t>(draw % rows_.size()))->second;
}

}  // namespace belfry::sim
