#include "model/number.hpp"

#include <array>
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

// Two digits at a time, from the end; returns where they begin.
char* write_backwards(char* end, std::uint64_t value) {
    static constexpr char pairs[] =
        "0001020304050607080910111213141516171819202122232425262728293031323334353637383940414243444546474849"
        "5051525354555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899";
    while (value >= 100) {
        end -= 2;
        std::memcpy(end, pairs + value % 100 * 2, 2);
        value /= 100;
    }
    if (value >= 10) {
        end -= 2;
        std::memcpy(end, pairs + value * 2, 2);
    } else {
        *--end = static_cast<char>('0' + value);
    }
    return end;
}

void append_millionths(std::string& out, std::int64_t value) {
    std::array<char, 32> buffer;
    char* end = buffer.data() + buffer.size();
    std::uint64_t magnitude = value < 0 ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
    std::uint64_t fraction = magnitude % 1'000'000;
    char* from = end;
    if (fraction != 0) {
        std::ptrdiff_t places = 6;
        for (; fraction % 10 == 0; fraction /= 10) --places;
        char* digits = end - places;
        char* written = write_backwards(end, fraction);
        while (written > digits) *--written = '0';
        *--digits = '.';
        from = digits;
    }
    from = write_backwards(from, magnitude / 1'000'000);
    if (value < 0) *--from = '-';
    out.append(from, static_cast<std::size_t>(end - from));
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

void append_integer(std::string& out, long long value) {
    std::array<char, 24> buffer;
    char* end = buffer.data() + buffer.size();
    const auto magnitude = static_cast<std::uint64_t>(value);
    char* from = write_backwards(end, value < 0 ? 0 - magnitude : magnitude);
    if (value < 0) *--from = '-';
    out.append(from, static_cast<std::size_t>(end - from));
}

void append_natural(std::string& out, unsigned long long value) {
    std::array<char, 24> buffer;
    char* end = buffer.data() + buffer.size();
    const char* from = write_backwards(end, value);
    out.append(from, static_cast<std::size_t>(end - from));
}

void append_real(std::string& out, double finite) {
    // Most numbers have few decimals. One of at most fifteen digits in all that comes back when it is divided out again
    // is the shortest: no two such decimals share a double.
    if (std::abs(finite) < 1e9) {
        const double scaled = finite * 1e6;
        const auto rounded = static_cast<std::int64_t>(scaled + (scaled < 0 ? -0.5 : 0.5));
        if (static_cast<double>(rounded) / 1e6 == finite) {
            append_millionths(out, rounded);
            return;
        }
    }
    std::array<char, 32> buffer;
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
