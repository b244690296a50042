#include "rules/next_occurrence.hpp"

#include "base/assert.hpp"
#include "base/date.hpp"
#include "rules/wall_pattern.hpp"

namespace belfry::rules {
namespace {

constexpr std::int64_t us_per_second = 1'000'000;
constexpr base::Timestamp time_end{base::seconds_end * us_per_second};

std::optional<Occurrence> next_of(const model::AtInstant& once, base::Timestamp after, const model::Zone& /*zone*/) {
    if (once.at <= after) return std::nullopt;
    return Occurrence{once.at};
}

std::optional<Occurrence> next_of(const model::EveryInterval& every, base::Timestamp after,
                                  const model::Zone& /*zone*/) {
    ASSERT(every.interval.us > 0);
    if (after < every.anchor) return Occurrence{every.anchor};
    const std::int64_t done = (after - every.anchor).us / every.interval.us;
    const base::Timestamp at = every.anchor + every.interval * (done + 1);
    if (at >= time_end) return std::nullopt;
    return Occurrence{at};
}

std::optional<Occurrence> next_of(const model::WallPattern& pattern, base::Timestamp after, const model::Zone& zone) {
    const std::int64_t shown_s = latest_shown(zone, base::floor_divide(after.us, us_per_second));
    auto wall_s = next_wall_time(pattern, shown_s);
    if (!wall_s) return std::nullopt;
    const Coming coming = when_shown(zone, *wall_s);
    if (coming.instant_s >= base::seconds_end) return std::nullopt;
    Occurrence next{{coming.instant_s * us_per_second}, 0, *wall_s, *wall_s, coming.how};
    // At the end of a gap others come with it.
    const std::int64_t clock_s = coming.instant_s + coming.offset_s;
    for (; wall_s && *wall_s <= clock_s; wall_s = next_wall_time(pattern, *wall_s)) {
        next.last_wall_s = *wall_s;
        ++next.wall_times;
    }
    return next;
}

std::optional<Occurrence> next_of(const model::Daily& daily, base::Timestamp after, const model::Zone& zone) {
    return next_of(pattern_of(daily), after, zone);
}

std::optional<Occurrence> next_of(const model::Weekly& weekly, base::Timestamp after, const model::Zone& zone) {
    return next_of(pattern_of(weekly), after, zone);
}

std::optional<Occurrence> next_of(const model::Cron& cron, base::Timestamp after, const model::Zone& zone) {
    return next_of(cron.pattern, after, zone);
}

}  // namespace

std::optional<Occurrence> next_occurrence(const model::Schedule& schedule, base::Timestamp after,
                                          const model::Zone& zone) {
    return std::visit([&](const auto& when) { return next_of(when, after, zone); }, schedule.when);
}

}  // namespace belfry::rules
