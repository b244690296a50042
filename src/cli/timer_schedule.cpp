#include "cli/timer_schedule.hpp"

#include "rules/cron.hpp"
#include "rules/schedule.hpp"

namespace belfry::cli {
namespace {

// Says under which option it was typed.
template <class T>
base::Result<T> under(std::string_view option, std::string_view between, base::Result<T> read) {
    if (read.ok()) return read;
    return wrong("--" + std::string(option) + std::string(between) + read.error().message);
}

base::Result<std::string> chosen_option(const Arguments& arguments) {
    std::string names;
    std::vector<std::string> given;
    for (const OptionSpec& option : schedule_options()) {
        names += (names.empty() ? "--" : ", --") + option.name;
        if (arguments.has(option.name)) given.push_back(option.name);
    }
    if (given.size() == 1) return given.front();
    std::string message = "give exactly one of " + names;
    for (std::size_t i = 0; i < given.size(); ++i) message += (i == 0 ? ", not --" : " and --") + given[i];
    return wrong(std::move(message));
}

}  // namespace

std::vector<OptionSpec> schedule_options() {
    return {{"cron", "FIELDS", "minute, hour, day of month, month, day of week: \"30 2 * * *\"; or @daily"},
            {"daily", "HH:MM", "every day at a wall time"},
            {"weekly", "DAYS@HH:MM", "on weekdays at a wall time: mon,thu@18:30 or mon-fri@07:00"},
            {"every", "TIME", "elapsed time: 90s, 15m, 12h, 30d; counts from --from"},
            {"at", "INSTANT", "once: 2026-12-24T18:00:00+01:00"}};
}

base::Result<std::optional<base::Timestamp>> read_instant(const Arguments& arguments, std::string_view option) {
    const std::optional<std::string> typed = arguments.value(option);
    if (!typed) return std::optional<base::Timestamp>{};
    const std::optional<base::Timestamp> instant = base::parse_timestamp(*typed);
    if (!instant) {
        return wrong("--" + std::string(option) +
                     " must be an instant from 1970 to 9999 with its offset, like 2026-03-28T12:00:00Z or "
                     "2026-03-28T13:00:00+01:00, not \"" +
                     *typed + '"');
    }
    return instant;
}

base::Result<model::Schedule> read_schedule(const Arguments& arguments, base::Timestamp anchor) {
    TRY_ASSIGN(const std::string option, chosen_option(arguments));
    const std::string typed = arguments.value_or(option, "");
    model::Schedule schedule;
    if (option == "cron") {
        TRY_ASSIGN(schedule.when, under(option, ": ", rules::parse_cron(typed)));
    } else if (option == "daily") {
        TRY_ASSIGN(const model::WallTime time, under(option, " ", rules::parse_wall_time(typed)));
        schedule.when = model::Daily{time};
    } else if (option == "weekly") {
        TRY_ASSIGN(schedule.when, under(option, " ", rules::parse_weekly(typed)));
    } else if (option == "every") {
        TRY_ASSIGN(const base::Duration interval, under(option, " ", rules::parse_interval(typed)));
        schedule.when = model::EveryInterval{interval, anchor};
    } else {
        TRY_ASSIGN(const auto at, read_instant(arguments, option));
        schedule.when = model::AtInstant{*at};
    }
    return schedule;
}

}  // namespace belfry::cli
