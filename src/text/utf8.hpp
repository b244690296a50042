#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace belfry::text {

// The offset of the first byte that is no part of well-formed UTF-8, or the size where there is none.
std::size_t utf8_valid_prefix(std::string_view bytes);

inline bool is_ascii(std::string_view text) {
    unsigned char seen = 0;
    for (const char c : text) seen |= static_cast<unsigned char>(c);
    return seen < 0x80;
}

// Whether lower case changes nothing of it, as far as can be told without tables: ASCII without capitals.
bool is_lower_ascii(std::string_view text);

// The number of characters (code points) of valid UTF-8.
std::size_t utf8_length(std::string_view text);

// Reads the character at `at` of valid UTF-8 and moves past it.
char32_t utf8_next(std::string_view text, std::size_t& at);

// The byte offset of the character with this index; the size where there are fewer.
std::size_t utf8_offset(std::string_view text, std::size_t index);

void utf8_append(std::string& out, char32_t c);

}  // namespace belfry::text
