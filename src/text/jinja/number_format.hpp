#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace belfry::text::jinja {

// The parts of a number that are put together with sign, padding and grouping.
struct NumberText {
    bool negative = false;
    std::string prefix;  // 0x and the like
    std::string digits;  // of the integer part
    std::string rest;    // the point and what follows, exponent or percent sign
};

// An integer in base 2, 8, 10 or 16.
NumberText integer_text(std::int64_t value, int base, bool upper);
// A double by a conversion of printf (e, f, g), correctly rounded; `alternate` keeps the point and trailing zeros.
NumberText real_text(double value, char conversion, int precision, bool alternate);
// Separates the digits by threes (or fours for bases of two).
void group_digits(NumberText& number, char separator, std::size_t size);

}  // namespace belfry::text::jinja
