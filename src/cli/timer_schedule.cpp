#include "cli/timer_schedule.hpp"

#include "rules/cron.hpp"
#include "rules/schedule.hpp"

namespace belfry::cli {
namespace {

constexpr const char* settings_folder = "/etc";

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

base::Result<TypedSchedule> read_typed_schedule(const Arguments& arguments) {
    TypedSchedule typed;
    TRY_ASSIGN(typed.option, chosen_option(arguments));
    typed.text = arguments.value_or(typed.option, "");
    typed.words.kind = typed.option;
    auto& when = typed.schedule.when;
    if (typed.option == "cron") {
        TRY_ASSIGN(when, under(typed.option, ": ", rules::parse_cron(typed.text)));
        typed.words.cron = typed.text;
    } else if (typed.option == "daily") {
        TRY_ASSIGN(const model::WallTime time, under(typed.option, " ", rules::parse_wall_time(typed.text)));
        when = model::Daily{time};
        typed.words.time = typed.text;
    } else if (typed.option == "weekly") {
        TRY_ASSIGN(const model::Weekly weekly, under(typed.option, " ", rules::parse_weekly(typed.text)));
        when = weekly;
        for (unsigned day = 0; day < model::weekday_names.size(); ++day) {
            if ((weekly.weekdays >> day & 1U) != 0) typed.words.days.emplace_back(model::weekday_names[day]);
        }
        typed.words.time = model::format_wall_time(weekly.time);
    } else if (typed.option == "every") {
        TRY_ASSIGN(const base::Duration interval, under(typed.option, " ", rules::parse_interval(typed.text)));
        when = model::EveryInterval{interval, {}};
        typed.words.interval = typed.text;
    } else {
        TRY_ASSIGN(typed.words.at, read_instant(arguments, typed.option));
        when = model::AtInstant{*typed.words.at};
    }
    return typed;
}

base::Result<model::Schedule> read_schedule(const Arguments& arguments, base::Timestamp anchor) {
    TRY_ASSIGN(TypedSchedule typed, read_typed_schedule(arguments));
    if (auto* const every = std::get_if<model::EveryInterval>(&typed.schedule.when)) every->anchor = anchor;
    return std::move(typed.schedule);
}

host::MachineZone choose_zone(Context& context, const Arguments& arguments, host::SystemZones& zones) {
    if (const auto typed = arguments.value("zone")) return {*typed, "--zone"};
    return host::machine_zone(zones, context.environment, settings_folder);
}

}  // namespace belfry::cli
