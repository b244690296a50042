#include "text/toon_token.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "text/toon_digits.hpp"
#include "text/utf8.hpp"

namespace belfry::text {
namespace {

using model::Value;

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

std::string_view view(const char* from, const char* to) {
    return {from, static_cast<std::size_t>(to - from)};
}

bool fail(ToonFailure& failure, const char* at, const char* message) {
    failure = {at, base::Code::malformed, message};
    return false;
}

// TOON knows no difference between 1 and 1.0.
Value integral(Value value) {
    if (value.kind() != Value::Kind::real) return value;
    const double real = value.as_real();
    if (std::abs(real) < 0x1p53 && std::trunc(real) == real) return Value::integer(static_cast<std::int64_t>(real));
    return value;
}

// Digits and power of ten are exact as doubles here, so one division gives the nearest double.
void set_short_decimal(Value& value, bool negative, std::int64_t digits, std::size_t decimals) {
    static constexpr double powers[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                        1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    const double magnitude = static_cast<double>(digits) / powers[decimals];
    value.set_real(negative ? -magnitude : magnitude);
    if (digits % 10 == 0) value = integral(std::move(value));
}

// Whether the token is a number of the grammar. Its digits are gathered on the way, and where they are few that is all.
bool read_number(const char* from, const char* to, Value& value) {
    const char* at = from;
    const bool negative = *at == '-';
    if (negative) ++at;
    const char* digits = at;
    std::uint64_t gathered = 0;  // means something up to fifteen digits only
    while (at < to && is_digit(*at)) gathered = gathered * 10 + static_cast<std::uint64_t>(*at++ - '0');
    const auto count = at - digits;
    if (count == 0 || (*digits == '0' && count > 1)) return false;
    if (at == to && count <= 18) {
        value = Value::integer(negative ? -static_cast<std::int64_t>(gathered) : static_cast<std::int64_t>(gathered));
        return true;
    }
    std::ptrdiff_t decimals = 0;
    if (at < to && *at == '.') {
        const char* fraction = ++at;
        while (at < to && is_digit(*at)) gathered = gathered * 10 + static_cast<std::uint64_t>(*at++ - '0');
        decimals = at - fraction;
        if (decimals == 0) return false;
        if (at == to && count + decimals <= 15) {
            set_short_decimal(value, negative, static_cast<std::int64_t>(gathered), static_cast<std::size_t>(decimals));
            return true;
        }
    }
    if (at < to && (*at == 'e' || *at == 'E')) {
        ++at;
        if (at < to && (*at == '+' || *at == '-')) ++at;
        const char* exponent = at;
        while (at < to && is_digit(*at)) ++at;
        if (at == exponent) return false;
    }
    if (at != to) return false;
    value = integral(model::number_value(view(from, to)));
    return true;
}

int hex_digit(char c) {
    if (is_digit(c)) return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

// Resolves the escape whose backslash is at `at`, and moves past it.
bool read_escape(const char*& at, const char* end, char*& out, ToonFailure& failure) {
    const char* backslash = at++;
    const char kind = at < end ? *at++ : '\0';
    switch (kind) {
        case '\\':
        case '"': *out++ = kind; return true;
        case 'n': *out++ = '\n'; return true;
        case 'r': *out++ = '\r'; return true;
        case 't': *out++ = '\t'; return true;
        case 'u': break;
        default: return fail(failure, backslash, "an escape that TOON does not have");
    }
    char32_t c = 0;
    for (int i = 0; i < 4; ++i, ++at) {
        const int digit = at < end ? hex_digit(*at) : -1;
        if (digit < 0) return fail(failure, backslash, "\\u needs four hexadecimal digits");
        c = c * 16 + static_cast<char32_t>(digit);
    }
    if (c >= 0xD800 && c <= 0xDFFF) return fail(failure, backslash, "an escaped surrogate is no character");
    std::string character;
    utf8_append(character, c);
    out = std::copy(character.begin(), character.end(), out);
    return true;
}

// What stands between two quotes; `at` is its first escape, and then its end: the closing quote, or `to`. A text
// without its escapes is never longer than with them, so it fits where there is room for `to - from` bytes.
bool read_escaped(const char* from, const char*& at, const char* to, char* room, Value& value, ToonFailure& failure) {
    char* out = std::copy(from, at, room);
    while (at < to && *at == '\\') {
        if (!read_escape(at, to, out, failure)) return false;
        const char* plain = at;
        at = find_any(at, to, '"', '\\');
        out = std::copy(plain, at, out);
    }
    value = Value::string(view(room, out));
    return true;
}

}  // namespace

bool read_toon_quoted(const char* from, const char* to, Value& value, const char*& after, ToonFailure& failure) {
    const char* at = find_any(from + 1, to, '"', '\\');
    if (at < to && *at == '"') {
        value = Value::string(view(from + 1, at));
        after = at + 1;
        return true;
    }
    const char* end = skip_quoted(from, to);
    if (end == nullptr) end = to;
    std::array<char, 256> small;
    std::string large;
    const auto size = static_cast<std::size_t>(end - from);
    if (size > small.size()) large.resize(size);
    if (!read_escaped(from + 1, at, end, large.empty() ? small.data() : large.data(), value, failure)) return false;
    if (at == to) return fail(failure, from, "a string without its closing quote");
    after = at + 1;
    return true;
}

bool read_toon_primitive(const char* from, const char* to, Value& value, ToonFailure& failure) {
    if (from == to) {
        value = Value::string({});
        return true;
    }
    switch (*from) {
        case '"': {
            const char* after = nullptr;
            if (!read_toon_quoted(from, to, value, after, failure)) return false;
            return after == to || fail(failure, after, "text after the closing quote");
        }
        case 't':
            if (view(from, to) == "true") return value = Value::boolean(true), true;
            break;
        case 'f':
            if (view(from, to) == "false") return value = Value::boolean(false), true;
            break;
        case 'n':
            if (view(from, to) == "null") return value = Value(), true;
            break;
        default:
            if ((is_digit(*from) || *from == '-') && read_number(from, to, value)) return true;
    }
    value = Value::string(view(from, to));
    return true;
}

bool read_toon_key(const char* from, const char* to, Value& key, ToonFailure& failure) {
    trim_toon(from, to);
    if (from == to || *from != '"') {
        key = Value::string(view(from, to));
        return true;
    }
    const char* after = nullptr;
    if (!read_toon_quoted(from, to, key, after, failure)) return false;
    return after == to || fail(failure, after, "a colon is missing after the key");
}

// Most cells that begin like a number are a short one, and need no second look. Null: this one does.
[[gnu::always_inline]] inline const char* ToonCells::short_number(const char* at, Value& value) const {
    // A sign, a point and two times eight characters are read, also beyond the line: no digit follows its end.
    if (end_ - at < 18) return nullptr;
    const bool negative = *at == '-';
    if (negative) ++at;
    const EightDigits whole = read_eight_digits(at);
    if (whole.count == 0 || whole.count == 8 || (*at == '0' && whole.count > 1)) return nullptr;
    at += whole.count;
    if (*at != '.') {
        const auto integer = static_cast<std::int64_t>(whole.value);
        value.set_integer(negative ? -integer : integer);
        return at;
    }
    const EightDigits fraction = read_eight_digits(++at);
    if (fraction.count == 0 || fraction.count == 8) return nullptr;
    static constexpr std::int64_t powers[] = {1, 10, 100, 1'000, 10'000, 100'000, 1'000'000, 10'000'000};
    const std::int64_t digits =
        static_cast<std::int64_t>(whole.value) * powers[fraction.count] + static_cast<std::int64_t>(fraction.value);
    set_short_decimal(value, negative, digits, fraction.count);
    return at + fraction.count;
}

// Whether the cell that begins at `at_` ends at `end`; it is then taken.
inline bool ToonCells::take_until(const char* end) {
    if (end != to_ && *end != delimiter_) return false;
    at_ = end == to_ ? nullptr : end + 1;
    return true;
}

bool ToonCells::take_all(Value& array, ToonFailure& failure) {
    ToonCells cells = *this;  // of which nobody has the address, so that it stays in registers
    while (cells.more()) {
        // Numbers are made where they are to be: one that is made elsewhere and moved here waits for its own stores.
        Value& value = array.push(Value());
        const char* end = cells.short_number(cells.at_, value);
        if (end != nullptr && cells.take_until(end)) continue;
        at_ = cells.at_;
        if (!next(value, failure)) return false;
        cells.at_ = at_;
    }
    return true;
}

bool ToonCells::next(Value& value, ToonFailure& failure) {
    const char* from = at_;
    while (from < to_ && *from == ' ') ++from;
    if (from < to_ && (is_digit(*from) || *from == '-')) {
        const char* end = short_number(from, value);
        if (end != nullptr && take_until(end)) return true;
    }
    if (from < to_ && *from == '"') return next_quoted(from, value, failure);
    const char* at = find_any(from, to_, delimiter_, '"');
    while (at < to_ && *at == '"') {
        const char* after = skip_quoted(at, to_);
        at = after == nullptr ? to_ : find_any(after, to_, delimiter_, '"');
    }
    at_ = at < to_ ? at + 1 : nullptr;
    while (at > from && at[-1] == ' ') --at;
    return read_toon_primitive(from, at, value, failure);
}

bool ToonCells::next_quoted(const char* from, Value& value, ToonFailure& failure) {
    const char* after = nullptr;
    if (!read_toon_quoted(from, to_, value, after, failure)) return false;
    while (after < to_ && *after == ' ') ++after;
    if (after < to_ && *after != delimiter_) return fail(failure, after, "text after the closing quote");
    at_ = after < to_ ? after + 1 : nullptr;
    return true;
}

}  // namespace belfry::text
