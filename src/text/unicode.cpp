#include "text/unicode.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "text/utf8.hpp"

namespace belfry::text {
namespace {

struct CharRange {
    std::uint32_t first;
    std::uint32_t last;
};
struct CharShift {
    std::uint32_t first;
    std::uint32_t last;
    std::uint8_t stride;
    std::int32_t delta;
};
struct CharSpecial {
    std::uint32_t c;
    std::uint32_t to[3];
};

#include "text/unicode_cased.inc"
#include "text/unicode_kinds.inc"
#include "text/unicode_shifts.inc"

template <class Table>
auto at_or_before(const Table& table, char32_t c) {
    auto found = std::upper_bound(std::begin(table), std::end(table), c,
                                  [](char32_t x, const auto& row) { return x < row.first; });
    return found == std::begin(table) ? std::end(table) : found - 1;
}

template <class Table>
bool holds(const Table& table, char32_t c) {
    const auto row = at_or_before(table, c);
    return row != std::end(table) && c <= row->last;
}

template <class Shifts, class Specials>
void append_mapped(std::string& out, char32_t c, const Shifts& shifts, const Specials& specials) {
    const auto row = at_or_before(shifts, c);
    if (row != std::end(shifts) && c <= row->last && (c - row->first) % row->stride == 0) {
        utf8_append(out, static_cast<char32_t>(static_cast<std::int32_t>(c) + row->delta));
        return;
    }
    const auto special = std::lower_bound(std::begin(specials), std::end(specials), c,
                                          [](const CharSpecial& s, char32_t x) { return s.c < x; });
    if (special == std::end(specials) || special->c != c) {
        utf8_append(out, c);
        return;
    }
    for (const std::uint32_t to : special->to) {
        if (to != 0) utf8_append(out, to);
    }
}

template <class Change>
void append_each(std::string& out, std::string_view text, Change change) {
    const std::size_t before = out.size();
    out.resize(before + text.size());
    std::transform(text.begin(), text.end(), out.begin() + static_cast<std::ptrdiff_t>(before), change);
}

void append_upper(std::string& out, char32_t c) {
    if (c < 0x80) {
        out += static_cast<char>(c >= 'a' && c <= 'z' ? c - 32 : c);
    } else {
        append_mapped(out, c, to_upper, upper_specials);
    }
}

bool is_cased(char32_t c) {
    return is_lower(c) || is_upper(c) || holds(title_ranges, c);
}

// A sigma at the end of a word has a form of its own. `at` is behind it, `from` before it.
bool is_final_sigma(std::string_view text, std::size_t from, std::size_t at) {
    bool cased_before = false;
    while (from > 0) {
        do --from;
        while (from > 0 && (static_cast<unsigned char>(text[from]) & 0xC0U) == 0x80);
        std::size_t i = from;
        const char32_t c = utf8_next(text, i);
        if (holds(ignorable_ranges, c)) continue;
        cased_before = is_cased(c);
        break;
    }
    if (!cased_before) return false;
    while (at < text.size()) {
        const char32_t c = utf8_next(text, at);
        if (!holds(ignorable_ranges, c)) return !is_cased(c);
    }
    return true;
}

constexpr char32_t capital_sigma = 0x3A3;
constexpr char32_t final_sigma = 0x3C2;

void append_lower(std::string& out, std::string_view text, std::size_t from, std::size_t at, char32_t c) {
    if (c < 0x80) {
        out += static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
    } else if (c == capital_sigma && is_final_sigma(text, from, at)) {
        utf8_append(out, final_sigma);
    } else {
        append_mapped(out, c, to_lower, lower_specials);
    }
}

void append_titled(std::string& out, char32_t c) {
    if (c < 0x80) {
        append_upper(out, c);
    } else {
        append_mapped(out, c, to_title, title_specials);
    }
}

}  // namespace

bool is_space(char32_t c) {
    if (c < 0x80) return c == ' ' || (c >= 9 && c <= 13) || (c >= 0x1C && c <= 0x1F);
    return c == 0x85 || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 ||
           c == 0x202F || c == 0x205F || c == 0x3000;
}
bool is_printable(char32_t c) {
    return c < 0x7F ? c >= 0x20 : !holds(unprintable_ranges, c);
}
bool is_letter(char32_t c) {
    return holds(letter_ranges, c);
}
bool is_digit(char32_t c) {
    return holds(digit_ranges, c);
}
bool is_letter_or_number(char32_t c) {
    return holds(letter_ranges, c) || holds(number_ranges, c);
}
bool is_lower(char32_t c) {
    return holds(lower_ranges, c);
}
bool is_upper(char32_t c) {
    return holds(upper_ranges, c);
}

void append_upper(std::string& out, std::string_view text) {
    if (is_ascii(text)) {
        append_each(out, text, [](char c) { return static_cast<char>(c >= 'a' && c <= 'z' ? c - 32 : c); });
        return;
    }
    for (std::size_t at = 0; at < text.size();) append_upper(out, utf8_next(text, at));
}

void append_lower(std::string& out, std::string_view text) {
    if (is_ascii(text)) {
        append_each(out, text, [](char c) { return static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c); });
        return;
    }
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t from = at;
        const char32_t c = utf8_next(text, at);
        append_lower(out, text, from, at, c);
    }
}

void append_title(std::string& out, std::string_view text) {
    bool inside = false;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t from = at;
        const char32_t c = utf8_next(text, at);
        if (inside) {
            append_lower(out, text, from, at, c);
        } else {
            append_titled(out, c);
        }
        inside = is_cased(c);
    }
}

void append_capitalized(std::string& out, std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t from = at;
        const char32_t c = utf8_next(text, at);
        if (from == 0) {
            append_titled(out, c);
        } else {
            append_lower(out, text, from, at, c);
        }
    }
}

void append_swapped(std::string& out, std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t from = at;
        const char32_t c = utf8_next(text, at);
        if (is_upper(c)) {
            append_lower(out, text, from, at, c);
        } else if (is_lower(c)) {
            append_upper(out, c);
        } else {
            utf8_append(out, c);
        }
    }
}

std::string_view strip_left(std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t from = at;
        if (!is_space(utf8_next(text, at))) return text.substr(from);
    }
    return {};
}

std::string_view strip_right(std::string_view text) {
    while (!text.empty()) {
        std::size_t from = text.size() - 1;
        while (from > 0 && (static_cast<unsigned char>(text[from]) & 0xC0U) == 0x80) --from;
        std::size_t at = from;
        if (!is_space(utf8_next(text, at))) return text;
        text = text.substr(0, from);
    }
    return text;
}

bool all_space(std::string_view text) {
    return strip_left(text).empty();
}

}  // namespace belfry::text
