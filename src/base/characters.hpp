#pragma once

#include <cstddef>
#include <string>
#include <string_view>

// Characters of text that strangers wrote.
namespace belfry::base {

struct Character {
    char32_t code = 0;
    std::size_t bytes = 1;
};

// The first character of valid UTF-8 that is not empty.
constexpr Character first_character(std::string_view utf8) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(utf8[i]); };
    const unsigned first = byte(0);
    if (first < 0x80) return {first, 1};
    const std::size_t bytes = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    if (utf8.size() < bytes) return {first, 1};
    char32_t code = first & (0x7FU >> bytes);
    for (std::size_t i = 1; i < bytes; ++i) code = code << 6U | (byte(i) & 0x3FU);
    return {code, bytes};
}

// Whether it does something to its reader other than being read: controls (C0, DEL, C1), what turns a line around or
// ends it, and what nobody sees but a program, or a model, reads: zero-width spaces and invisible operators, the soft
// hyphen, marks of annotations, tags, variation selectors beyond those that emoji use. The joiners U+200C and U+200D
// are parts of words and of emoji and stay.
constexpr bool is_harmful(char32_t code) {
    if (code < 0x20 || (code >= 0x7F && code <= 0x9F)) return true;
    if (code < 0x061C) return code == 0x00AD;
    if (code == 0x061C || code == 0x180E || code == 0x200B || code == 0x200E || code == 0x200F) return true;
    if (code >= 0x2028 && code <= 0x202E) return true;  // line separators and the old bidirectional controls
    if (code >= 0x2060 && code <= 0x206F) return true;  // invisible operators, the newer bidirectional controls
    if (code == 0xFEFF || (code >= 0xFFF9 && code <= 0xFFFB)) return true;
    return code >= 0xE0000 && code <= 0xE0FFF;
}

constexpr bool has_harmful(std::string_view utf8) {
    while (!utf8.empty()) {
        const Character next = first_character(utf8);
        if (is_harmful(next.code)) return true;
        utf8.remove_prefix(next.bytes);
    }
    return false;
}

// True for spaces of every width and for line ends.
constexpr bool is_space(char32_t code) {
    if (code == ' ' || (code >= '\t' && code <= '\r') || code == 0x85 || code == 0xA0) return true;
    if (code == 0x1680 || (code >= 0x2000 && code <= 0x200A)) return true;
    return code == 0x2028 || code == 0x2029 || code == 0x202F || code == 0x205F || code == 0x3000;
}

// True if a reader sees nothing of it: the text is empty, or made of spaces and invisible characters.
constexpr bool is_blank(std::string_view utf8) {
    while (!utf8.empty()) {
        const Character next = first_character(utf8);
        const bool is_joiner = next.code == 0x200C || next.code == 0x200D;
        if (!is_space(next.code) && !is_harmful(next.code) && !is_joiner) return false;
        utf8.remove_prefix(next.bytes);
    }
    return true;
}

// Written so that everybody sees it: \n, \t, \r, \xNN or \u{NNNN}.
void append_written_out(std::string& out, char32_t code);
// The same inside a string of JSON, where it stays the same value.
void append_json_escape(std::string& out, char32_t code);

}  // namespace belfry::base
