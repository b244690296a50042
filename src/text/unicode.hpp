#pragma once

#include <string>
#include <string_view>

namespace belfry::text {

// Characters as Python's str sees them, because templates promise its results to the byte. The tables are made by
// scripts/unicode_tables.py.
bool is_space(char32_t c);
bool is_printable(char32_t c);
bool is_letter(char32_t c);
bool is_digit(char32_t c);
bool is_letter_or_number(char32_t c);
bool is_lower(char32_t c);
bool is_upper(char32_t c);

// Of valid UTF-8, appended: one character may become up to three.
void append_upper(std::string& out, std::string_view text);
void append_lower(std::string& out, std::string_view text);
void append_title(std::string& out, std::string_view text);        // every word begins with a capital
void append_capitalized(std::string& out, std::string_view text);  // only the first character does
void append_swapped(std::string& out, std::string_view text);

// White space, all that Python strips.
std::string_view strip_left(std::string_view text);
std::string_view strip_right(std::string_view text);
inline std::string_view strip(std::string_view text) {
    return strip_left(strip_right(text));
}
bool all_space(std::string_view text);  // true for nothing at all

}  // namespace belfry::text
