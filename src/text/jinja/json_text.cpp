#include <algorithm>
#include <cmath>

#include "model/number.hpp"
#include "text/jinja/filters.hpp"
#include "text/jinja/sorting.hpp"
#include "text/utf8.hpp"

namespace belfry::text::jinja {
namespace {

constexpr int depth_max = 200;
constexpr std::int64_t indent_max = 1000;

void append_unit(std::string& out, char32_t unit) {
    static constexpr const char* hex = "0123456789abcdef";
    out += "\\u";
    for (int shift = 12; shift >= 0; shift -= 4) out += hex[(unit >> static_cast<unsigned>(shift)) & 0xFU];
}

// All of it in ASCII, as Python's json does it.
void append_json_string(std::string& out, std::string_view text) {
    out += '"';
    for (std::size_t at = 0; at < text.size();) {
        const char32_t c = utf8_next(text, at);
        switch (c) {
            case '"': out += "\\\""; break;
            case '\\': out += "\\\\"; break;
            case '\n': out += "\\n"; break;
            case '\r': out += "\\r"; break;
            case '\t': out += "\\t"; break;
            case '\f': out += "\\f"; break;
            case '\b': out += "\\b"; break;
            default:
                if (c >= 0x20 && c < 0x7F) {
                    out += static_cast<char>(c);
                } else if (c < 0x10000) {
                    append_unit(out, c);
                } else {
                    append_unit(out, 0xD800 + ((c - 0x10000) >> 10U));
                    append_unit(out, 0xDC00 + ((c - 0x10000) & 0x3FFU));
                }
        }
    }
    out += '"';
}

class JsonText {
public:
    JsonText(Meter& meter, std::string& out, const Val& indent)
        : meter_(meter), out_(out), pretty_(!indent.is(Kind::none)) {
        if (indent.is_string()) {
            indent_ = indent.text();
        } else if (indent.is_whole()) {
            if (indent.integer > indent_max) fail("an indentation beyond the limit");
            indent_.assign(static_cast<std::size_t>(std::max<std::int64_t>(indent.integer, 0)), ' ');
        } else if (pretty_) {
            fail("tojson() wants a number for its indent");
        }
    }

    void value(const Val& v, std::size_t depth) {
        if (depth > depth_max) fail("values nest too deep");
        meter_.will_grow(out_, v.is_string() ? v.size : 8);
        switch (v.kind) {
            case Kind::none: out_ += "null"; return;
            case Kind::boolean: out_ += v.integer != 0 ? "true" : "false"; return;
            case Kind::real: real_number(v.real); return;
            case Kind::integer:
            case Kind::whole: append_str(meter_, out_, v); return;
            case Kind::string: append_json_string(out_, v.text()); return;
            case Kind::array: array(v, v.tree->size(), depth); return;
            case Kind::list:
                if (v.list->flavour > Flavour::group) break;
                array(v, v.list->items.size(), depth);
                return;
            case Kind::object:
            case Kind::dict: object(v, depth); return;
            default: break;
        }
        fail("Object of type " + std::string(type_name(v)) + " is not JSON serializable");
    }

private:
    void real_number(double number) {
        if (std::isnan(number)) {
            out_ += "NaN";
        } else if (std::isinf(number)) {
            out_ += number < 0 ? "-Infinity" : "Infinity";
        } else {
            append_real_repr(out_, number);
        }
    }

    void line(std::size_t depth) {
        meter_.will_grow(out_, depth * indent_.size());
        out_ += '\n';
        for (std::size_t i = 0; i < depth; ++i) out_ += indent_;
    }

    void separate(bool& first, std::size_t depth) {
        if (!first) out_ += pretty_ ? "," : ", ";
        first = false;
        if (pretty_) line(depth + 1);
    }

    void array(const Val& v, std::size_t size, std::size_t depth) {
        out_ += '[';
        bool first = true;
        for (std::size_t i = 0; i < size; ++i) {
            separate(first, depth);
            value(v.is(Kind::array) ? view(v.tree->items()[i]) : v.list->items[i], depth + 1);
        }
        if (pretty_ && !first) line(depth);
        out_ += ']';
    }

    void key(const Val& k) {
        if (k.is_string()) {
            meter_.will_grow(out_, k.size);
            append_json_string(out_, k.text());
            return;
        }
        if (!k.is_number() && !k.is(Kind::none) && !k.is(Kind::whole)) {
            fail("keys must be str, int, float, bool or None, not " + std::string(type_name(k)));
        }
        out_ += '"';
        value(k, 0);
        out_ += '"';
    }

    void object(const Val& v, std::size_t depth) {
        std::vector<DictEntry> entries;
        if (v.is(Kind::object)) {
            for (const model::Member& member : v.tree->members())
                entries.push_back({string(member.key()), view(member.value)});
        } else {
            entries.assign(v.dict->entries.begin(), v.dict->entries.end());
        }
        std::vector<std::uint32_t> rooms(entries.size() * 2);
        const auto room = std::span(rooms);
        const auto places = sorted_places(
            room.first(entries.size()), room.last(entries.size()),
            [&](std::size_t a, std::size_t b) { return order(meter_, entries[a].key, entries[b].key, "<") == -1; });
        out_ += '{';
        bool first = true;
        for (const std::uint32_t place : places) {
            separate(first, depth);
            key(entries[place].key);
            out_ += ": ";
            value(entries[place].value, depth + 1);
        }
        if (pretty_ && !first) line(depth);
        out_ += '}';
    }

    Meter& meter_;
    std::string& out_;
    bool pretty_;
    std::string indent_;
};

}  // namespace

void append_python_json(Meter& meter, std::string& out, const Val& value, const Val& indent) {
    JsonText(meter, out, indent).value(value, 0);
}

}  // namespace belfry::text::jinja
