#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace belfry::codec {

// Length of the valid UTF-8 sequence that begins at `at`, or 0: overlong forms, surrogates, what lies beyond U+10FFFF
// and what is cut off are no sequences.
inline std::size_t utf8_sequence(const char* at, const char* end) {
    const auto byte = [at](std::size_t i) { return static_cast<unsigned char>(at[i]); };
    const auto follows = [&byte](std::size_t i) { return (byte(i) & 0xC0U) == 0x80U; };
    const std::ptrdiff_t left = end - at;
    if (left < 1) return 0;
    const unsigned first = byte(0);
    if (first < 0x80) return 1;
    if (first < 0xC2) return 0;
    if (first < 0xE0) return left >= 2 && follows(1) ? 2 : 0;
    if (first < 0xF0) {
        if (left < 3 || !follows(1) || !follows(2)) return 0;
        if (first == 0xE0 && byte(1) < 0xA0) return 0;
        if (first == 0xED && byte(1) >= 0xA0) return 0;
        return 3;
    }
    if (first > 0xF4 || left < 4 || !follows(1) || !follows(2) || !follows(3)) return 0;
    if (first == 0xF0 && byte(1) < 0x90) return 0;
    if (first == 0xF4 && byte(1) >= 0x90) return 0;
    return 4;
}

bool is_utf8(std::string_view bytes);

// The same text where it is UTF-8; every byte that is not becomes U+FFFD. For what must be printed whatever it is.
std::string to_utf8(std::string_view bytes);

}  // namespace belfry::codec
