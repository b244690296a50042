#include <charconv>

#include "text/jinja/interpreter.hpp"
#include "text/jinja/ops.hpp"

namespace belfry::text::jinja {
namespace {

bool all_digits(std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

std::int64_t to_integer(std::string_view digits) {
    std::int64_t value = 0;
    if (std::from_chars(digits.data(), digits.data() + digits.size(), value).ec != std::errc())
        fail("Too many decimal digits in format string");
    return value;
}

// str.format: text with {fields}.
class Formatter {
public:
    Formatter(Interpreter& in, const Call& call) : in_(in), call_(call) {}

    void run(std::string& out, std::string_view format, int depth) {
        if (depth > 2) fail("Max string recursion exceeded");
        for (std::size_t at = 0; at < format.size();) {
            const char c = format[at++];
            if (c != '{' && c != '}') {
                out += c;
            } else if (at < format.size() && format[at] == c) {
                out += c;
                ++at;
            } else if (c == '}') {
                fail("Single '}' encountered in format string");
            } else {
                field(out, inner(format, at), depth);
            }
        }
    }

private:
    // What stands up to the closing brace; `at` is then behind it.
    static std::string_view inner(std::string_view format, std::size_t& at) {
        const std::size_t from = at;
        int open = 1;
        bool in_brackets = false;
        for (; at < format.size(); ++at) {
            if (format[at] == '[') in_brackets = true;
            if (format[at] == ']') in_brackets = false;
            if (in_brackets) continue;
            if (format[at] == '{') ++open;
            if (format[at] == '}' && --open == 0) return format.substr(from, at++ - from);
        }
        fail(from == format.size() ? "Single '{' encountered in format string" : "expected '}' before end of string");
    }

    void field(std::string& out, std::string_view text, int depth) {
        std::size_t name_end = 0;
        for (bool in_brackets = false; name_end < text.size(); ++name_end) {
            if (text[name_end] == '[') in_brackets = true;
            if (text[name_end] == ']') in_brackets = false;
            if (!in_brackets && (text[name_end] == '!' || text[name_end] == ':')) break;
        }
        Val value = named(text.substr(0, name_end));
        std::string_view rest = text.substr(name_end);
        if (!rest.empty() && rest.front() == '!') {
            if (rest.size() < 2 || (rest.size() > 2 && rest[2] != ':')) fail("expected ':' after conversion specifier");
            std::string converted;
            append_converted(in_, converted, value, rest[1]);
            value = in_.text(converted);
            rest.remove_prefix(2);
        }
        std::string spec;
        if (!rest.empty()) run(spec, rest.substr(1), depth + 1);
        const std::size_t before = out.size();
        append_formatted(in_, out, value, spec);
        in_.grown(out, before);
        in_.charge_bytes(spec.size() + 32);
    }

    Val named(std::string_view name) {
        const std::size_t end = std::min(name.find_first_of(".["), name.size());
        Val value = first(name.substr(0, end));
        for (name.remove_prefix(end); !name.empty();) {
            if (name.front() == '.') {
                name.remove_prefix(1);
                const std::size_t stop = std::min(name.find_first_of(".["), name.size());
                if (stop == 0) fail("Empty attribute in format string");
                if (value.is_dict()) fail("'dict' object has no attribute '" + std::string(name.substr(0, stop)) + "'");
                value = in_.attribute(value, name.substr(0, stop));
                if (value.is_undefined()) fail("no attribute '" + std::string(name.substr(0, stop)) + "'");
                name.remove_prefix(stop);
            } else if (name.front() == '[') {
                const std::size_t stop = name.find(']');
                if (stop == std::string_view::npos) fail("Missing ']' in format string");
                const std::string_view key = name.substr(1, stop - 1);
                if (key.empty()) fail("Empty attribute in format string");
                value = in_.item(value, all_digits(key) ? integer(to_integer(key)) : in_.text(key));
                if (value.is_undefined()) fail("no item '" + std::string(key) + "'");
                name.remove_prefix(stop + 1);
            } else {
                fail("Only '.' or '[' may follow ']' in format field specifier");
            }
        }
        return value;
    }

    Val first(std::string_view name) {
        if (name.empty() || all_digits(name)) {
            if (name.empty() ? manual_ : automatic_) fail("cannot switch between manual and automatic field numbering");
            (name.empty() ? automatic_ : manual_) = true;
            const auto index = name.empty() ? next_++ : static_cast<std::size_t>(to_integer(name));
            if (index >= call_.args.size())
                fail("Replacement index " + std::to_string(index) + " out of range for positional args tuple");
            return call_.args[index];
        }
        for (const auto& [key, value] : call_.named) {
            if (key == name) return value;
        }
        fail("KeyError: '" + std::string(name) + "'");
    }

    Interpreter& in_;
    const Call& call_;
    std::size_t next_ = 0;
    bool automatic_ = false;
    bool manual_ = false;
};

}  // namespace

void append_format(Interpreter& in, std::string& out, std::string_view format, const Call& call) {
    Formatter(in, call).run(out, format, 0);
}

}  // namespace belfry::text::jinja
