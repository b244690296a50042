#include <algorithm>

#include "text/jinja/number_format.hpp"
#include "text/jinja/ops.hpp"
#include "text/utf8.hpp"

namespace belfry::text::jinja {
namespace {

constexpr std::size_t width_max = 100000;

// [[fill]align][sign][#][0][width][grouping][.precision][type]
struct Spec {
    std::string_view fill;  // empty: none was given
    char align = '\0';
    char sign = '-';
    bool alternate = false;
    bool zero = false;
    std::size_t width = 0;
    char grouping = '\0';
    int precision = -1;
    char type = '\0';
};

bool is_align(char c) {
    return c == '<' || c == '>' || c == '^' || c == '=';
}
bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

std::size_t read_number(std::string_view& spec) {
    std::size_t value = 0;
    while (!spec.empty() && is_digit(spec.front())) {
        value = value * 10 + static_cast<std::size_t>(spec.front() - '0');
        if (value > width_max) fail("a width or precision beyond the limit");
        spec.remove_prefix(1);
    }
    return value;
}

Spec parse_spec(std::string_view text) {
    Spec spec;
    std::size_t first = 0;
    if (!text.empty()) utf8_next(text, first);
    if (first > 0 && first < text.size() && is_align(text[first])) {
        spec.fill = text.substr(0, first);
        spec.align = text[first];
        text.remove_prefix(first + 1);
    } else if (!text.empty() && is_align(text.front())) {
        spec.align = text.front();
        text.remove_prefix(1);
    }
    const auto skip = [&](char c) {
        if (text.empty() || text.front() != c) return false;
        text.remove_prefix(1);
        return true;
    };
    for (const char sign : {'+', '-', ' '}) {
        if (!skip(sign)) continue;
        spec.sign = sign;
        break;
    }
    spec.alternate = skip('#');
    spec.zero = skip('0');
    if (spec.fill.empty()) spec.fill = spec.zero ? "0" : " ";
    spec.width = read_number(text);
    if (skip(',')) spec.grouping = ',';
    if (skip('_')) spec.grouping = '_';
    if (skip('.')) {
        if (text.empty() || !is_digit(text.front())) fail("Format specifier missing precision");
        spec.precision = static_cast<int>(read_number(text));
    }
    if (text.size() > 1) fail("Invalid format specifier");
    if (!text.empty()) spec.type = text.front();
    return spec;
}

void append_padded(std::string& out, const Spec& spec, std::string_view text, char default_align) {
    const std::size_t length = utf8_length(text);
    const std::size_t missing = spec.width > length ? spec.width - length : 0;
    const char align = spec.align == '\0' ? default_align : spec.align;
    const std::size_t before = align == '>' ? missing : align == '^' ? missing / 2 : 0;
    for (std::size_t i = 0; i < before; ++i) out += spec.fill;
    out += text;
    for (std::size_t i = before; i < missing; ++i) out += spec.fill;
}

void append_number(std::string& out, Spec spec, NumberText number) {
    std::string head;
    if (number.negative) {
        head = "-";
    } else if (spec.sign != '-') {
        head = spec.sign;
    }
    if (spec.alternate) head += number.prefix;
    if (spec.zero && spec.align == '\0') spec.align = '=';
    const bool padded_zeros = spec.align == '=' && spec.fill == "0";
    const std::size_t group = number.prefix.empty() ? 3 : 4;
    if (spec.grouping != '\0') {
        if (padded_zeros) {
            // Zeros are grouped as digits are, until the width is reached.
            const std::size_t fixed = head.size() + number.rest.size();
            const auto grouped = [&](std::size_t digits) { return digits + (digits - 1) / group + fixed; };
            std::size_t digits = number.digits.size();
            while (grouped(digits) < spec.width) ++digits;
            number.digits.insert(0, digits - number.digits.size(), '0');
        }
        group_digits(number, spec.grouping, group);
    }
    const std::string body = number.digits + number.rest;
    if (spec.align != '=') {
        append_padded(out, spec, head + body, '>');
        return;
    }
    out += head;
    const std::size_t length = utf8_length(head) + utf8_length(body);
    for (std::size_t i = length; i < spec.width; ++i) out += spec.fill;
    out += body;
}

void append_real(std::string& out, const Spec& spec, double value) {
    NumberText number;
    switch (spec.type) {
        case '\0': {
            if (spec.precision < 0) {
                std::string shortest;
                append_real_repr(shortest, value);
                number.negative = shortest.starts_with('-');
                if (number.negative) shortest.erase(0, 1);
                const std::size_t split = std::min(shortest.find_first_not_of("0123456789"), shortest.size());
                number.digits = split == 0 ? shortest : shortest.substr(0, split);
                number.rest = split == 0 ? "" : shortest.substr(split);
                break;
            }
            // One digit fewer goes before the exponent is used, and a point always shows that it is no integer.
            number = real_text(value, 'g', spec.precision, spec.alternate);
            if (number.rest.empty() && is_digit(number.digits.front())) {
                if (static_cast<int>(number.digits.size()) >= std::max(spec.precision, 1)) {
                    number = real_text(value, 'e', std::max(spec.precision, 1) - 1, spec.alternate);
                    while (
                        number.rest.find('.') != std::string::npos &&
                        (number.rest.find("0e") != std::string::npos || number.rest.find(".e") != std::string::npos)) {
                        number.rest.erase(number.rest.find('e') - 1, 1);
                    }
                } else {
                    number.rest = ".0";
                }
            }
            break;
        }
        case 'n': number = real_text(value, 'g', spec.precision, spec.alternate); break;
        case '%':
            number = real_text(value * 100, 'f', spec.precision, spec.alternate);
            number.rest += '%';
            break;
        case 'e':
        case 'E':
        case 'f':
        case 'F':
        case 'g':
        case 'G': number = real_text(value, spec.type, spec.precision, spec.alternate); break;
        default: fail("Unknown format code '" + std::string(1, spec.type) + "' for object of type 'float'");
    }
    append_number(out, spec, number);
}

void append_integer(std::string& out, const Spec& spec, std::int64_t value) {
    switch (spec.type) {
        case 'e':
        case 'E':
        case 'f':
        case 'F':
        case 'g':
        case 'G':
        case '%': append_real(out, spec, static_cast<double>(value)); return;
        default: break;
    }
    if (spec.precision >= 0) fail("Precision not allowed in integer format specifier");
    switch (spec.type) {
        case '\0':
        case 'd':
        case 'n': append_number(out, spec, integer_text(value, 10, false)); return;
        case 'b': append_number(out, spec, integer_text(value, 2, false)); return;
        case 'o': append_number(out, spec, integer_text(value, 8, false)); return;
        case 'x': append_number(out, spec, integer_text(value, 16, false)); return;
        case 'X': append_number(out, spec, integer_text(value, 16, true)); return;
        case 'c': {
            if (value < 0 || value > 0x10FFFF) fail("%c arg not in range(0x110000)");
            if (value >= 0xD800 && value <= 0xDFFF) fail("a surrogate is no character");
            std::string text;
            utf8_append(text, static_cast<char32_t>(value));
            append_padded(out, spec, text, '<');
            return;
        }
        default: fail("Unknown format code '" + std::string(1, spec.type) + "' for object of type 'int'");
    }
}

}  // namespace

void append_formatted(Meter& meter, std::string& out, const Val& value, std::string_view text) {
    if (text.empty()) {
        append_str(meter, out, value);
        return;
    }
    Spec spec = parse_spec(text);
    if (value.is_whole()) {
        append_integer(out, spec, value.integer);
    } else if (value.is(Kind::real)) {
        append_real(out, spec, value.real);
    } else if (value.is_string()) {
        if (spec.type != '\0' && spec.type != 's') {
            fail("Unknown format code '" + std::string(1, spec.type) + "' for object of type 'str'");
        }
        if (spec.align == '=' || spec.sign != '-' || spec.alternate || spec.grouping != '\0')
            fail("not allowed in string format specifier");
        std::string_view shown = value.text();
        if (spec.precision >= 0) shown = shown.substr(0, utf8_offset(shown, static_cast<std::size_t>(spec.precision)));
        append_padded(out, spec, shown, '<');
    } else {
        fail("unsupported format string passed to " + std::string(type_name(value)) + ".__format__");
    }
}

}  // namespace belfry::text::jinja
