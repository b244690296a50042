#include "rules/cron.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/date.hpp"
#include "rules/wall_pattern.hpp"

namespace belfry::rules {
namespace {

constexpr std::array<std::string_view, 12> month_names{"jan", "feb", "mar", "apr", "may", "jun",
                                                       "jul", "aug", "sep", "oct", "nov", "dec"};

struct Field {
    std::string_view name;
    unsigned min;
    unsigned max;
    unsigned values;  // how many there are: of weekdays seven, though Sunday has two numbers
    std::span<const std::string_view> names;
    std::string_view allowed;
};

constexpr std::array<Field, 5> fields{
    {{"minute", 0, 59, 60, {}, "0 to 59"},
     {"hour", 0, 23, 24, {}, "0 to 23"},
     {"day of month", 1, 31, 31, {}, "1 to 31"},
     {"month", 1, 12, 12, month_names, "1 to 12 or JAN to DEC"},
     {"day of week", 0, 7, 7, model::weekday_names, "0 to 7 (0 and 7: Sunday) or SUN to SAT"}}};

struct Alias {
    std::string_view name;
    std::string_view means;
};

constexpr std::array<Alias, 7> aliases{{{"@hourly", "0 * * * *"},
                                        {"@daily", "0 0 * * *"},
                                        {"@midnight", "0 0 * * *"},
                                        {"@weekly", "0 0 * * 0"},
                                        {"@monthly", "0 0 1 * *"},
                                        {"@yearly", "0 0 1 1 *"},
                                        {"@annually", "0 0 1 1 *"}}};

std::string lower(std::string_view text) {
    std::string result(text);
    for (char& c : result) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    return result;
}

std::string quoted(std::string_view text) {
    return '"' + std::string(text) + '"';
}

std::vector<std::string_view> split_fields(std::string_view text) {
    constexpr std::string_view blanks = " \t";
    std::vector<std::string_view> words;
    std::size_t at = text.find_first_not_of(blanks);
    while (at != std::string_view::npos) {
        const std::size_t end = std::min(text.find_first_of(blanks, at), text.size());
        words.push_back(text.substr(at, end - at));
        at = text.find_first_not_of(blanks, end);
    }
    return words;
}

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

// One field, item by item; the first error names the whole of it.
class FieldReader {
public:
    FieldReader(const Field& field, std::string_view text) : field_(field), text_(text) {}

    base::Result<std::uint64_t> read() {
        std::string_view rest = text_;
        for (;;) {
            const std::size_t comma = rest.find(',');
            TRY(take_item(rest.substr(0, comma)));
            if (comma == std::string_view::npos) break;
            rest.remove_prefix(comma + 1);
        }
        return bits_;
    }

private:
    [[nodiscard]] base::Error wrong(const std::string& why) const {
        std::string message = "the " + std::string(field_.name) + " is " + quoted(text_) + ": " + why +
                              "; allowed are " + std::string(field_.allowed) +
                              ", *, ranges (a-b), lists (a,b) and steps (*/n, a-b/n)";
        return base::error(base::Code::invalid, std::move(message));
    }

    base::Result<void> take_item(std::string_view item) {
        if (item.empty()) return wrong("an item of the list is empty");
        const std::size_t slash = item.find('/');
        const std::string_view range = item.substr(0, slash);
        unsigned low = field_.min;
        unsigned high = field_.min + field_.values - 1;
        const std::size_t dash = range.find('-');
        const bool is_single = range != "*" && dash == std::string_view::npos;
        if (range != "*") {
            TRY_ASSIGN(low, read_value(range.substr(0, dash)));
            high = low;
        }
        if (range != "*" && !is_single) {
            TRY_ASSIGN(high, read_range_end(range.substr(dash + 1)));
            if (high < low) return wrong("the range " + quoted(range) + " runs backwards");
        }
        unsigned step = 1;
        if (slash != std::string_view::npos) {
            if (is_single) return wrong("a step needs * or a range before it, not " + quoted(range));
            TRY_ASSIGN(step, read_step(item.substr(slash + 1)));
        }
        for (unsigned value = low; value <= high; value += step) bits_ |= std::uint64_t{1} << value;
        return {};
    }

    base::Result<unsigned> read_value(std::string_view text) const {
        const std::string name = lower(text);
        const auto found = std::find(field_.names.begin(), field_.names.end(), name);
        if (found != field_.names.end()) return field_.min + static_cast<unsigned>(found - field_.names.begin());
        const auto number = read_number(text);
        if (!number) return wrong(unreadable(text));
        if (*number < field_.min || *number > field_.max) return wrong("it has no " + std::string(text));
        return *number;
    }

    // fri-sun: as an end Sunday is the seventh day.
    base::Result<unsigned> read_range_end(std::string_view text) const {
        TRY_ASSIGN(const unsigned value, read_value(text));
        const bool is_named_sunday = field_.max == 7 && value == 0 && !is_digit(text.front());
        return is_named_sunday ? 7 : value;
    }

    base::Result<unsigned> read_step(std::string_view text) const {
        const auto number = read_number(text);
        if (!number || *number < 1 || *number > field_.values) {
            return wrong("a step is 1 to " + std::to_string(field_.values) + ", not " + quoted(text));
        }
        return *number;
    }

    static std::optional<unsigned> read_number(std::string_view text) {
        unsigned number = 0;
        if (text.empty() || !std::all_of(text.begin(), text.end(), is_digit)) return std::nullopt;
        const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
        if (failed != std::errc{}) return std::nullopt;
        return number;
    }

    static std::string unreadable(std::string_view text) {
        if (text.empty()) return "a number is missing";
        const bool is_of_others = text.find_first_of("?#") != std::string_view::npos ||
                                  (text.find_first_of("LW") != std::string_view::npos &&
                                   text.find_first_not_of("0123456789LW") == std::string_view::npos);
        return is_of_others ? quoted(text) + " is of other crons (?, L, W and # are not known here)"
                            : quoted(text) + " is none of its values";
    }

    const Field& field_;
    std::string_view text_;
    std::uint64_t bits_ = 0;
};

base::Error wrong_count(std::string_view text, std::size_t count) {
    std::string message = quoted(text) + " has " + std::to_string(count) + (count == 1 ? " field" : " fields") +
                          "; allowed are five: minute, hour, day of month, month, day of week";
    if (count > 5) message += " (there are no seconds and no years)";
    return base::error(base::Code::invalid, std::move(message));
}

base::Result<std::string_view> resolve_alias(std::string_view text) {
    const std::string name = lower(text);
    std::string known;
    for (const Alias& alias : aliases) {
        if (alias.name == name) return alias.means;
        known += (known.empty() ? "" : ", ") + std::string(alias.name);
    }
    return base::error(base::Code::invalid, quoted(text) + " is not known; allowed are " + known + " and five fields");
}

base::Result<void> check_that_it_comes(const model::WallPattern& pattern, std::string_view days,
                                       std::string_view months) {
    if (pattern.match == model::WallPattern::Days::either) return {};
    for (unsigned month = 1; month <= 12; ++month) {
        const std::uint32_t has_days = (std::uint32_t{2} << base::days_in_month(2000, month)) - 1;
        if ((pattern.months >> month & 1U) != 0 && (pattern.days & has_days) != 0) return {};
    }
    return base::error(base::Code::invalid, "it never comes: the day of month is " + quoted(days) + ", the month is " +
                                                quoted(months) + ", and no such month has such a day");
}

}  // namespace

base::Result<model::Cron> parse_cron(std::string_view text) {
    if (text.size() > cron_bytes_max) {
        return base::error(base::Code::invalid, "it has " + std::to_string(text.size()) + " bytes; allowed are " +
                                                    std::to_string(cron_bytes_max));
    }
    std::vector<std::string_view> words = split_fields(text);
    if (words.size() == 1 && words[0].starts_with('@')) {
        TRY_ASSIGN(const std::string_view means, resolve_alias(words[0]));
        words = split_fields(means);
    }
    if (words.size() != fields.size()) return wrong_count(text, words.size());
    std::array<std::uint64_t, fields.size()> bits{};
    for (std::size_t i = 0; i < fields.size(); ++i) {
        TRY_ASSIGN(bits[i], FieldReader(fields[i], words[i]).read());
    }
    model::Cron cron{std::string(text), {}};
    cron.pattern.minutes = bits[0];
    cron.pattern.hours = static_cast<std::uint32_t>(bits[1]);
    cron.pattern.days = static_cast<std::uint32_t>(bits[2]);
    cron.pattern.months = static_cast<std::uint32_t>(bits[3]);
    cron.pattern.weekdays = static_cast<std::uint32_t>((bits[4] | bits[4] >> 7) & every_weekday);
    const bool both_restricted = !words[2].starts_with('*') && !words[4].starts_with('*');
    cron.pattern.match = both_restricted ? model::WallPattern::Days::either : model::WallPattern::Days::both;
    TRY(check_that_it_comes(cron.pattern, words[2], words[3]));
    return cron;
}

}  // namespace belfry::rules
