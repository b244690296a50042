#include <algorithm>
#include <map>

#include "base/limits.hpp"
#include "base/timer_limits.hpp"
#include "engine/timers.hpp"
#include "rules/timer.hpp"

// How timers and wishes follow a clock that is set back.
namespace belfry::engine {
namespace {

namespace limits = base::limits;

ports::ClockTable* clock_of(ports::Store& store) {
    auto* const kept = dynamic_cast<ports::ClockStore*>(&store);
    return kept == nullptr ? nullptr : &kept->clock();
}

// A time that was said while the clock was ahead meant a time from then on. One that was said before stays. A time that
// was moved already follows the clock: what has passed has passed.
bool bring_back(const std::optional<base::Timestamp>& time, ports::SaidTime& said, base::Timestamp now,
                base::Duration by) {
    if (!time || said.at <= now || *time <= said.at) return false;
    const bool is_moved = said.was == time && said.is;
    said.is = is_moved ? *said.is - by : now + (*time - said.at);
    said.was = time;
    return true;
}

// A time that was said while the clock was behind meant a time from then on.
bool carry_on(std::optional<base::Timestamp>& time, const ports::SaidTime& said, const ports::ClockJump& jump) {
    const bool is_over = time && *time > jump.from && *time <= jump.from + jump.by;
    // The time of a jump across a start was noted some seconds before.
    const bool was_behind = said.at >= jump.set_back_to && said.at <= jump.from + limits::clock_note_pause;
    if (!is_over || !was_behind || said.was == time) return false;
    time = *time + jump.by;
    return true;
}

std::vector<std::string> ids_of(std::span<const ports::SaidTimes> said) {
    std::vector<std::string> ids;
    for (const ports::SaidTimes& one : said) ids.push_back(one.agent_id);
    return ids;
}

}  // namespace

base::Result<std::vector<rules::CountedTimes>> Timers::load_spans(std::span<const model::AgentTimer> timers,
                                                                  Unit& unit) {
    std::map<model::TimerId, rules::CountedTimes> stored;
    if (ports::ClockTable* const clock = clock_of(unit.store); clock != nullptr && !timers.empty()) {
        std::vector<model::TimerId> ids;
        for (const model::AgentTimer& timer : timers) ids.push_back(timer.id);
        TRY_ASSIGN(const auto rows, clock->spans(ids));
        for (const auto& row : rows) stored[row.id] = rules::parse_counted(row.spans);
    }
    std::vector<rules::CountedTimes> counted;
    for (const model::AgentTimer& timer : timers) {
        rules::CountedTimes& times = counted.emplace_back(std::move(stored[timer.id]));
        if (times.spans.empty()) times.spans = rules::spans_of(timer);
        for (rules::FormerSchedule& former : times.former) {
            if (const Zone zone = zone_of(former.schedule); zone.ok()) former.zone = *zone;
        }
    }
    return counted;
}

base::Result<void> Timers::write_spans(std::span<const model::AgentTimer> timers,
                                       std::span<const rules::CountedTimes> spans, Unit& unit) {
    ports::ClockTable* const clock = clock_of(unit.store);
    if (clock == nullptr || timers.empty()) return {};
    std::vector<ports::ClockTable::TimerSpans> rows;
    for (std::size_t i = 0; i < timers.size(); ++i) {
        rows.push_back({timers[i].id, timers[i].user_id, rules::format_counted(spans[i])});
    }
    return clock->put_spans(rows);
}

base::Result<void> Timers::recount(ports::ClockTable& clock, ports::ClockCorrection& correction, Unit& unit) {
    model::TimerId after;
    for (bool is_more = true; is_more;) {
        TRY_ASSIGN(const auto ids, clock.timers_ahead(unit.now, after, limits::sweep_slice_rows));
        is_more = ids.size() == limits::sweep_slice_rows;
        if (!ids.empty()) after = ids.back();
        TRY_ASSIGN(std::vector<model::AgentTimer> timers, unit.store.timers().find_all(ids));
        TRY_ASSIGN(const std::vector<rules::CountedTimes> counted, load_spans(timers, unit));
        for (std::size_t i = 0; i < timers.size(); ++i) {
            const Zone zone = zone_of(timers[i].schedule);
            if (zone.ok()) rules::recount_timer(timers[i], counted[i], **zone, unit.now);
            else rules::rest_recounted_timer(timers[i], zone.error().message, unit.now);
            ++correction.timers;
            if (correction.named.size() < limits::clock_timers_named) correction.named.push_back(timers[i].id);
        }
        if (!timers.empty()) TRY(unit.store.timers().put(timers));
        // The row of a timer tells its spans by the time from which it counts, which is another one now.
        TRY(write_spans(timers, counted, unit));
    }
    changed_ = true;
    return recount_wishes(clock, correction, unit);
}

// The records of agents stay as they are: they are the same on all devices, and only this device's clock was corrected.
base::Result<void> Timers::recount_wishes(ports::ClockTable& clock, ports::ClockCorrection& correction, Unit& unit) {
    std::string after;
    for (bool is_more = true; is_more;) {
        TRY_ASSIGN(auto said, clock.said_ahead(unit.now, after, limits::sweep_slice_rows));
        is_more = said.size() == limits::sweep_slice_rows;
        TRY(agents_.load(ids_of(said), unit));
        std::vector<ports::SaidTimes> moved;
        for (ports::SaidTimes& one : said) {
            after = one.agent_id;
            TRY_ASSIGN(const model::AgentRecord* const agent, agents_.find(one.agent_id, unit));
            if (agent == nullptr) continue;
            const bool is_woken = bring_back(agent->state.next_wake_at, one.wake, unit.now, correction.set_back);
            const bool sleeps = bring_back(agent->state.sleep_until, one.sleep, unit.now, correction.set_back);
            if (is_woken || sleeps) moved.push_back(std::move(one));
        }
        correction.agents += static_cast<std::int64_t>(moved.size());
        TRY(clock.put_moved(moved));
    }
    return {};
}

base::Result<void> Timers::carry_on_wishes(ports::ClockTable& clock, const ports::ClockJump& jump, Unit& unit) {
    std::string after;
    for (bool is_more = true; is_more;) {
        TRY_ASSIGN(const auto said, clock.said_behind(jump, after, limits::sweep_slice_rows));
        is_more = said.size() == limits::sweep_slice_rows;
        TRY(agents_.load(ids_of(said), unit));
        for (const ports::SaidTimes& one : said) {
            after = one.agent_id;
            TRY_ASSIGN(model::AgentRecord* const agent, agents_.find(one.agent_id, unit));
            if (agent == nullptr) continue;
            const bool is_woken_later = carry_on(agent->state.next_wake_at, one.wake, jump);
            const bool sleeps_longer = carry_on(agent->state.sleep_until, one.sleep, jump);
            if (is_woken_later || sleeps_longer) agents_.touch_state(*agent, unit.now);
        }
    }
    changed_ = true;
    return {};
}

base::Result<void> Timers::end_moved_sleeps(Unit& unit) {
    ports::ClockTable* const clock = clock_of(unit.store);
    if (clock == nullptr) return {};
    TRY_ASSIGN(const std::vector<std::string> ids, clock->ended_sleeps(unit.now, limits::sweep_slice_rows));
    TRY(agents_.load(ids, unit));
    for (const std::string& id : ids) {
        TRY_ASSIGN(model::AgentRecord* const agent, agents_.find(id, unit));
        if (agent == nullptr || !agent->state.sleep_until) continue;
        agent->state.sleep_until.reset();
        agents_.touch_state(*agent, unit.now);
        wakes_.sleep_changed(*agent);
    }
    return {};
}

}  // namespace belfry::engine
