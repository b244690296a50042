#include "text/utf8.hpp"

#include <cstring>

namespace belfry::text {
namespace {

bool continues(std::string_view bytes, std::size_t at) {
    return at < bytes.size() && (static_cast<unsigned char>(bytes[at]) & 0xC0U) == 0x80;
}

constexpr std::uint64_t high_bits = 0x8080808080808080ULL;

std::uint64_t eight_bytes(std::string_view bytes, std::size_t at) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, 8);
    return word;
}

bool eight_of_ascii(std::string_view bytes, std::size_t at) {
    return at + 8 <= bytes.size() && (eight_bytes(bytes, at) & high_bits) == 0;
}

// Length of the well-formed sequence at `at`, whose first byte is not ASCII; 0 where there is none.
std::size_t sequence_length(std::string_view bytes, std::size_t at) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(bytes[at + i]); };
    const unsigned char first = byte(0);
    if (first >= 0xC2 && first <= 0xDF) return continues(bytes, at + 1) ? 2 : 0;
    if (first >= 0xE0 && first <= 0xEF) {
        if (!continues(bytes, at + 1) || !continues(bytes, at + 2)) return 0;
        if (first == 0xE0 && byte(1) < 0xA0) return 0;
        if (first == 0xED && byte(1) > 0x9F) return 0;
        return 3;
    }
    if (first >= 0xF0 && first <= 0xF4) {
        if (!continues(bytes, at + 1) || !continues(bytes, at + 2) || !continues(bytes, at + 3)) return 0;
        if (first == 0xF0 && byte(1) < 0x90) return 0;
        if (first == 0xF4 && byte(1) > 0x8F) return 0;
        return 4;
    }
    return 0;
}

}  // namespace

std::size_t utf8_valid_prefix(std::string_view bytes) {
    std::size_t at = 0;
    while (at < bytes.size()) {
        while (at + 32 <= bytes.size() && ((eight_bytes(bytes, at) | eight_bytes(bytes, at + 8) |
                                            eight_bytes(bytes, at + 16) | eight_bytes(bytes, at + 24)) &
                                           high_bits) == 0) {
            at += 32;
        }
        while (eight_of_ascii(bytes, at)) at += 8;
        while (at < bytes.size() && static_cast<unsigned char>(bytes[at]) < 0x80) ++at;
        while (at < bytes.size() && static_cast<unsigned char>(bytes[at]) >= 0x80) {
            const std::size_t length = sequence_length(bytes, at);
            if (length == 0) return at;
            at += length;
        }
    }
    return at;
}

bool is_lower_ascii(std::string_view text) {
    std::size_t at = 0;
    for (; eight_of_ascii(text, at); at += 8) {
        // The high bit of each byte that is at least 'A', and of each beyond 'Z'.
        const std::uint64_t word = eight_bytes(text, at);
        const std::uint64_t from_a = word + 0x3F3F3F3F3F3F3F3FULL;
        const std::uint64_t beyond_z = word + 0x2525252525252525ULL;
        if ((from_a & ~beyond_z & high_bits) != 0) return false;
    }
    for (; at < text.size(); ++at) {
        const char c = text[at];
        if ((c >= 'A' && c <= 'Z') || static_cast<unsigned char>(c) >= 0x80) return false;
    }
    return true;
}

std::size_t utf8_length(std::string_view text) {
    std::size_t count = 0;
    std::size_t at = 0;
    for (; eight_of_ascii(text, at); at += 8) count += 8;
    for (; at < text.size(); ++at) count += (static_cast<unsigned char>(text[at]) & 0xC0U) != 0x80 ? 1 : 0;
    return count;
}

char32_t utf8_next(std::string_view text, std::size_t& at) {
    const auto first = static_cast<unsigned char>(text[at++]);
    if (first < 0x80) return first;
    const auto more = [&] {
        return at < text.size() ? static_cast<char32_t>(static_cast<unsigned char>(text[at++]) & 0x3FU) : char32_t{0};
    };
    char32_t c = first < 0xE0 ? first & 0x1FU : first < 0xF0 ? first & 0x0FU : first & 0x07U;
    c = (c << 6U) | more();
    if (first >= 0xE0) c = (c << 6U) | more();
    if (first >= 0xF0) c = (c << 6U) | more();
    return c;
}

std::size_t utf8_offset(std::string_view text, std::size_t index) {
    std::size_t at = 0;
    // Eight bytes of ASCII are eight characters.
    for (; index >= 8 && eight_of_ascii(text, at); at += 8) index -= 8;
    while (at < text.size()) {
        if ((static_cast<unsigned char>(text[at]) & 0xC0U) != 0x80 && index-- == 0) return at;
        ++at;
    }
    return at;
}

void utf8_append(std::string& out, char32_t c) {
    const auto tail = [&](unsigned shift) { out += static_cast<char>(0x80U | ((c >> shift) & 0x3FU)); };
    if (c < 0x80) {
        out += static_cast<char>(c);
    } else if (c < 0x800) {
        out += static_cast<char>(0xC0U | (c >> 6U));
        tail(0);
    } else if (c < 0x10000) {
        out += static_cast<char>(0xE0U | (c >> 12U));
        tail(6);
        tail(0);
    } else {
        out += static_cast<char>(0xF0U | (c >> 18U));
        tail(12);
        tail(6);
        tail(0);
    }
}

}  // namespace belfry::text
