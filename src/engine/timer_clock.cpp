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

// A time that was said while the clock was ahead meant a time from then on.
void bring_back(std::optional<base::Timestamp>& time, base::Timestamp said_at, base::Timestamp now) {
    if (time && *time > said_at) time = now + (*time - said_at);
}

}  // namespace

base::Result<std::vector<rules::CountedSpans>> Timers::load_spans(std::span<const model::AgentTimer> timers,
                                                                  Unit& unit) {
    std::map<model::TimerId, rules::CountedSpans> stored;
    if (ports::ClockTable* const clock = clock_of(unit.store); clock != nullptr && !timers.empty()) {
        std::vector<model::TimerId> ids;
        for (const model::AgentTimer& timer : timers) ids.push_back(timer.id);
        TRY_ASSIGN(const auto rows, clock->spans(ids));
        for (const auto& row : rows) stored[row.id] = rules::parse_spans(row.spans);
    }
    std::vector<rules::CountedSpans> spans;
    for (const model::AgentTimer& timer : timers) {
        const auto at = stored.find(timer.id);
        spans.push_back(at == stored.end() || at->second.empty() ? rules::spans_of(timer) : at->second);
    }
    return spans;
}

base::Result<void> Timers::write_spans(std::span<const model::AgentTimer> timers,
                                       std::span<const rules::CountedSpans> spans, Unit& unit) {
    ports::ClockTable* const clock = clock_of(unit.store);
    if (clock == nullptr || timers.empty()) return {};
    std::vector<ports::ClockTable::TimerSpans> rows;
    for (std::size_t i = 0; i < timers.size(); ++i) {
        rows.push_back({timers[i].id, timers[i].user_id, rules::format_spans(spans[i])});
    }
    return clock->put_spans(rows);
}

base::Result<void> Timers::recount(ports::ClockTable& clock, ports::ClockCorrection& correction, Unit& unit) {
    model::TimerId after;
    for (bool is_more = true; is_more;) {
        TRY_ASSIGN(const auto ids, clock.timers_ahead(unit.now, after, limits::sweep_slice_rows));
        is_more = ids.size() == limits::sweep_slice_rows;
        std::vector<model::AgentTimer> timers;
        for (const model::TimerId& id : ids) {
            TRY_ASSIGN(auto timer, unit.store.timers().find(id));
            if (timer) timers.push_back(std::move(*timer));
            after = id;
        }
        TRY_ASSIGN(const std::vector<rules::CountedSpans> counted, load_spans(timers, unit));
        for (std::size_t i = 0; i < timers.size(); ++i) {
            const Zone zone = zone_of(timers[i].schedule);
            if (zone.ok()) rules::recount_timer(timers[i], counted[i], **zone, unit.now);
            else rules::rest_timer(timers[i], zone.error().message, unit.now);
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

base::Result<void> Timers::recount_wishes(ports::ClockTable& clock, ports::ClockCorrection& correction, Unit& unit) {
    std::string after;
    for (bool is_more = true; is_more;) {
        TRY_ASSIGN(const auto ids, clock.agents_ahead(unit.now, after, limits::sweep_slice_rows));
        is_more = ids.size() == limits::sweep_slice_rows;
        for (const std::string& id : ids) {
            after = id;
            TRY_ASSIGN(model::AgentRecord* const agent, agents_.find(id, unit));
            if (agent == nullptr) continue;
            const base::Timestamp said_at = agent->state.updated_at;
            if (said_at <= unit.now) continue;
            bring_back(agent->state.next_wake_at, said_at, unit.now);
            bring_back(agent->state.sleep_until, said_at, unit.now);
            agents_.touch_state(*agent, unit.now);
            wakes_.sleep_changed(*agent);
            ++correction.agents;
        }
    }
    return {};
}

}  // namespace belfry::engine
