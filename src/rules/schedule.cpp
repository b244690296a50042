#include "rules/schedule.hpp"

#include <algorithm>

namespace belfry::rules {
namespace {

base::Error wrong(std::string_view text, std::string_view allowed) {
    return base::error(base::Code::invalid, "must be " + std::string(allowed) + ", not \"" + std::string(text) + '"');
}

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

constexpr std::string_view weekly_form = "weekdays and a time like mon,thu@18:30 or mon-fri@07:00";

base::Result<unsigned> parse_weekday(std::string_view word, std::string_view text) {
    for (unsigned day = 0; day < model::weekday_names.size(); ++day) {
        const bool is_it =
            std::equal(word.begin(), word.end(), model::weekday_names[day].begin(), model::weekday_names[day].end(),
                       [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a - 'A' + 'a' : a) == b; });
        if (is_it) return day;
    }
    return wrong(text, std::string(weekly_form) + " (sun, mon, tue, wed, thu, fri, sat)");
}

// One day, or from one to another, over the end of the week, too.
base::Result<std::uint8_t> parse_weekdays(std::string_view words, std::string_view text) {
    const std::size_t dash = words.find('-');
    TRY_ASSIGN(const unsigned first, parse_weekday(words.substr(0, dash), text));
    unsigned last = first;
    if (dash != std::string_view::npos) {
        TRY_ASSIGN(last, parse_weekday(words.substr(dash + 1), text));
    }
    std::uint8_t days = 0;
    for (unsigned day = first;; day = (day + 1) % 7) {
        days |= static_cast<std::uint8_t>(1U << day);
        if (day == last) return days;
    }
}

std::string in_words(const model::AtInstant& once) {
    return "once at " + base::format_timestamp(once.at);
}

std::string in_words(const model::EveryInterval& every) {
    return "every " + base::format_duration(every.interval) + " from " + base::format_timestamp(every.anchor);
}

std::string in_words(const model::Daily& daily) {
    return "every day at " + model::format_wall_time(daily.time);
}

std::string in_words(const model::Weekly& weekly) {
    std::string days;
    for (unsigned i = 1; i <= 7; ++i) {
        if ((weekly.weekdays >> i % 7 & 1U) != 0)
            days += (days.empty() ? "" : ", ") + std::string(model::weekday_names[i % 7]);
    }
    return "every " + days + " at " + model::format_wall_time(weekly.time);
}

std::string in_words(const model::Cron& cron) {
    return "cron " + cron.text;
}

}  // namespace

base::Result<model::WallTime> parse_wall_time(std::string_view text) {
    const bool has_form = text.size() == 5 && text[2] == ':' && is_digit(text[0]) && is_digit(text[1]) &&
                          is_digit(text[3]) && is_digit(text[4]);
    if (!has_form) return wrong(text, "a time from 00:00 to 23:59, like 07:00");
    const model::WallTime time{static_cast<unsigned>((text[0] - '0') * 10 + text[1] - '0'),
                               static_cast<unsigned>((text[3] - '0') * 10 + text[4] - '0')};
    if (time.hour > 23 || time.minute > 59) return wrong(text, "a time from 00:00 to 23:59, like 07:00");
    return time;
}

base::Result<model::Weekly> parse_weekly(std::string_view text) {
    const std::size_t at = text.find('@');
    if (at == std::string_view::npos) return wrong(text, weekly_form);
    model::Weekly weekly;
    const auto time = parse_wall_time(text.substr(at + 1));
    if (!time.ok()) return wrong(text, std::string(weekly_form) + ", the time from 00:00 to 23:59");
    weekly.time = *time;
    std::string_view words = text.substr(0, at);
    for (;;) {
        const std::size_t comma = words.find(',');
        TRY_ASSIGN(const std::uint8_t days, parse_weekdays(words.substr(0, comma), text));
        weekly.weekdays |= days;
        if (comma == std::string_view::npos) return weekly;
        words.remove_prefix(comma + 1);
    }
}

base::Result<base::Duration> parse_interval(std::string_view text) {
    const auto interval = base::parse_duration(text);
    if (!interval || *interval < interval_min || *interval > interval_max) {
        return wrong(text, "a time from " + base::format_duration(interval_min) + " to " +
                               base::format_duration(interval_max) + ", like 90s, 15m, 12h or 30d");
    }
    return *interval;
}

std::string describe(const model::Schedule& schedule) {
    return std::visit([](const auto& when) { return in_words(when); }, schedule.when);
}

}  // namespace belfry::rules
