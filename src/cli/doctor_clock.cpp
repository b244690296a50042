#include "cli/doctor_clock.hpp"

#include <algorithm>
#include <array>

#include "base/timer_limits.hpp"

namespace belfry::cli {
namespace {

using State = Finding::State;
constexpr base::Duration told_for = base::limits::clock_correction_told;
constexpr base::Duration small_step = base::minutes(1);

std::string counted(std::int64_t count, const char* one, const char* many) {
    return std::to_string(count) + ' ' + (count == 1 ? one : many);
}

// The two largest units of a time.
std::string spelled(base::Duration time) {
    struct Unit {
        base::Duration length;
        const char* name;
    };
    const std::array<Unit, 4> units{
        {{base::days(1), "d"}, {base::hours(1), "h"}, {base::minutes(1), "m"}, {base::seconds(1), "s"}}};
    std::string text;
    int told = 0;
    for (const Unit& unit : units) {
        const std::int64_t count = time.us / unit.length.us;
        time.us %= unit.length.us;
        if (count == 0 && told == 0) continue;
        if (count > 0) text += (text.empty() ? "" : " ") + std::to_string(count) + unit.name;
        if (++told == 2) break;
    }
    return text;
}

// Returns the largest step of the last days, or else the newest: a small step must not hide a large one.
const store::ClockStep& step_to_tell(const std::vector<store::ClockStep>& steps, base::Timestamp now) {
    const store::ClockStep* told = &steps.front();
    for (const store::ClockStep& step : steps) {
        if (now - step.noticed_at < told_for && step.set_back > told->set_back) told = &step;
    }
    return *told;
}

}  // namespace

void check_clock_steps(const std::vector<store::ClockStep>& steps, base::Timestamp now,
                       std::vector<Finding>& findings) {
    if (steps.empty()) return;
    const store::ClockStep& last = step_to_tell(steps, now);
    std::string detail = "at " + base::format_timestamp(last.noticed_at) + " the clock was set back by " +
                         spelled(last.set_back) + "; computed again: " + counted(last.timers, "timer", "timers");
    for (std::size_t i = 0; i < last.named.size(); ++i) detail += (i == 0 ? " (" : "; ") + last.named[i];
    if (!last.named.empty()) {
        detail += static_cast<std::int64_t>(last.named.size()) < last.timers ? "; …)" : ")";
    }
    detail += ", " + counted(last.agents, "agent's wake time", "agents' wake times") + ", " +
              counted(last.deadlines, "stored wait", "stored waits");
    if (steps.size() > 1) {
        detail += "; " + counted(static_cast<std::int64_t>(steps.size()) - 1, "other correction", "other corrections");
    }
    const bool is_news = last.set_back >= small_step && now - last.noticed_at < told_for;
    findings.push_back(
        {"clock steps", is_news ? State::warning : State::good, std::move(detail),
         is_news ? "set the clock by an NTP service before Belfry starts; look at what fired meanwhile" : ""});
}

}  // namespace belfry::cli
