#include "rules/wall_clock.hpp"

#include <algorithm>
#include <array>

#include "base/assert.hpp"
#include "base/date.hpp"

namespace belfry::rules {
namespace {

constexpr std::int64_t for_ever_s = std::int64_t{1} << 61;
// Two clocks of one zone differ by no more, so what lies further away cannot show the same.
constexpr std::int64_t spread_s = std::int64_t{2} * model::zone_offset_s_max;

std::int64_t day_of(const model::YearlyMoment& moment, std::int64_t year) {
    switch (moment.kind) {
        case model::YearlyMoment::Kind::day: return base::days_from_date({year, 1, 1}) + moment.day;
        case model::YearlyMoment::Kind::day_but_leap:
            // Day 60 is 1 March in every year: 29 February has no number.
            return base::days_from_date({year, 1, 1}) + moment.day - (base::is_leap(year) && moment.day >= 60 ? 0 : 1);
        case model::YearlyMoment::Kind::weekday_of_month: break;
    }
    const std::int64_t first = base::days_from_date({year, moment.month, 1});
    const unsigned first_such = (moment.weekday + 7 - base::weekday_of(first)) % 7;
    unsigned day = first_such + 7 * (moment.week - 1);
    if (day >= base::days_in_month(year, moment.month)) day -= 7;
    return first + day;
}

bool is_before(std::int64_t instant_s, const model::ZoneChange& change) {
    return instant_s < change.at_s;
}

// The changes of some years in order. What comes at the same instant stays in the order of the years: where one year's
// end is the next one's beginning (summer time all year), the later year counts.
class YearlyChanges {
public:
    void add(const model::YearlyMoment& moment, std::int64_t year, std::int32_t from_offset_s,
             std::int32_t to_offset_s) {
        const std::int64_t at_s = day_of(moment, year) * base::seconds_per_day + moment.time_s - from_offset_s;
        auto* const end = changes_.begin() + count_++;
        auto* const place = std::upper_bound(changes_.begin(), end, at_s, is_before);
        std::move_backward(place, end, end + 1);
        *place = {at_s, to_offset_s};
    }

    [[nodiscard]] Stretch around(std::int64_t instant_s) const {
        const auto* const after = std::upper_bound(changes_.begin(), changes_.cend(), instant_s, is_before);
        ASSERT(after != changes_.begin() && after != changes_.end());
        return {std::prev(after)->at_s, after->at_s, std::prev(after)->offset_s};
    }

private:
    std::array<model::ZoneChange, 10> changes_;
    std::size_t count_ = 0;
};

Stretch stretch_of_summer(const model::ZoneTail& tail, std::int64_t instant_s) {
    const std::int64_t this_year = base::date_from_days(base::floor_divide(instant_s, base::seconds_per_day)).year;
    YearlyChanges changes;
    // A moment may lie a week outside of its year.
    for (std::int64_t year = this_year - 2; year <= this_year + 2; ++year) {
        changes.add(tail.summer->begins, year, tail.offset_s, tail.summer->offset_s);
        changes.add(tail.summer->ends, year, tail.summer->offset_s, tail.offset_s);
    }
    return changes.around(instant_s);
}

Stretch stretch_of_tail(const model::ZoneTail& tail, std::int64_t begin_s, std::int64_t instant_s) {
    if (!tail.summer) return {begin_s, for_ever_s, tail.offset_s};
    Stretch stretch = stretch_of_summer(tail, instant_s);
    stretch.begin_s = std::max(stretch.begin_s, begin_s);
    return stretch;
}

bool is_shown_again(const model::Zone& zone, Stretch stretch, std::int64_t wall_s) {
    const std::int64_t until_s = wall_s - stretch.offset_s + spread_s;
    while (stretch.end_s <= until_s) {
        stretch = stretch_at(zone, stretch.end_s);
        const std::int64_t instant_s = wall_s - stretch.offset_s;
        if (instant_s >= stretch.begin_s && instant_s < stretch.end_s) return true;
    }
    return false;
}

}  // namespace

Stretch stretch_at(const model::Zone& zone, std::int64_t instant_s) {
    const auto after = std::upper_bound(zone.changes.begin(), zone.changes.end(), instant_s,
                                        [](std::int64_t s, const auto& change) { return s < change.at_s; });
    const bool is_first = after == zone.changes.begin();
    const std::int64_t begin_s = is_first ? -for_ever_s : std::prev(after)->at_s;
    if (after == zone.changes.end() && zone.tail) return stretch_of_tail(*zone.tail, begin_s, instant_s);
    const std::int32_t offset_s = is_first ? zone.first_offset_s : std::prev(after)->offset_s;
    return {begin_s, after == zone.changes.end() ? for_ever_s : after->at_s, offset_s};
}

std::int64_t latest_shown(const model::Zone& zone, std::int64_t instant_s) {
    Stretch stretch = stretch_at(zone, instant_s);
    std::int64_t latest_s = instant_s + stretch.offset_s;
    while (stretch.begin_s > instant_s - spread_s) {
        const std::int64_t last_before_s = stretch.begin_s - 1;
        stretch = stretch_at(zone, last_before_s);
        latest_s = std::max(latest_s, last_before_s + stretch.offset_s);
    }
    return latest_s;
}

Coming when_shown(const model::Zone& zone, std::int64_t wall_s) {
    Stretch stretch = stretch_at(zone, wall_s - model::zone_offset_s_max);
    for (;;) {
        const std::int64_t instant_s = std::max(stretch.begin_s, wall_s - stretch.offset_s);
        if (instant_s >= stretch.end_s) {
            stretch = stretch_at(zone, stretch.end_s);
            continue;
        }
        Coming coming{instant_s, stretch.offset_s};
        if (instant_s + stretch.offset_s > wall_s) coming.how = Coming::How::after_gap;
        else if (is_shown_again(zone, stretch, wall_s)) coming.how = Coming::How::first_of_two;
        return coming;
    }
}

}  // namespace belfry::rules
