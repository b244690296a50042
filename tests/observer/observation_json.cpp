#include "observation_json.hpp"

#include <array>
#include <charconv>
#include <map>
#include <utility>

#include "observation_members.hpp"

namespace observer {
namespace {

// ---- a small JSON reader --------------------------------------------------------------------------------------------

struct Value {
    enum class Kind { null, boolean, number, text, list, object } kind = Kind::null;
    bool boolean = false;
    std::int64_t number = 0;
    std::string text;
    std::vector<Value> list;         // of an object: the values of its members
    std::vector<std::string> names;  // of an object
};

class Parser {
public:
    explicit Parser(std::string_view text) : text_(text) {}

    bool parse_document(Value& into) {
        if (!parse_value(into, 0)) return false;
        skip_space();
        return at_ == text_.size() || fail("text after the value");
    }
    const std::string& error() const { return error_; }

private:
    static constexpr int depth_max = 20;

    bool fail(std::string_view problem) {
        if (error_.empty()) error_ = std::string(problem) + " at byte " + std::to_string(at_);
        return false;
    }
    void skip_space() {
        while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos) ++at_;
    }
    bool skip_if(char sign) {
        skip_space();
        if (at_ >= text_.size() || text_[at_] != sign) return false;
        ++at_;
        return true;
    }
    bool skip_word(std::string_view word) {
        if (text_.substr(at_, word.size()) != word) return fail("unknown word");
        at_ += word.size();
        return true;
    }

    bool parse_value(Value& into, int depth) {
        if (depth > depth_max) return fail("too deep");
        skip_space();
        if (at_ >= text_.size()) return fail("value expected");
        switch (text_[at_]) {
            case '{': return parse_object(into, depth);
            case '[': return parse_list(into, depth);
            case '"': into.kind = Value::Kind::text; return parse_text(into.text);
            case 't': into.kind = Value::Kind::boolean, into.boolean = true; return skip_word("true");
            case 'f': into.kind = Value::Kind::boolean; return skip_word("false");
            case 'n': return skip_word("null");
            default: return parse_number(into);
        }
    }

    bool parse_number(Value& into) {
        into.kind = Value::Kind::number;
        const char* begin = text_.data() + at_;
        const auto [end, problem] = std::from_chars(begin, text_.data() + text_.size(), into.number);
        if (problem != std::errc()) return fail("integer expected");
        at_ += static_cast<std::size_t>(end - begin);
        if (at_ < text_.size() && std::string_view(".eE").find(text_[at_]) != std::string_view::npos)
            return fail("integer expected");
        return true;
    }

    bool parse_list(Value& into, int depth) {
        into.kind = Value::Kind::list;
        ++at_;
        if (skip_if(']')) return true;
        do {
            if (!parse_value(into.list.emplace_back(), depth + 1)) return false;
        } while (skip_if(','));
        return skip_if(']') || fail("']' expected");
    }

    bool parse_object(Value& into, int depth) {
        into.kind = Value::Kind::object;
        ++at_;
        if (skip_if('}')) return true;
        do {
            skip_space();
            std::string name;
            if (!parse_text(name)) return false;
            if (!skip_if(':')) return fail("':' expected");
            into.names.push_back(std::move(name));
            if (!parse_value(into.list.emplace_back(), depth + 1)) return false;
        } while (skip_if(','));
        return skip_if('}') || fail("'}' expected");
    }

    bool parse_text(std::string& into) {
        if (at_ >= text_.size() || text_[at_] != '"') return fail("text expected");
        for (++at_; at_ < text_.size(); ++at_) {
            const char sign = text_[at_];
            if (sign == '"') return ++at_, true;
            if (sign != '\\') {
                into += sign;
                continue;
            }
            if (++at_ >= text_.size()) break;
            if (!parse_escape(into)) return false;
        }
        return fail("text without an end");
    }

    bool parse_escape(std::string& into) {
        switch (text_[at_]) {
            case 'n': into += '\n'; return true;
            case 't': into += '\t'; return true;
            case 'r': into += '\r'; return true;
            case 'b': into += '\b'; return true;
            case 'f': into += '\f'; return true;
            case 'u': return parse_unicode(into);
            case '"':
            case '\\':
            case '/': into += text_[at_]; return true;
            default: return fail("unknown escape");
        }
    }

    // Reads the four digits after \u. Leaves the position on the last digit.
    bool parse_digits(std::uint32_t& code) {
        if (at_ + 4 >= text_.size()) return fail("four digits expected");
        const char* begin = text_.data() + at_ + 1;
        const auto [end, problem] = std::from_chars(begin, begin + 4, code, 16);
        if (problem != std::errc() || end != begin + 4) return fail("four digits expected");
        at_ += 4;
        return true;
    }

    bool parse_unicode(std::string& into) {
        std::uint32_t code = 0;
        if (!parse_digits(code)) return false;
        if (code >= 0xD800 && code < 0xDC00 && text_.substr(at_ + 1, 2) == "\\u") {
            std::uint32_t low = 0;
            at_ += 2;
            if (!parse_digits(low)) return false;
            code = 0x10000 + ((code - 0xD800) << 10) + ((low - 0xDC00) & 0x3FF);
        }
        append_utf8(into, code);
        return true;
    }

    static void append_utf8(std::string& into, std::uint32_t code) {
        const auto tail = [&](int shift) { into += static_cast<char>(0x80 | ((code >> shift) & 0x3F)); };
        if (code < 0x80) {
            into += static_cast<char>(code);
        } else if (code < 0x800) {
            into += static_cast<char>(0xC0 | (code >> 6)), tail(0);
        } else if (code < 0x10000) {
            into += static_cast<char>(0xE0 | (code >> 12)), tail(6), tail(0);
        } else {
            into += static_cast<char>(0xF0 | (code >> 18)), tail(12), tail(6), tail(0);
        }
    }

    std::string_view text_;
    std::size_t at_ = 0;
    std::string error_;
};

// ---- values to members ----------------------------------------------------------------------------------------------

struct Problem {
    std::string text;
};

void read_value(const Value& value, std::string& into) {
    if (value.kind == Value::Kind::null) return;
    if (value.kind != Value::Kind::text) throw Problem{"text expected"};
    into = value.text;
}
void read_value(const Value& value, bool& into) {
    if (value.kind != Value::Kind::boolean) throw Problem{"true or false expected"};
    into = value.boolean;
}
void read_value(const Value& value, std::int64_t& into) {
    if (value.kind != Value::Kind::number) throw Problem{"integer expected"};
    into = value.number;
}
void read_value(const Value& value, std::uint64_t& into) {
    if (value.kind != Value::Kind::number || value.number < 0) throw Problem{"number from 0 on expected"};
    into = static_cast<std::uint64_t>(value.number);
}
void read_value(const Value& value, Routing& into) {
    if (value.kind != Value::Kind::text || value.text.size() != 3) throw Problem{"routing expected, such as uua"};
    into = Routing::from_code(value.text);
    if (into.code() != value.text) throw Problem{"routing expected, such as uua"};
}
template <class T>
void read_value(const Value& value, T& into);
template <class T>
void read_value(const Value& value, std::optional<T>& into) {
    if (value.kind == Value::Kind::null) return;
    read_value(value, into.emplace());
}
template <class T>
void read_value(const Value& value, std::vector<T>& into) {
    if (value.kind != Value::Kind::list) throw Problem{"list expected"};
    for (const Value& entry : value.list) read_value(entry, into.emplace_back());
}

// Takes the members of an object one by one; `finish` rejects a member that no structure asked for.
class MemberReader {
public:
    explicit MemberReader(const Value& object) {
        if (object.kind != Value::Kind::object) throw Problem{"object expected"};
        for (std::size_t at = 0; at < object.names.size(); ++at) left_[object.names[at]] = &object.list[at];
    }
    template <class T>
    void operator()(std::string_view name, T& member) {
        const auto found = left_.find(name);
        if (found == left_.end()) return;
        try {
            read_value(*found->second, member);
        } catch (Problem& problem) {
            throw Problem{std::string(name) + ": " + problem.text};
        }
        left_.erase(found);
    }
    void finish() const {
        if (!left_.empty()) throw Problem{"unknown member " + std::string(left_.begin()->first)};
    }

private:
    std::map<std::string_view, const Value*> left_;
};

template <class T>
void read_value(const Value& value, T& into) {
    MemberReader members(value);
    list_members(into, members);
    members.finish();
}

template <std::size_t Index = 0>
Body make_body(std::size_t index) {
    if constexpr (Index < std::variant_size_v<Body>) {
        if (index == Index) return Body(std::in_place_index<Index>);
        return make_body<Index + 1>(index);
    } else {
        throw Problem{"unknown kind"};
    }
}

// ---- members to text ------------------------------------------------------------------------------------------------

void write_text(std::string& into, std::string_view text) {
    static constexpr std::string_view digits = "0123456789abcdef";
    into += '"';
    for (const char sign : text) {
        const auto byte = static_cast<unsigned char>(sign);
        if (sign == '"' || sign == '\\') {
            into += '\\', into += sign;
        } else if (byte < 0x20) {
            into += "\\u00", into += digits[byte >> 4], into += digits[byte & 15];
        } else {
            into += sign;
        }
    }
    into += '"';
}

void write_value(std::string& into, std::string& value) {
    write_text(into, value);
}
void write_value(std::string& into, bool value) {
    into += value ? "true" : "false";
}
void write_value(std::string& into, std::int64_t value) {
    into += std::to_string(value);
}
void write_value(std::string& into, std::uint64_t value) {
    into += std::to_string(value);
}
void write_value(std::string& into, Routing& value) {
    write_text(into, value.code());
}
template <class T>
void write_value(std::string& into, T& value);
template <class T>
void write_value(std::string& into, std::optional<T>& value) {
    if (value) write_value(into, *value);
    else into += "null";
}
template <class T>
void write_value(std::string& into, std::vector<T>& value) {
    into += '[';
    for (T& entry : value) {
        if (into.back() != '[') into += ',';
        write_value(into, entry);
    }
    into += ']';
}

class MemberWriter {
public:
    explicit MemberWriter(std::string& into) : into_(into) {}
    template <class T>
    void operator()(std::string_view name, T& member) {
        if (into_.back() != '{') into_ += ',';
        write_text(into_, name);
        into_ += ':';
        write_value(into_, member);
    }

private:
    std::string& into_;
};

template <class T>
void write_value(std::string& into, T& value) {
    into += '{';
    list_members(value, MemberWriter(into));
    into += '}';
}

}  // namespace

std::string write_json(const Observation& seen) {
    Observation copy = seen;  // the list of members is the reader's too, which writes to them
    std::string kind(kind_name(seen));
    std::string line = "{";
    MemberWriter write(line);
    write("kind", kind), write("order", copy.order), write("began", copy.began), write("at_ms", copy.at_ms),
        write("began_ms", copy.began_ms);
    write("actor", copy.actor);
    std::visit([&](auto& body) { list_members(body, write); }, copy.body);
    return line + "}";
}

std::optional<Observation> read_json(std::string_view line, std::string& error) {
    Value value;
    Parser parser(line);
    if (!parser.parse_document(value)) {
        error = parser.error();
        return std::nullopt;
    }
    try {
        MemberReader read(value);
        std::string kind;
        Observation seen;
        read("kind", kind), read("order", seen.order), read("began", seen.began), read("at_ms", seen.at_ms),
            read("began_ms", seen.began_ms);
        read("actor", seen.actor);
        std::size_t index = 0;
        while (index < std::size(kind_names) && kind_names[index] != kind) ++index;
        seen.body = make_body(index);
        std::visit([&](auto& body) { list_members(body, read); }, seen.body);
        read.finish();
        return seen;
    } catch (const Problem& problem) {
        error = problem.text;
        return std::nullopt;
    }
}

}  // namespace observer
