#include "model/number.hpp"

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "model/value.hpp"

namespace belfry::model {
namespace {

constexpr std::int64_t integral_digits_max = 1000;

// A number as 0.DIGITS × 10^point, digits without zeros at either end; no digits for zero.
struct Decimal {
    bool negative = false;
    std::string digits;
    std::int64_t point = 0;
    bool readable = true;  // false: the exponent itself is out of any range
};

Decimal parse_decimal(std::string_view token) {
    Decimal number;
    if (token.front() == '-') {
        number.negative = true;
        token.remove_prefix(1);
    }
    const std::size_t e = token.find_first_of("eE");
    const std::string_view mantissa = token.substr(0, e);
    const std::size_t dot = mantissa.find('.');
    number.digits.assign(mantissa.substr(0, dot));
    number.point = static_cast<std::int64_t>(number.digits.size());
    if (dot != std::string_view::npos) number.digits.append(mantissa.substr(dot + 1));
    while (!number.digits.empty() && number.digits.back() == '0') number.digits.pop_back();
    const std::size_t zeros = number.digits.find_first_not_of('0');
    if (zeros == std::string::npos) {
        number.digits.clear();
        return number;
    }
    number.digits.erase(0, zeros);
    number.point -= static_cast<std::int64_t>(zeros);
    if (e == std::string_view::npos) return number;
    std::string_view exponent = token.substr(e + 1);
    if (exponent.front() == '+') exponent.remove_prefix(1);
    std::int64_t power = 0;
    const auto read = std::from_chars(exponent.data(), exponent.data() + exponent.size(), power);
    constexpr std::int64_t far = 1'000'000'000'000'000'000;
    number.readable = read.ec == std::errc() && power < far && power > -far;
    if (number.readable) number.point += power;
    return number;
}

void append_decimal(std::string& out, bool negative, std::string_view digits, std::int64_t point) {
    if (digits.empty()) {
        out += '0';
        return;
    }
    if (negative) out += '-';
    const auto count = static_cast<std::int64_t>(digits.size());
    if (point < -5 || point > 21) {
        out += digits.front();
        if (count > 1) {
            out += '.';
            out += digits.substr(1);
        }
        out += point > 0 ? "e+" : "e-";
        append_integer(out, std::llabs(point - 1));
    } else if (point <= 0) {
        out += "0.";
        out.append(static_cast<std::size_t>(-point), '0');
        out += digits;
    } else if (point >= count) {
        out += digits;
        out.append(static_cast<std::size_t>(point - count), '0');
    } else {
        out += digits.substr(0, static_cast<std::size_t>(point));
        out += '.';
        out += digits.substr(static_cast<std::size_t>(point));
    }
}

// The shortest digits that read back as the same double.
std::string_view shortest_digits(std::array<char, 32>& buffer, double finite, bool& negative, std::int64_t& point) {
    char* end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), finite, std::chars_format::scientific).ptr;
    char* from = buffer.data();
    negative = *from == '-';
    if (negative) ++from;
    char* e = end;
    while (*--e != 'e') {
    }
    int power = 0;
    std::from_chars(e[1] == '+' ? e + 2 : e + 1, end, power);
    point = power + 1;
    if (e - from == 1) return *from == '0' ? std::string_view{} : std::string_view(from, 1);
    from[1] = from[0];  // over the dot
    return {from + 1, static_cast<std::size_t>(e - from - 1)};
}

// Null: 64 bits do not hold it.
Value integer_value(std::string_view token) {
    const char* end = token.data() + token.size();
    std::int64_t integer = 0;
    const auto read = std::from_chars(token.data(), end, integer);
    if (read.ec == std::errc() && read.ptr == end) return Value::integer(integer);
    std::uint64_t natural = 0;
    const auto wide = std::from_chars(token.data(), end, natural);
    if (wide.ec == std::errc() && wide.ptr == end) return Value::natural(natural);
    return {};
}

// Three digits, and how many of them are left without the zeros at their end: four bytes, so that one store writes
// them.
struct Group {
    char digits[3];
    char significant;
};
constexpr std::array<Group, 1000> groups = [] {
    std::array<Group, 1000> made{};
    for (int i = 0; i < 1000; ++i) {
        const auto digit = [](int value) { return static_cast<char>('0' + value); };
        made[static_cast<std::size_t>(i)] = {{digit(i / 100), digit(i / 10 % 10), digit(i % 10)},
                                             static_cast<char>(i % 10 != 0    ? 3
                                                               : i % 100 != 0 ? 2
                                                               : i != 0       ? 1
                                                                              : 0)};
    }
    return made;
}();

// Writes four characters, of which three count.
const Group& write_group(char* to, std::uint64_t below_thousand) {
    const Group& group = groups[below_thousand];
    std::memcpy(to, &group, sizeof group);
    return group;
}

// Without the zeros in front.
char* write_first_group(char* to, std::uint64_t below_thousand) {
    const std::size_t zeros = (below_thousand < 100 ? 1 : 0) + (below_thousand < 10 ? 1 : 0);
    std::uint32_t bytes = 0;
    std::memcpy(&bytes, &groups[below_thousand], sizeof bytes);
    static_assert(std::endian::native == std::endian::little);
    bytes >>= 8 * zeros;
    std::memcpy(to, &bytes, sizeof bytes);
    return to + 3 - zeros;
}

char* write_natural(char* to, std::uint64_t value) {
    if (value < 1000) return write_first_group(to, value);
    to = value < 1'000'000 ? write_first_group(to, value / 1000) : write_natural(to, value / 1000);
    write_group(to, value % 1000);
    return to + 3;
}

// A decimal without exponent and with at most fifteen digits: both its digits and the power of ten are exact as
// doubles, so one division gives the nearest double.
bool read_short_decimal(std::string_view token, double& value) {
    static constexpr std::array<double, 16> powers{1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                   1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    if (token.size() > 16) return false;
    const bool negative = token.front() == '-';
    std::int64_t digits = 0;
    std::size_t decimals = 0;
    bool behind_point = false;
    for (const char c : token.substr(negative ? 1 : 0)) {
        if (c == '.') {
            behind_point = true;
            continue;
        }
        if (c < '0' || c > '9') return false;
        digits = digits * 10 + (c - '0');
        decimals += behind_point ? 1 : 0;
    }
    value = static_cast<double>(digits) / powers[decimals];
    if (negative) value = -value;
    return digits < 1'000'000'000'000'000;
}

Value real_or_big(std::string_view token, std::size_t digits) {
    double value = 0;
    if (read_short_decimal(token, value)) return Value::real(value);
    const auto read = std::from_chars(token.data(), token.data() + token.size(), value);
    if (read.ec == std::errc() && digits <= 15 && (value == 0 || std::abs(value) > 1e-290)) {
        // Fifteen digits always come back; but a number that is not zero must not have become it.
        if (value != 0 || token.find_first_of("123456789") >= token.find_first_of("eE")) return Value::real(value);
    }
    std::string text = canonical_number(token);
    if (read.ec == std::errc()) {
        std::string shortest;
        append_real(shortest, value);
        if (shortest == text) return Value::real(value);
    }
    // Digits before an exponent may still make an integer.
    if (text.size() <= 20 && text.find_first_not_of("-0123456789") == std::string::npos) {
        Value integer = integer_value(text);
        if (!integer.is_null()) return integer;
    }
    return Value::big(text);
}

}  // namespace

char* write_integer(char* to, long long value) {
    const auto magnitude = static_cast<std::uint64_t>(value);
    if (value >= 0) return write_natural(to, magnitude);
    *to = '-';
    return write_natural(to + 1, 0 - magnitude);
}

// Most numbers have few decimals. One of at most fifteen digits in all that comes back when it is divided out again is
// the shortest: no two such decimals share a double.
char* write_quick_real(char* to, double finite) {
    if (!(std::abs(finite) < 1e9)) return nullptr;
    const double scaled = finite * 1e6;
    const auto millionths = static_cast<std::int64_t>(scaled + (scaled < 0 ? -0.5 : 0.5));
    if (static_cast<double>(millionths) / 1e6 != finite) return nullptr;
    if (millionths < 0) *to++ = '-';
    const auto magnitude = static_cast<std::uint64_t>(millionths < 0 ? -millionths : millionths);
    const std::uint64_t fraction = magnitude % 1'000'000;
    to = write_natural(to, magnitude / 1'000'000);
    if (fraction == 0) return to;
    *to++ = '.';
    const Group& thousandths = write_group(to, fraction / 1000);
    const Group& rest = write_group(to + 3, fraction % 1000);
    return to + (rest.significant == 0 ? thousandths.significant : 3 + rest.significant);
}

void append_integer(std::string& out, long long value) {
    std::array<char, quick_number_chars_max> buffer;
    const char* end = write_integer(buffer.data(), value);
    out.append(buffer.data(), static_cast<std::size_t>(end - buffer.data()));
}

void append_natural(std::string& out, unsigned long long value) {
    std::array<char, quick_number_chars_max> buffer;
    const char* end = write_natural(buffer.data(), value);
    out.append(buffer.data(), static_cast<std::size_t>(end - buffer.data()));
}

void append_real(std::string& out, double finite) {
    std::array<char, 32> buffer;
    if (const char* end = write_quick_real(buffer.data(), finite)) {
        out.append(buffer.data(), static_cast<std::size_t>(end - buffer.data()));
        return;
    }
    bool negative = false;
    std::int64_t point = 0;
    const std::string_view digits = shortest_digits(buffer, finite, negative, point);
    append_decimal(out, negative, digits, point);
}

std::string canonical_number(std::string_view token) {
    const Decimal number = parse_decimal(token);
    std::string out;
    if (!number.readable) {
        for (const char c : token) out += c == 'E' ? 'e' : c;
        return out;
    }
    append_decimal(out, number.negative, number.digits, number.point);
    return out;
}

bool is_integral(std::string_view canonical) {
    const Decimal number = parse_decimal(canonical);
    return number.readable && number.point >= static_cast<std::int64_t>(number.digits.size()) &&
           number.point <= integral_digits_max;
}

std::string integral_digits(std::string_view canonical) {
    Decimal number = parse_decimal(canonical);
    if (number.digits.empty()) return "0";
    number.digits.append(static_cast<std::size_t>(number.point) - number.digits.size(), '0');
    return (number.negative ? "-" : "") + number.digits;
}

double nearest_double(std::string_view token) {
    double value = 0;
    const auto read = std::from_chars(token.data(), token.data() + token.size(), value);
    if (read.ec != std::errc::result_out_of_range) return value;
    const Decimal number = parse_decimal(token);
    const bool huge = number.readable ? number.point > 0 : token.find("e-") == std::string_view::npos;
    value = huge ? std::numeric_limits<double>::infinity() : 0.0;
    return number.negative ? -value : value;
}

Value number_value(std::string_view token) {
    const bool negative = token.front() == '-';
    std::uint64_t magnitude = 0;
    std::size_t digits = 0;
    for (const char c : token.substr(negative ? 1 : 0)) {
        if (c < '0' || c > '9') {
            digits = 0;
            break;
        }
        if (++digits > 18) break;
        magnitude = magnitude * 10 + static_cast<std::uint64_t>(c - '0');
    }
    if (digits > 0 && digits <= 18) {
        return Value::integer(negative ? -static_cast<std::int64_t>(magnitude) : static_cast<std::int64_t>(magnitude));
    }
    if (digits > 18) {
        Value integer = integer_value(token);
        if (!integer.is_null()) return integer;
    }
    return real_or_big(token, token.size());
}

}  // namespace belfry::model
