#include "text/jinja/split.hpp"

#include <algorithm>

#include "text/unicode.hpp"
#include "text/utf8.hpp"

namespace belfry::text::jinja {
namespace {

// Where the last character of the text begins.
std::size_t last_character(std::string_view text) {
    std::size_t at = text.size() - 1;
    while (at > 0 && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80) --at;
    return at;
}

char32_t character_at(std::string_view text, std::size_t at) {
    return utf8_next(text, at);
}

bool ends_line(char32_t c) {
    return (c >= 0x0A && c <= 0x0D) || (c >= 0x1C && c <= 0x1E) || c == 0x85 || c == 0x2028 || c == 0x2029;
}

}  // namespace

std::vector<std::string_view> split_at(std::string_view text, std::string_view separator, long long most) {
    std::vector<std::string_view> parts;
    while (most != 0) {
        const std::size_t at = text.find(separator);
        if (at == std::string_view::npos) break;
        parts.push_back(text.substr(0, at));
        text.remove_prefix(at + separator.size());
        if (most > 0) --most;
    }
    parts.push_back(text);
    return parts;
}

std::vector<std::string_view> split_at_from_right(std::string_view text, std::string_view separator, long long most) {
    std::vector<std::string_view> parts;
    while (most != 0) {
        const std::size_t at = text.rfind(separator);
        if (at == std::string_view::npos) break;
        parts.push_back(text.substr(at + separator.size()));
        text = text.substr(0, at);
        if (most > 0) --most;
    }
    parts.push_back(text);
    std::reverse(parts.begin(), parts.end());
    return parts;
}

std::vector<std::string_view> split_at_space(std::string_view text, long long most) {
    std::vector<std::string_view> parts;
    for (text = strip_left(text); !text.empty(); text = strip_left(text)) {
        if (most == 0) {
            parts.push_back(text);
            break;
        }
        std::size_t at = 0;
        while (at < text.size() && !is_space(character_at(text, at))) utf8_next(text, at);
        parts.push_back(text.substr(0, at));
        text.remove_prefix(at);
        if (most > 0) --most;
    }
    return parts;
}

std::vector<std::string_view> split_at_space_from_right(std::string_view text, long long most) {
    std::vector<std::string_view> parts;
    for (text = strip_right(text); !text.empty(); text = strip_right(text)) {
        if (most == 0) {
            parts.push_back(text);
            break;
        }
        std::size_t from = text.size();
        while (from > 0 && !is_space(character_at(text, last_character(text.substr(0, from))))) {
            from = last_character(text.substr(0, from));
        }
        parts.push_back(text.substr(from));
        text = text.substr(0, from);
        if (most > 0) --most;
    }
    std::reverse(parts.begin(), parts.end());
    return parts;
}

std::vector<std::string_view> split_lines(std::string_view text, bool keep_ends) {
    std::vector<std::string_view> lines;
    std::size_t from = 0;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = at;
        const char32_t c = utf8_next(text, at);
        if (!ends_line(c)) continue;
        if (c == '\r' && at < text.size() && text[at] == '\n') ++at;
        lines.push_back(text.substr(from, (keep_ends ? at : end) - from));
        from = at;
    }
    if (from < text.size()) lines.push_back(text.substr(from));
    return lines;
}

std::string_view strip_chars(std::string_view text, std::string_view chars, bool left, bool right) {
    const auto held = [&](std::string_view character) {
        for (std::size_t at = 0; at < chars.size();) {
            const std::size_t from = at;
            utf8_next(chars, at);
            if (chars.substr(from, at - from) == character) return true;
        }
        return false;
    };
    while (left && !text.empty()) {
        std::size_t at = 0;
        utf8_next(text, at);
        if (!held(text.substr(0, at))) break;
        text.remove_prefix(at);
    }
    while (right && !text.empty()) {
        const std::size_t at = last_character(text);
        if (!held(text.substr(at))) break;
        text = text.substr(0, at);
    }
    return text;
}

}  // namespace belfry::text::jinja
