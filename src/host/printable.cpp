#include "host/printable.hpp"

#include <cstdint>

#include "codec/utf8.hpp"

namespace belfry::host {
namespace {

constexpr char32_t not_utf8 = 0xFFFFFFFF;

struct Decoded {
    char32_t code = not_utf8;
    std::size_t bytes = 1;
};

Decoded decode(std::string_view text) {
    const std::size_t bytes = codec::utf8_sequence(text.data(), text.data() + text.size());
    const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
    if (bytes == 0) return {};
    if (bytes == 1) return {byte(0), 1};
    char32_t code = byte(0) & (0x7FU >> bytes);
    for (std::size_t i = 1; i < bytes; ++i) code = code << 6U | (byte(i) & 0x3FU);
    return {code, bytes};
}

bool is_harmful(char32_t code) {
    if (code < 0x20 || (code >= 0x7F && code <= 0x9F)) return true;
    if (code == 0x061C || code == 0x200E || code == 0x200F) return true;
    if (code >= 0x2028 && code <= 0x202E) return true;  // line separators and the old bidirectional controls
    return code >= 0x2066 && code <= 0x2069;
}

void append_hex(std::string& out, std::uint32_t value, int digits) {
    constexpr std::string_view hex = "0123456789abcdef";
    for (int shift = (digits - 1) * 4; shift >= 0; shift -= 4) {
        out += hex[value >> static_cast<unsigned>(shift) & 0xFU];
    }
}

void append_escape(std::string& out, char32_t code) {
    if (code == '\n') out += "\\n";
    else if (code == '\t') out += "\\t";
    else if (code == '\r') out += "\\r";
    else if (code < 0x100) out += "\\x", append_hex(out, code, 2);
    else out += "\\u{", append_hex(out, code, 4), out += '}';
}

}  // namespace

void append_printable(std::string& out, std::string_view text) {
    while (!text.empty()) {
        const Decoded next = decode(text);
        if (next.code == not_utf8) append_escape(out, static_cast<std::uint8_t>(text.front()));
        else if (is_harmful(next.code)) append_escape(out, next.code);
        else out += text.substr(0, next.bytes);
        text.remove_prefix(next.bytes);
    }
}

std::string printable(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    append_printable(out, text);
    return out;
}

std::string escape_json_controls(std::string_view json) {
    std::string out;
    out.reserve(json.size());
    while (!json.empty()) {
        const Decoded next = decode(json);
        // Below U+0020 valid JSON has only the white space between its values.
        if (next.code != not_utf8 && next.code >= 0x20 && is_harmful(next.code)) {
            out += "\\u";
            append_hex(out, next.code, 4);
        } else {
            out += json.substr(0, next.bytes);
        }
        json.remove_prefix(next.bytes);
    }
    return out;
}

}  // namespace belfry::host
