#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "model/number.hpp"
#include "text/jinja/filters.hpp"
#include "text/jinja/interpreter.hpp"
#include "text/jinja/number_format.hpp"
#include "text/jinja/ops.hpp"
#include "text/unicode.hpp"

namespace belfry::text::jinja {
namespace {

void must_be_defined(const Val& value) {
    if (value.is_undefined()) fail("'" + std::string(value.text()) + "' is undefined");
}

// For reading a number out of a text, which copies it some times.
void charge_reading(Interpreter& in, const Val& subject) {
    if (subject.is_string()) in.charge_bytes(std::size_t{8} * subject.size);
}

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

// Drops single underscores between digits; false, where one stands elsewhere.
bool drop_underscores(std::string& digits) {
    std::string out;
    for (std::size_t i = 0; i < digits.size(); ++i) {
        if (digits[i] != '_') {
            out += digits[i];
            continue;
        }
        const auto alnum = [&](std::size_t at) {
            return at < digits.size() && (is_digit(digits[at]) || (digits[at] | 0x20) >= 'a');
        };
        if (i == 0 || !alnum(i - 1) || !alnum(i + 1)) return false;
    }
    digits = std::move(out);
    return true;
}

// int("…", base) of Python. False: it is no such number.
bool parse_integer(std::string_view text, std::int64_t base, std::int64_t& value) {
    if (base != 0 && (base < 2 || base > 36)) fail("int() base must be >= 2 and <= 36, or 0");
    std::string digits(strip(text));
    const bool negative = digits.starts_with('-');
    if (negative || digits.starts_with('+')) digits.erase(0, 1);
    if (digits.size() > 2 && digits[0] == '0') {
        const auto mark = static_cast<char>(digits[1] | 0x20);
        const std::int64_t marked = mark == 'x' ? 16 : mark == 'o' ? 8 : mark == 'b' ? 2 : 0;
        if (marked != 0 && (base == 0 || base == marked)) {
            base = marked;
            digits.erase(0, digits.size() > 3 && digits[2] == '_' ? 3 : 2);
        }
    }
    if (base == 0) {
        if (digits.size() > 1 && digits[0] == '0' && digits.find_first_not_of("0_") != std::string::npos) return false;
        base = 10;
    }
    if (!drop_underscores(digits) || digits.empty()) return false;
    if (negative) digits.insert(0, "-");
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), value, static_cast<int>(base));
    if (read.ptr != digits.data() + digits.size() || read.ec == std::errc::invalid_argument) return false;
    if (read.ec == std::errc::result_out_of_range) fail("an integer beyond 64 bits");
    return true;
}

// Zero or infinity, for a number that from_chars read but a double cannot hold.
double beyond_a_double(std::string digits) {
    const std::size_t sign = digits.starts_with('-') ? 1 : 0;
    if (digits.substr(sign).starts_with('.')) digits.insert(sign, 1, '0');
    return model::nearest_double(digits);
}

// float("…") of Python.
bool parse_real(std::string_view text, double& value) {
    std::string digits(strip(text));
    if (digits.starts_with('+')) {
        digits.erase(0, 1);
        if (digits.starts_with('-')) return false;
    }
    std::string lower;
    for (const char c : digits) lower += c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    const std::string_view word = std::string_view(lower).substr(lower.starts_with('-') ? 1 : 0);
    if (word == "inf" || word == "infinity" || word == "nan") {
        value = word == "nan" ? NAN : HUGE_VAL;
        if (lower.starts_with('-')) value = -value;
        return true;
    }
    if (word.empty() || (!is_digit(word.front()) && word.front() != '.') || !drop_underscores(digits)) return false;
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (read.ptr != digits.data() + digits.size() || read.ec == std::errc::invalid_argument) return false;
    if (read.ec == std::errc::result_out_of_range) value = beyond_a_double(digits);
    return true;
}

Val truncated(double value) {
    if (std::isinf(value)) fail("cannot convert float infinity to integer");
    if (std::abs(value) >= 0x1p63) fail("an integer beyond 64 bits");
    return integer(static_cast<std::int64_t>(value));
}

Val to_integer(Interpreter& in, const Val& subject, const Call& call) {
    const Bound args("int", call, {"default", "base"}, 0);
    const Val otherwise = args.value(0, integer(std::int64_t{0}));
    must_be_defined(subject);
    charge_reading(in, subject);
    if (subject.is_whole()) return integer(subject.integer);
    if (subject.is(Kind::whole)) return subject;
    double value = 0;
    if (subject.is(Kind::real)) {
        value = subject.real;
    } else if (subject.is_string()) {
        std::int64_t parsed = 0;
        if (parse_integer(subject.text(), args.integer(1, 10), parsed)) return integer(parsed);
        if (!parse_real(subject.text(), value)) return otherwise;
    } else {
        return otherwise;
    }
    return std::isnan(value) ? otherwise : truncated(value);
}

Val to_real(Interpreter& in, const Val& subject, const Call& call) {
    const Bound args("float", call, {"default"}, 0);
    must_be_defined(subject);
    charge_reading(in, subject);
    if (subject.is_number()) return real(subject.as_real());
    if (subject.is(Kind::whole)) return real(subject.tree->to_real());
    double value = 0;
    if (subject.is_string() && parse_real(subject.text(), value)) return real(value);
    return args.value(0, real(0.0));
}

double rounded(double value, std::int64_t digits) {
    if (!std::isfinite(value) || digits > 320) return value;
    if (digits < -308) return std::copysign(0.0, value);
    if (digits < 0) {
        const double unit = std::pow(10.0, static_cast<double>(-digits));
        return std::nearbyint(value / unit) * unit;
    }
    std::array<char, 800> buffer;
    const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::fixed,
                                   static_cast<int>(digits))
                         .ptr;
    double result = 0;
    std::from_chars(buffer.data(), end, result);
    return result;
}

Val multiply_whole(std::int64_t a, std::int64_t b) {
    std::int64_t product = 0;
    if (__builtin_mul_overflow(a, b, &product)) fail("an integer beyond 64 bits");
    return integer(product);
}

Val round_integer(std::int64_t value, std::int64_t digits) {
    if (digits >= 0) return integer(value);
    if (digits < -18) return integer(std::int64_t{0});
    std::int64_t unit = 1;
    for (std::int64_t i = digits; i < 0; ++i) unit *= 10;
    std::int64_t quotient = value / unit;
    const std::int64_t rest = std::abs(value % unit);
    const std::int64_t sign = value < 0 ? -1 : 1;
    if (rest * 2 > unit || (rest * 2 == unit && quotient % 2 != 0)) quotient += sign;
    return multiply_whole(quotient, unit);
}

Val round(Interpreter& in, const Val& subject, const Call& call) {
    const Bound args("round", call, {"precision", "method"}, 0);
    const std::int64_t digits = args.integer(0, 0);
    const std::string method = args.has(1) ? in.str(args[1]) : "common";
    if (method != "common" && method != "ceil" && method != "floor") fail("method must be common, ceil or floor");
    must_be_defined(subject);
    if (!subject.is_number()) fail("type " + std::string(type_name(subject)) + " doesn't define __round__ method");
    if (method == "common")
        return subject.is_whole() ? round_integer(subject.integer, digits) : real(rounded(subject.real, digits));
    const Val scale = power(integer(std::int64_t{10}), integer(digits));
    const Val scaled = multiply(in, subject, scale);
    if (!std::isfinite(scaled.as_real())) fail("cannot convert float infinity or NaN to integer");
    const double whole = scaled.is_whole()  ? scaled.as_real()
                         : method == "ceil" ? std::ceil(scaled.real)
                                            : std::floor(scaled.real);
    return divide(real(whole + 0.0), scale);
}

Val absolute(Interpreter&, const Val& subject, const Call& call) {
    const Bound args("abs", call, {}, 0);
    must_be_defined(subject);
    if (subject.is_whole()) return subject.integer < 0 ? negate(subject) : integer(subject.integer);
    if (subject.is(Kind::real)) return real(std::abs(subject.real));
    fail("bad operand type for abs(): '" + std::string(type_name(subject)) + "'");
}

Val filesizeformat(Interpreter& in, const Val& subject, const Call& call) {
    const Bound args("filesizeformat", call, {"binary"}, 0);
    must_be_defined(subject);
    charge_reading(in, subject);
    double bytes = 0;
    if (subject.is_number()) {
        bytes = subject.as_real();
    } else if (!subject.is_string() || !parse_real(subject.text(), bytes)) {
        fail("could not convert to float");
    }
    const double base = args.flag(0) ? 1024 : 1000;
    if (bytes == 1) return string("1 Byte");
    if (bytes < base) return in.text(in.str(truncated(bytes)) + " Bytes");
    static constexpr std::string_view decimal[] = {"kB", "MB", "GB", "TB", "PB", "EB", "ZB", "YB"};
    static constexpr std::string_view binary[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB", "ZiB", "YiB"};
    double unit = base;
    std::size_t i = 0;
    do unit *= base;
    while (bytes >= unit && ++i < 8);
    i = std::min<std::size_t>(i, 7);
    unit = std::pow(base, static_cast<double>(i + 2));
    const NumberText number = real_text(base * bytes / unit, 'f', 1, false);
    return in.text((number.negative ? "-" : "") + number.digits + number.rest + " " +
                   std::string(args.flag(0) ? binary[i] : decimal[i]));
}

}  // namespace

std::vector<FilterEntry> number_filters() {
    return {{"int", to_integer},
            {"float", to_real},
            {"round", round},
            {"abs", absolute},
            {"filesizeformat", filesizeformat}};
}

}  // namespace belfry::text::jinja
