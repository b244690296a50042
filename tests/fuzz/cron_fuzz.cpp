// Schedules as people write them: what is taken comes, again and again, and only at its own minutes.
#include <string>

#include "base/assert.hpp"
#include "base/date.hpp"
#include "rules/cron.hpp"
#include "rules/schedule.hpp"
#include "rules/wall_pattern.hpp"

namespace {

using namespace belfry;

void check_coming(const model::WallPattern& pattern) {
    constexpr std::int64_t longest_wait_s = 41LL * 366 * base::seconds_per_day;  // 29 February on one weekday
    std::int64_t wall_s = 1'774'746'000;
    for (int i = 0; i < 5; ++i) {
        const auto next = rules::next_wall_time(pattern, wall_s);
        ASSERT(next && *next > wall_s && *next - wall_s <= longest_wait_s);
        ASSERT(*next % 60 == 0);
        ASSERT((pattern.minutes >> (*next / 60 % 60) & 1U) != 0);
        ASSERT((pattern.hours >> (*next / 3600 % 24) & 1U) != 0);
        const base::Date date = base::date_from_days(*next / base::seconds_per_day);
        ASSERT((pattern.months >> date.month & 1U) != 0);
        wall_s = *next;
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    if (const auto cron = rules::parse_cron(text); cron.ok()) {
        ASSERT(cron->text == text);
        check_coming(cron->pattern);
    } else {
        ASSERT(cron.error().code == base::Code::invalid && !cron.error().message.empty());
    }
    if (const auto weekly = rules::parse_weekly(text); weekly.ok()) check_coming(rules::pattern_of(*weekly));
    if (const auto time = rules::parse_wall_time(text); time.ok()) ASSERT(model::format_wall_time(*time) == text);
    if (const auto interval = rules::parse_interval(text); interval.ok()) ASSERT(*interval >= rules::interval_min);
    return 0;
}
