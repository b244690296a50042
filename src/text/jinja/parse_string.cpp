#include "text/jinja/parse_expr.hpp"
#include "text/utf8.hpp"

namespace belfry::text::jinja {
namespace {

int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    const auto lower = static_cast<char>(c | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

void append_code(std::string& out, char32_t c, Place place) {
    if (c > 0x10FFFF || (c >= 0xD800 && c <= 0xDFFF)) fail("an escape that is no character", place);
    utf8_append(out, c);
}

// \xhh, \uhhhh and \Uhhhhhhhh; `at` is behind the letter.
void append_hex_escape(std::string& out, std::string_view raw, std::size_t& at, int digits, Place place) {
    char32_t c = 0;
    for (int i = 0; i < digits; ++i, ++at) {
        const int digit = at < raw.size() ? hex_digit(raw[at]) : -1;
        if (digit < 0) fail("an escape with too few hexadecimal digits", place);
        c = c * 16 + static_cast<char32_t>(digit);
    }
    append_code(out, c, place);
}

void append_octal_escape(std::string& out, std::string_view raw, std::size_t& at, Place place) {
    char32_t c = 0;
    for (int i = 0; i < 3 && at < raw.size() && raw[at] >= '0' && raw[at] <= '7'; ++i, ++at) {
        c = c * 8 + static_cast<char32_t>(raw[at] - '0');
    }
    append_code(out, c, place);
}

}  // namespace

std::string unescape_string(std::string_view raw, Place place) {
    std::string out;
    out.reserve(raw.size());
    for (std::size_t at = 0; at < raw.size();) {
        if (raw[at] != '\\') {
            out += raw[at++];
            continue;
        }
        const char kind = at + 1 < raw.size() ? raw[at + 1] : '\0';
        at += 2;
        switch (kind) {
            case '\n': break;
            case '\\':
            case '\'':
            case '"': out += kind; break;
            case 'a': out += '\a'; break;
            case 'b': out += '\b'; break;
            case 'f': out += '\f'; break;
            case 'n': out += '\n'; break;
            case 'r': out += '\r'; break;
            case 't': out += '\t'; break;
            case 'v': out += '\v'; break;
            case 'x': append_hex_escape(out, raw, at, 2, place); break;
            case 'u': append_hex_escape(out, raw, at, 4, place); break;
            case 'U': append_hex_escape(out, raw, at, 8, place); break;
            case 'N': fail("characters by their names are not supported", place);
            default:
                if (kind >= '0' && kind <= '7') {
                    append_octal_escape(out, raw, --at, place);
                } else {
                    out += '\\';
                    out += kind;
                }
        }
    }
    return out;
}

}  // namespace belfry::text::jinja
