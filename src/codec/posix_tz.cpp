#include "codec/posix_tz.hpp"

#include <string>

namespace belfry::codec {
namespace {

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

class Reader {
public:
    explicit Reader(std::string_view text) : text_(text) {}

    base::Result<model::ZoneTail> read() {
        model::ZoneTail tail;
        TRY(skip_name());
        TRY_ASSIGN(const std::int32_t west_s, read_time(24));
        tail.offset_s = -west_s;  // POSIX counts to the west
        if (at_ == text_.size()) return tail;
        TRY(skip_name());
        model::ZoneTail::Summer summer;
        summer.offset_s = tail.offset_s + 3600;
        if (at_ < text_.size() && text_[at_] != ',') {
            TRY_ASSIGN(const std::int32_t summer_west_s, read_time(24));
            summer.offset_s = -summer_west_s;
        }
        TRY_ASSIGN(summer.begins, read_moment());
        TRY_ASSIGN(summer.ends, read_moment());
        if (at_ != text_.size()) return wrong("the end");
        tail.summer = summer;
        return tail;
    }

private:
    [[nodiscard]] base::Error wrong(std::string_view wanted) const {
        return base::error(base::Code::malformed, "the rule for later years has no " + std::string(wanted) +
                                                      " at byte " + std::to_string(at_));
    }

    bool take(char wanted) {
        if (at_ == text_.size() || text_[at_] != wanted) return false;
        ++at_;
        return true;
    }

    base::Result<void> skip_name() {
        const bool is_bracketed = take('<');
        const std::size_t begin = at_;
        const auto is_part = [&](char c) {
            return is_letter(c) || (is_bracketed && (is_digit(c) || c == '+' || c == '-'));
        };
        while (at_ < text_.size() && is_part(text_[at_])) ++at_;
        if (at_ - begin < 3) return wrong("name of three characters or more");
        if (is_bracketed && !take('>')) return wrong("bracket that closes a name");
        return {};
    }

    base::Result<unsigned> read_number(unsigned min, unsigned max) {
        constexpr std::size_t digits_max = 3;
        const std::size_t begin = at_;
        unsigned number = 0;
        while (at_ < text_.size() && is_digit(text_[at_]) && at_ - begin < digits_max) {
            number = number * 10 + static_cast<unsigned>(text_[at_++] - '0');
        }
        if (at_ == begin || number < min || number > max) {
            return wrong("number from " + std::to_string(min) + " to " + std::to_string(max));
        }
        return number;
    }

    // [+-]hh[:mm[:ss]]
    base::Result<std::int32_t> read_time(unsigned hours_max) {
        const bool is_negative = take('-');
        if (!is_negative) take('+');
        TRY_ASSIGN(const unsigned hours, read_number(0, hours_max));
        unsigned minutes = 0;
        unsigned seconds = 0;
        if (take(':')) {
            TRY_ASSIGN(minutes, read_number(0, 59));
            if (take(':')) {
                TRY_ASSIGN(seconds, read_number(0, 59));
            }
        }
        const auto total_s = static_cast<std::int32_t>(hours * 3600 + minutes * 60 + seconds);
        return is_negative ? -total_s : total_s;
    }

    base::Result<model::YearlyMoment> read_moment() {
        model::YearlyMoment moment;
        if (!take(',')) return wrong("comma before a day of the year");
        if (take('M')) {
            TRY_ASSIGN(moment.month, read_number(1, 12));
            if (!take('.')) return wrong("dot after a month");
            TRY_ASSIGN(moment.week, read_number(1, 5));
            if (!take('.')) return wrong("dot after a week");
            TRY_ASSIGN(moment.weekday, read_number(0, 6));
        } else if (take('J')) {
            moment.kind = model::YearlyMoment::Kind::day_but_leap;
            TRY_ASSIGN(moment.day, read_number(1, 365));
        } else {
            moment.kind = model::YearlyMoment::Kind::day;
            TRY_ASSIGN(moment.day, read_number(0, 365));
        }
        if (take('/')) {
            TRY_ASSIGN(moment.time_s, read_time(167));
        }
        return moment;
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

}  // namespace

base::Result<model::ZoneTail> parse_posix_tz(std::string_view text) {
    return Reader(text).read();
}

}  // namespace belfry::codec
