#include <array>

#include "text/toon.hpp"

namespace belfry::text {
namespace {

// What a character may do to a string that stands without quotes.
enum : unsigned char { plain = 0, quote = 1, comma = 2, pipe = 4 };

constexpr std::array<unsigned char, 256> make_classes() {
    std::array<unsigned char, 256> classes{};
    for (std::size_t c = 0; c < 0x20; ++c) classes[c] = quote;
    for (const char c : {':', '"', '\\', '[', ']', '{', '}'}) classes[static_cast<unsigned char>(c)] = quote;
    classes[','] = comma;
    classes['|'] = pipe;
    return classes;
}
constexpr std::array<unsigned char, 256> classes = make_classes();

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

bool looks_like_a_number(std::string_view text) {
    std::size_t at = text.front() == '+' || text.front() == '-' ? 1 : 0;
    const auto digits = [&] {
        const std::size_t from = at;
        while (at < text.size() && is_digit(text[at])) ++at;
        return at > from;
    };
    if (!digits()) return false;
    if (at < text.size() && text[at] == '.') {
        ++at;
        if (!digits()) return false;
    }
    if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
        ++at;
        if (at < text.size() && (text[at] == '+' || text[at] == '-')) ++at;
        if (!digits()) return false;
    }
    return at == text.size();
}

bool needs_quotes(std::string_view text, unsigned char forbidden) {
    if (text.empty()) return true;
    const char first = text.front();
    if (first == ' ' || first == '-' || first == '#' || text.back() == ' ') return true;
    unsigned char seen = 0;
    for (const char c : text) seen |= classes[static_cast<unsigned char>(c)];
    if ((seen & forbidden) != 0) return true;
    if (is_digit(first) || first == '+') return looks_like_a_number(text);
    if (text.size() > 5) return false;
    return text == "true" || text == "false" || text == "null";
}

bool is_plain_key(std::string_view key) {
    const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
    if (key.empty() || !letter(key.front())) return false;
    for (const char c : key) {
        if (!letter(c) && !is_digit(c) && c != '.') return false;
    }
    return true;
}

}  // namespace

void append_toon_quoted(std::string& out, std::string_view text) {
    static constexpr const char* hex = "0123456789abcdef";
    out += '"';
    std::size_t from = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto c = static_cast<unsigned char>(text[i]);
        if (c >= 0x20 && c != '"' && c != '\\') [[likely]]
            continue;
        out.append(text, from, i - from);
        from = i + 1;
        out += '\\';
        switch (c) {
            case '"':
            case '\\': out += static_cast<char>(c); break;
            case '\n': out += 'n'; break;
            case '\r': out += 'r'; break;
            case '\t': out += 't'; break;
            default:
                out += "u00";
                out += hex[c >> 4U];
                out += hex[c & 0xFU];
        }
    }
    out.append(text, from);
    out += '"';
}

void append_toon_string(std::string& out, std::string_view text, ToonDelimiter delimiter) {
    unsigned char forbidden = quote;
    if (delimiter == ToonDelimiter::comma) forbidden |= comma;
    if (delimiter == ToonDelimiter::pipe) forbidden |= pipe;
    if (needs_quotes(text, forbidden)) {
        append_toon_quoted(out, text);
    } else {
        out += text;
    }
}

void append_toon_key(std::string& out, std::string_view key) {
    if (is_plain_key(key)) {
        out += key;
    } else {
        append_toon_quoted(out, key);
    }
}

}  // namespace belfry::text
