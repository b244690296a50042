#include <array>
#include <cmath>

#include "model/number.hpp"
#include "text/jinja/interpreter.hpp"
#include "text/jinja/number_format.hpp"
#include "text/jinja/ops.hpp"
#include "text/utf8.hpp"

namespace belfry::text::jinja {
namespace {

constexpr std::int64_t width_max = 100000;

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

class Percent {
public:
    Percent(Interpreter& in, std::string& out, std::string_view format, const Val& values)
        : in_(in), out_(out), format_(format), values_(values) {
        is_tuple_ =
            values.is(Kind::list) && (values.list->flavour == Flavour::tuple || values.list->flavour == Flavour::group);
        // Python asks only whether it can be subscribed to.
        is_mapping_ =
            !is_tuple_ && (values.is_dict() || values.is_list() || values.is(Kind::range) || values.is_undefined());
    }

    void run() {
        while (at_ < format_.size()) {
            const std::size_t sign = format_.find('%', at_);
            out_ += format_.substr(at_, sign - at_);
            if (sign == std::string_view::npos) break;
            at_ = sign + 1;
            const std::size_t before = out_.size();
            conversion();
            in_.grown(out_, before);
        }
        const std::size_t given = is_tuple_ ? values_.list->items.size() : 1;
        if (next_ < given && !is_mapping_) fail("not all arguments converted during string formatting");
    }

private:
    struct Flags {
        bool left = false;
        bool plus = false;
        bool space = false;
        bool zero = false;
        bool alternate = false;
    };

    char peek() const {
        if (at_ >= format_.size()) fail("incomplete format");
        return format_[at_];
    }

    Val argument() {
        if (has_key_) return keyed_;
        if (!is_tuple_) {
            if (next_++ > 0) fail("not enough arguments for format string");
            return values_;
        }
        if (next_ >= values_.list->items.size()) fail("not enough arguments for format string");
        return values_.list->items[next_++];
    }

    void read_key() {
        has_key_ = false;
        if (peek() != '(') return;
        if (!is_mapping_ || !values_.is_dict()) fail("format requires a mapping");
        std::size_t depth = 1;
        const std::size_t from = ++at_;
        for (; depth > 0; ++at_) {
            if (peek() == '(') ++depth;
            if (peek() == ')') --depth;
        }
        if (!dict_get(in_, values_, string(format_.substr(from, at_ - from - 1)), keyed_)) {
            fail("KeyError: '" + std::string(format_.substr(from, at_ - from - 1)) + "'");
        }
        has_key_ = true;
        next_ = 1;
    }

    std::int64_t read_size() {
        if (peek() == '*') {
            ++at_;
            const Val value = argument();
            if (!value.is_whole()) fail("* wants int");
            if (value.integer > width_max || value.integer < -width_max) fail("a width or precision beyond the limit");
            return value.integer;
        }
        std::int64_t value = 0;
        while (is_digit(peek())) {
            value = value * 10 + (format_[at_++] - '0');
            if (value > width_max) fail("a width or precision beyond the limit");
        }
        return value;
    }

    void conversion() {
        if (peek() == '%') {
            // Even a plain percent sign may carry a width in Python; nobody writes one.
            out_ += '%';
            ++at_;
            return;
        }
        read_key();
        Flags flags;
        for (bool more = true; more;) {
            switch (peek()) {
                case '-': flags.left = true; break;
                case '+': flags.plus = true; break;
                case ' ': flags.space = true; break;
                case '0': flags.zero = true; break;
                case '#': flags.alternate = true; break;
                default: more = false;
            }
            if (more) ++at_;
        }
        std::int64_t width = read_size();
        if (width < 0) {
            flags.left = true;
            width = -width;
        }
        int precision = -1;
        if (peek() == '.') {
            ++at_;
            precision = static_cast<int>(std::max<std::int64_t>(read_size(), 0));
        }
        while (peek() == 'l' || peek() == 'h' || peek() == 'L') ++at_;
        const char type = peek();
        ++at_;
        if (type == '%') {
            out_ += '%';
            return;
        }
        convert(type, flags, static_cast<std::size_t>(width), precision, argument());
    }

    void convert(char type, const Flags& flags, std::size_t width, int precision, const Val& value) {
        switch (type) {
            case 's':
            case 'r':
            case 'a': {
                std::string text;
                append_converted(in_, text, value, type);
                std::string_view shown = text;
                if (precision >= 0) shown = shown.substr(0, utf8_offset(shown, static_cast<std::size_t>(precision)));
                pad(shown, flags, width);
                return;
            }
            case 'c': character(value, flags, width); return;
            case 'd':
            case 'i':
            case 'u':
            case 'o':
            case 'x':
            case 'X': whole(type, flags, width, precision, value); return;
            case 'e':
            case 'E':
            case 'f':
            case 'F':
            case 'g':
            case 'G':
                if (value.is_undefined()) fail("'" + std::string(value.text()) + "' is undefined");
                if (!value.is_number()) fail("must be real number, not " + std::string(type_name(value)));
                number(real_text(value.as_real(), type, precision, flags.alternate), flags, width);
                return;
            default: fail("unsupported format character '" + std::string(1, type) + "'");
        }
    }

    void whole(char type, const Flags& flags, std::size_t width, int precision, const Val& value) {
        const bool decimal = type == 'd' || type == 'i' || type == 'u';
        if (value.is_undefined()) fail("'" + std::string(value.text()) + "' is undefined");
        std::int64_t integer = value.integer;
        if (value.is(Kind::real) && decimal) {
            if (!(std::abs(value.real) < 0x1p63)) fail("cannot convert this float to an integer of 64 bits");
            integer = static_cast<std::int64_t>(value.real);
        } else if (!value.is_whole()) {
            fail("%" + std::string(1, type) + " format: a number is required, not " + std::string(type_name(value)));
        }
        if (decimal && precision <= 0) {
            std::array<char, model::quick_number_chars_max> buffer;
            const char* end = model::write_integer(buffer.data(), integer);
            const char* digits = buffer.data() + (integer < 0 ? 1 : 0);
            number(integer < 0, {}, {digits, static_cast<std::size_t>(end - digits)}, {}, flags, width);
            return;
        }
        NumberText text = integer_text(integer, decimal ? 10 : type == 'o' ? 8 : 16, type == 'X');
        if (precision > 0 && static_cast<std::size_t>(precision) > text.digits.size()) {
            text.digits.insert(0, static_cast<std::size_t>(precision) - text.digits.size(), '0');
        }
        if (!flags.alternate) text.prefix.clear();
        number(text, flags, width);
    }

    void number(const NumberText& text, const Flags& flags, std::size_t width) {
        number(text.negative, text.prefix, text.digits, text.rest, flags, width);
    }

    void number(bool negative, std::string_view prefix, std::string_view digits, std::string_view rest,
                const Flags& flags, std::size_t width) {
        const std::string_view sign = negative ? "-" : flags.plus ? "+" : flags.space ? " " : "";
        const std::size_t length = sign.size() + prefix.size() + digits.size() + rest.size();
        const std::size_t missing = width > length ? width - length : 0;
        in_.charge_bytes(missing);
        if (!flags.left && !flags.zero) out_.append(missing, ' ');
        out_ += sign;
        out_ += prefix;
        if (!flags.left && flags.zero) out_.append(missing, '0');
        out_ += digits;
        out_ += rest;
        if (flags.left) out_.append(missing, ' ');
    }

    void character(const Val& value, const Flags& flags, std::size_t width) {
        std::string text;
        if (value.is_whole()) {
            if (value.integer < 0 || value.integer > 0x10FFFF) fail("%c arg not in range(0x110000)");
            if (value.integer >= 0xD800 && value.integer <= 0xDFFF) fail("a surrogate is no character");
            utf8_append(text, static_cast<char32_t>(value.integer));
        } else if (value.is_string() && utf8_length(value.text()) == 1) {
            text = value.text();
        } else {
            fail("%c requires int or char");
        }
        pad(text, flags, width);
    }

    void pad(std::string_view text, const Flags& flags, std::size_t width) {
        const std::size_t length = utf8_length(text);
        const std::size_t missing = width > length ? width - length : 0;
        in_.charge_bytes(missing);
        if (!flags.left) out_.append(missing, ' ');
        out_ += text;
        if (flags.left) out_.append(missing, ' ');
    }

    Interpreter& in_;
    std::string& out_;
    std::string_view format_;
    const Val& values_;
    std::size_t at_ = 0;
    std::size_t next_ = 0;
    bool is_tuple_ = false;
    bool is_mapping_ = false;
    bool has_key_ = false;
    Val keyed_;
};

}  // namespace

void append_percent(Interpreter& in, std::string& out, std::string_view format, const Val& values) {
    Percent(in, out, format, values).run();
}

}  // namespace belfry::text::jinja
