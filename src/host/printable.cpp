#include "host/printable.hpp"

#include <cstdint>

#include "base/characters.hpp"
#include "codec/utf8.hpp"

namespace belfry::host {
namespace {

constexpr base::Character not_utf8{0xFFFFFFFF, 1};

base::Character decode(std::string_view text) {
    if (codec::utf8_sequence(text.data(), text.data() + text.size()) == 0) return not_utf8;
    return base::first_character(text);
}

}  // namespace

void append_printable(std::string& out, std::string_view text) {
    while (!text.empty()) {
        const base::Character next = decode(text);
        if (next.code == not_utf8.code) base::append_written_out(out, static_cast<std::uint8_t>(text.front()));
        else if (base::is_harmful(next.code)) base::append_written_out(out, next.code);
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
        const base::Character next = decode(json);
        // Below U+0020 valid JSON has only the white space between its values.
        if (next.code != not_utf8.code && next.code >= 0x20 && base::is_harmful(next.code)) {
            base::append_json_escape(out, next.code);
        } else {
            out += json.substr(0, next.bytes);
        }
        json.remove_prefix(next.bytes);
    }
    return out;
}

}  // namespace belfry::host
