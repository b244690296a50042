#include "base/characters.hpp"

namespace belfry::base {
namespace {

void append_hex(std::string& out, char32_t value, int digits) {
    constexpr std::string_view hex = "0123456789abcdef";
    for (int shift = (digits - 1) * 4; shift >= 0; shift -= 4) out += hex[value >> static_cast<unsigned>(shift) & 0xFU];
}

}  // namespace

void append_written_out(std::string& out, char32_t code) {
    if (code == '\n') out += "\\n";
    else if (code == '\t') out += "\\t";
    else if (code == '\r') out += "\\r";
    else if (code < 0x100) out += "\\x", append_hex(out, code, 2);
    else out += "\\u{", append_hex(out, code, code > 0xFFFF ? 5 : 4), out += '}';
}

void append_json_escape(std::string& out, char32_t code) {
    if (code > 0xFFFF) {
        append_json_escape(out, 0xD800 + ((code - 0x10000) >> 10U));
        code = 0xDC00 + ((code - 0x10000) & 0x3FFU);
    }
    out += "\\u";
    append_hex(out, code, 4);
}

}  // namespace belfry::base
