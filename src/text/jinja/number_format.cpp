#include "text/jinja/number_format.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <vector>

#include "text/jinja/failure.hpp"

namespace belfry::text::jinja {
namespace {

constexpr int precision_max = 2000;

std::string converted(double magnitude, char conversion, int precision) {
    std::vector<char> buffer(static_cast<std::size_t>(precision) + 350);
    const auto format = conversion == 'e'   ? std::chars_format::scientific
                        : conversion == 'f' ? std::chars_format::fixed
                                            : std::chars_format::general;
    const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), magnitude, format, precision).ptr;
    return {buffer.data(), end};
}

}  // namespace

NumberText integer_text(std::int64_t value, int base, bool upper) {
    NumberText made;
    made.negative = value < 0;
    const std::uint64_t magnitude =
        value < 0 ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
    char buffer[72];
    made.digits.assign(buffer, std::to_chars(buffer, buffer + sizeof buffer, magnitude, base).ptr);
    if (upper)
        std::transform(made.digits.begin(), made.digits.end(), made.digits.begin(),
                       [](char c) { return c >= 'a' ? static_cast<char>(c - 32) : c; });
    made.prefix = base == 16 ? (upper ? "0X" : "0x") : base == 8 ? "0o" : base == 2 ? "0b" : "";
    return made;
}

NumberText real_text(double value, char conversion, int precision, bool alternate) {
    NumberText made;
    const bool upper = conversion >= 'A' && conversion <= 'Z';
    const char lower = upper ? static_cast<char>(conversion + 32) : conversion;
    made.negative = std::signbit(value) && !std::isnan(value);
    std::string text;
    if (std::isnan(value) || std::isinf(value)) {
        text = std::isnan(value) ? "nan" : "inf";
    } else {
        if (precision > precision_max) fail("precision too big");
        if (precision < 0) precision = 6;
        if (lower == 'g' && precision == 0) precision = 1;
        text = converted(std::abs(value), lower, precision);
        if (alternate && text.find('.') == std::string::npos) text.insert(std::min(text.find('e'), text.size()), ".");
    }
    if (upper)
        std::transform(text.begin(), text.end(), text.begin(),
                       [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
    const std::size_t split = std::min(text.find_first_not_of("0123456789"), text.size());
    const bool is_word = split == 0;
    made.digits = is_word ? text : text.substr(0, split);
    made.rest = is_word ? "" : text.substr(split);
    return made;
}

void group_digits(NumberText& number, char separator, std::size_t size) {
    std::string grouped;
    for (std::size_t i = 0; i < number.digits.size(); ++i) {
        if (i > 0 && (number.digits.size() - i) % size == 0) grouped += separator;
        grouped += number.digits[i];
    }
    number.digits = std::move(grouped);
}

}  // namespace belfry::text::jinja
