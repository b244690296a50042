#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace belfry::text {

// The digits at the beginning of eight characters, read at once.
struct EightDigits {
    std::size_t count = 0;  // of digits, before the first character that is none
    std::uint64_t value = 0;
};

inline EightDigits read_eight_digits(const char* eight) {
    static_assert(std::endian::native == std::endian::little);
    std::uint64_t word = 0;
    std::memcpy(&word, eight, sizeof word);
    word ^= 0x3030303030303030U;  // a digit becomes its value
    // The high bit of each byte that is above nine. What carries over only spoils bytes behind the first such one.
    const std::uint64_t others = ((word + 0x7676767676767676U) | word) & 0x8080808080808080U;
    const auto count = static_cast<std::size_t>(std::countr_zero(others)) / 8;
    if (count == 0) return {};
    word <<= 8 * (8 - count);  // zeros in front
    word = word * 10 + (word >> 8U);
    word = ((word & 0x000000FF000000FFU) * 0x000F424000000064U +
            ((word >> 16U) & 0x000000FF000000FFU) * 0x0000271000000001U) >>
           32U;
    return {count, word};
}

// The first place of any of these characters, or `to`; eight characters at a time.
template <class... Chars>
const char* find_any(const char* at, const char* to, Chars... wanted) {
    constexpr std::uint64_t ones = 0x0101010101010101U;
    constexpr std::uint64_t highs = 0x8080808080808080U;
    while (to - at >= 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, at, sizeof word);
        // Exact up to the first byte that is zero, which is all that counts.
        const auto zeros = [](std::uint64_t x) { return (x - ones) & ~x; };
        const std::uint64_t found = (zeros(word ^ (ones * static_cast<unsigned char>(wanted))) | ...) & highs;
        if (found != 0) return at + std::countr_zero(found) / 8;
        at += 8;
    }
    while (at < to && ((*at != wanted) && ...)) ++at;
    return at;
}

}  // namespace belfry::text
