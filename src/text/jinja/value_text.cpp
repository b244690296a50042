#include <array>
#include <charconv>
#include <cmath>

#include "model/number.hpp"
#include "text/jinja/value.hpp"
#include "text/unicode.hpp"
#include "text/utf8.hpp"

namespace belfry::text::jinja {
namespace {

constexpr int depth_max = 200;

void append_hex(std::string& out, char32_t c, int digits) {
    static constexpr const char* hex = "0123456789abcdef";
    for (int shift = (digits - 1) * 4; shift >= 0; shift -= 4) out += hex[(c >> static_cast<unsigned>(shift)) & 0xFU];
}

void append_escape(std::string& out, char32_t c) {
    const int digits = c < 0x100 ? 2 : c < 0x10000 ? 4 : 8;
    out += digits == 2 ? "\\x" : digits == 4 ? "\\u" : "\\U";
    append_hex(out, c, digits);
}

void append_string_repr(std::string& out, std::string_view text) {
    const bool has_single = text.find('\'') != std::string_view::npos;
    const char quote = has_single && text.find('"') == std::string_view::npos ? '"' : '\'';
    out += quote;
    for (std::size_t at = 0; at < text.size();) {
        const char32_t c = utf8_next(text, at);
        if (c == static_cast<char32_t>(quote) || c == '\\') {
            out += '\\';
            out += static_cast<char>(c);
        } else if (c == '\n') {
            out += "\\n";
        } else if (c == '\r') {
            out += "\\r";
        } else if (c == '\t') {
            out += "\\t";
        } else if (is_printable(c)) {
            utf8_append(out, c);
        } else {
            append_escape(out, c);
        }
    }
    out += quote;
}

void append_list(Meter& meter, std::string& out, const Val& value, int depth) {
    const bool is_array = value.is(Kind::array);
    const std::size_t size = is_array ? value.tree->size() : value.list->items.size();
    for (std::size_t i = 0; i < size; ++i) {
        if (i > 0) out += ", ";
        append_repr(meter, out, is_array ? view(value.tree->items()[i]) : value.list->items[i], depth + 1);
    }
}

void append_entries(Meter& meter, std::string& out, const ArenaList<DictEntry>& entries, int depth) {
    out += '{';
    bool first = true;
    for (const DictEntry& entry : entries) {
        if (!first) out += ", ";
        first = false;
        append_repr(meter, out, entry.key, depth + 1);
        out += ": ";
        append_repr(meter, out, entry.value, depth + 1);
    }
    out += '}';
}

void append_list_repr(Meter& meter, std::string& out, const Val& value, int depth) {
    const auto wrapped = [&](const char* open, const char* close) {
        out += open;
        append_list(meter, out, value, depth);
        out += close;
    };
    switch (value.list->flavour) {
        case Flavour::list: wrapped("[", "]"); return;
        case Flavour::keys: wrapped("dict_keys([", "])"); return;
        case Flavour::values: wrapped("dict_values([", "])"); return;
        case Flavour::items: wrapped("dict_items([", "])"); return;
        case Flavour::generator: out += "<generator object>"; return;
        case Flavour::tuple:
        case Flavour::group: wrapped("(", value.list->items.size() == 1 ? ",)" : ")"); return;
    }
}

void append_range(std::string& out, const Range& range) {
    out += "range(";
    model::append_integer(out, range.start);
    out += ", ";
    model::append_integer(out, range.stop);
    if (range.step != 1) {
        out += ", ";
        model::append_integer(out, range.step);
    }
    out += ')';
}

void append_whole(std::string& out, const model::Value& number) {
    if (number.kind() == model::Value::Kind::natural) {
        model::append_natural(out, number.as_natural());
    } else {
        out += model::integral_digits(number.text());
    }
}

}  // namespace

void append_real_repr(std::string& out, double value) {
    if (std::isnan(value)) {
        out += "nan";
        return;
    }
    if (std::isinf(value)) {
        out += value < 0 ? "-inf" : "inf";
        return;
    }
    std::array<char, 32> buffer;
    const char* end =
        std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::scientific).ptr;
    const char* e = end;
    while (*--e != 'e') {
    }
    int power = 0;
    std::from_chars(e[1] == '+' ? e + 2 : e + 1, end, power);
    if (power < -4 || power >= 16) {
        // Python writes at least two digits of the exponent, as to_chars does.
        out.append(buffer.data(), static_cast<std::size_t>(end - buffer.data()));
        return;
    }
    end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::fixed).ptr;
    const std::string_view fixed(buffer.data(), static_cast<std::size_t>(end - buffer.data()));
    out += fixed;
    if (fixed.find('.') == std::string_view::npos) out += ".0";
}

void append_str(Meter& meter, std::string& out, const Val& value) {
    if (value.is_string()) {
        meter.will_grow(out, value.size);
        out += value.text();
    } else if (!value.is_undefined()) {
        append_repr(meter, out, value);
    }
}

void append_converted(Meter& meter, std::string& out, const Val& value, char conversion) {
    if (conversion == 's') {
        append_str(meter, out, value);
        return;
    }
    if (conversion != 'r' && conversion != 'a')
        fail("Unknown conversion specifier '" + std::string(1, conversion) + "'");
    std::string text;
    append_repr(meter, text, value);
    if (conversion == 'r') {
        out += text;
        return;
    }
    for (std::size_t at = 0; at < text.size();) {
        const char32_t c = utf8_next(text, at);
        if (c < 0x80) {
            out += static_cast<char>(c);
        } else {
            append_escape(out, c);
        }
    }
}

void append_repr(Meter& meter, std::string& out, const Val& value, int depth) {
    if (depth > depth_max) fail("values nest too deep");
    meter.will_grow(out, value.is_string() ? value.size : 8);
    switch (value.kind) {
        case Kind::missing:
        case Kind::undefined: out += "Undefined"; return;
        case Kind::none: out += "None"; return;
        case Kind::boolean: out += value.integer != 0 ? "True" : "False"; return;
        case Kind::integer: model::append_integer(out, value.integer); return;
        case Kind::real: append_real_repr(out, value.real); return;
        case Kind::whole: append_whole(out, *value.tree); return;
        case Kind::string:
            if (value.markup) out += "Markup(";
            append_string_repr(out, value.text());
            if (value.markup) out += ')';
            return;
        case Kind::array:
            out += '[';
            append_list(meter, out, value, depth);
            out += ']';
            return;
        case Kind::object: {
            out += '{';
            bool first = true;
            for (const model::Member& member : value.tree->members()) {
                if (!first) out += ", ";
                first = false;
                meter.will_grow(out, member.key().size());
                append_string_repr(out, member.key());
                out += ": ";
                append_repr(meter, out, view(member.value), depth + 1);
            }
            out += '}';
            return;
        }
        case Kind::list: append_list_repr(meter, out, value, depth); return;
        case Kind::dict: append_entries(meter, out, value.dict->entries, depth); return;
        case Kind::range: append_range(out, *value.range); return;
        case Kind::space:
            out += "<Namespace ";
            append_entries(meter, out, value.space->entries, depth);
            out += '>';
            return;
        default:
            out += '<';
            out += type_name(value);
            out += '>';
    }
}

}  // namespace belfry::text::jinja
