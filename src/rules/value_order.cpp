#include "rules/value_order.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string>

#include "rules/canonical_json.hpp"

namespace belfry::rules {
namespace {

using model::Value;

// A canonical number as 0.DIGITS × 10^point; no digits for zero.
struct Decimal {
    bool negative = false;
    std::string digits;
    std::int64_t point = 0;
};

// An exponent of more digits than any number needs counts as the farthest.
std::int64_t read_exponent(std::string_view text) {
    constexpr std::int64_t farthest = 1'000'000'000'000'000'000;
    if (text.starts_with('+')) text.remove_prefix(1);
    std::int64_t exponent = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), exponent);
    if (read.ec == std::errc()) return std::clamp(exponent, -farthest, farthest);
    return text.starts_with('-') ? -farthest : farthest;
}

Decimal decimal_of(const Value& number) {
    std::string text;
    append_canonical_json(text, number);
    Decimal made;
    std::string_view rest = text;
    if (rest.starts_with('-')) {
        made.negative = true;
        rest.remove_prefix(1);
    }
    const std::size_t e = rest.find('e');
    const std::string_view mantissa = rest.substr(0, e);
    const std::size_t dot = std::min(mantissa.find('.'), mantissa.size());
    made.digits.assign(mantissa.substr(0, dot));
    if (dot < mantissa.size()) made.digits.append(mantissa.substr(dot + 1));
    made.point = static_cast<std::int64_t>(dot);
    if (e != std::string_view::npos) made.point += read_exponent(rest.substr(e + 1));
    const std::size_t zeros = std::min(made.digits.find_first_not_of('0'), made.digits.size());
    made.digits.erase(0, zeros);
    made.point -= static_cast<std::int64_t>(zeros);
    while (made.digits.ends_with('0')) made.digits.pop_back();
    return made;
}

std::strong_ordering order_of_magnitudes(const Decimal& a, const Decimal& b) {
    if (a.digits.empty() || b.digits.empty()) return !a.digits.empty() <=> !b.digits.empty();
    if (a.point != b.point) return a.point <=> b.point;
    return a.digits <=> b.digits;  // without zeros at the end a longer one is greater
}

std::strong_ordering order_of_decimals(const Decimal& a, const Decimal& b) {
    const auto sign = [](const Decimal& number) { return number.digits.empty() ? 0 : number.negative ? -1 : 1; };
    if (sign(a) != sign(b)) return sign(a) <=> sign(b);
    return sign(a) < 0 ? order_of_magnitudes(b, a) : order_of_magnitudes(a, b);
}

}  // namespace

std::partial_ordering order_of(const Value& a, const Value& b) {
    if (a.is_string() && b.is_string()) return a.text() <=> b.text();
    if (!a.is_number() || !b.is_number()) return std::partial_ordering::unordered;
    if (a.kind() == b.kind()) {
        switch (a.kind()) {
            case Value::Kind::integer: return a.as_integer() <=> b.as_integer();
            case Value::Kind::natural: return a.as_natural() <=> b.as_natural();
            case Value::Kind::real: return a.as_real() <=> b.as_real();
            default: break;
        }
    }
    return order_of_decimals(decimal_of(a), decimal_of(b));
}

}  // namespace belfry::rules
