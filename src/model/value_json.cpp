#include "model/value_json.hpp"

#include <cmath>

#include "model/key_index.hpp"
#include "model/number.hpp"

namespace belfry::model {
namespace {

class Reader {
public:
    explicit Reader(std::string_view text) : at_(text.data()), end_(text.data() + text.size()) {}

    Value value() {
        skip_space();
        ASSERT(at_ < end_);
        switch (*at_) {
            case 'n': at_ += 4; return {};
            case 't': at_ += 4; return Value::boolean(true);
            case 'f': at_ += 5; return Value::boolean(false);
            case '"': return Value::string(string());
            case '[': return array();
            case '{': return object();
            default: return number();
        }
    }

private:
    void skip_space() {
        while (at_ < end_ && (*at_ == ' ' || *at_ == '\n' || *at_ == '\t' || *at_ == '\r')) ++at_;
    }

    Value number() {
        const char* from = at_;
        while (at_ < end_ && (static_cast<unsigned char>(*at_ - '0') < 10 || *at_ == '-' || *at_ == '+' ||
                              *at_ == '.' || (*at_ | 0x20) == 'e')) {
            ++at_;
        }
        ASSERT(at_ > from);
        return number_value({from, static_cast<std::size_t>(at_ - from)});
    }

    std::string_view string() {
        const char* from = ++at_;
        while (at_ < end_ && *at_ != '"' && *at_ != '\\') ++at_;
        if (at_ < end_ && *at_ == '"') [[likely]]
            return {from, static_cast<std::size_t>(at_++ - from)};
        while (at_ < end_ && *at_ != '"') at_ += *at_ == '\\' ? 2 : 1;
        ASSERT(at_ < end_);
        ++at_;
        scratch_ = JsonView{{from - 1, static_cast<std::size_t>(at_ - from + 1)}}.as_text();
        return scratch_;
    }

    // True when another element follows; the closing bracket is eaten.
    bool another(char close) {
        skip_space();
        ASSERT(at_ < end_);
        if (*at_ == close) {
            ++at_;
            return false;
        }
        if (*at_ == ',') {
            ++at_;
            skip_space();
        }
        return true;
    }

    Value array() {
        ++at_;
        Value made = Value::array();
        while (another(']')) made.push(value());
        return made;
    }

    Value object() {
        ++at_;
        Value made = Value::object();
        KeyIndex index;
        while (another('}')) {
            Value name = Value::string(string());
            skip_space();
            ASSERT(at_ < end_ && *at_ == ':');
            ++at_;
            const std::size_t place = index.find_or_expect(made, name);
            Value read = value();
            if (place == KeyIndex::none) {
                made.append(std::move(name), std::move(read));
            } else {
                made.member(place) = std::move(read);
            }
        }
        return made;
    }

    const char* at_;
    const char* end_;
    std::string scratch_;
};

void append_string(std::string& out, std::string_view text) {
    out += '"';
    append_escaped(out, text);
    out += '"';
}

void append_primitive(std::string& out, const Value& value) {
    switch (value.kind()) {
        case Value::Kind::boolean: out += value.as_boolean() ? "true" : "false"; return;
        case Value::Kind::integer: append_integer(out, value.as_integer()); return;
        case Value::Kind::natural: append_natural(out, value.as_natural()); return;
        case Value::Kind::real: {
            if (value.as_real() == 0 && std::signbit(value.as_real())) out += '-';
            const std::size_t from = out.size();
            append_real(out, value.as_real());
            if (out.find_first_of(".e", from) == std::string::npos) out += ".0";
            return;
        }
        case Value::Kind::big: out += value.text(); return;
        case Value::Kind::string: append_string(out, value.text()); return;
        default: out += "null";
    }
}

void append_break(std::string& out, int indent, int depth) {
    if (indent == 0) return;
    out += '\n';
    out.append(static_cast<std::size_t>(indent) * static_cast<std::size_t>(depth), ' ');
}

void append_value(std::string& out, const Value& value, int indent, int depth) {
    if (value.is_primitive()) {
        append_primitive(out, value);
        return;
    }
    const bool is_array = value.is_array();
    out += is_array ? '[' : '{';
    bool first = true;
    const auto separate = [&] {
        if (!first) out += ',';
        first = false;
        append_break(out, indent, depth + 1);
    };
    for (const Value& item : value.items()) {
        separate();
        append_value(out, item, indent, depth + 1);
    }
    for (const Member& member : value.members()) {
        separate();
        append_string(out, member.key());
        out += indent == 0 ? ":" : ": ";
        append_value(out, member.value, indent, depth + 1);
    }
    if (!first) append_break(out, indent, depth);
    out += is_array ? ']' : '}';
}

}  // namespace

Value value_from(JsonView json) {
    return Reader(json.text).value();
}

void append_json(std::string& out, const Value& value) {
    append_value(out, value, 0, 0);
}

std::string to_json(const Value& value) {
    return to_json(value, 0);
}

std::string to_json(const Value& value, int indent) {
    std::string out;
    append_value(out, value, indent, 0);
    return out;
}

}  // namespace belfry::model
