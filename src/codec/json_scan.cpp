#include "codec/json_scan.hpp"

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#include "base/assert.hpp"
#include "base/limits.hpp"
#include "codec/utf8.hpp"

namespace belfry::codec {
namespace {

static_assert(std::endian::native == std::endian::little, "plain_end looks for the lowest byte first");

using Lanes = signed char __attribute__((vector_size(16)));

bool is_plain(char c) {
    // As signed numbers, control characters and the bytes of longer sequences all lie below the space.
    return static_cast<signed char>(c) >= 0x20 && c != '"' && c != '\\';
}

// The first byte of a string's body that needs a look: a quote, a backslash, a control character or a byte above 0x7F.
const char* plain_end(const char* at, const char* end) {
    while (end - at >= 16) {
        Lanes bytes;
        std::memcpy(&bytes, at, sizeof bytes);
        const auto found = (bytes < 0x20) | (bytes == '"') | (bytes == '\\');
        const auto halves = std::bit_cast<std::array<std::uint64_t, 2>>(found);
        if (halves[0] != 0) return at + std::countr_zero(halves[0]) / 8;
        if (halves[1] != 0) return at + 8 + std::countr_zero(halves[1]) / 8;
        at += 16;
    }
    while (at < end && is_plain(*at)) ++at;
    return at;
}

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

int hex_digit(char c) {
    if (is_digit(c)) return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

// The four digits after `\u`, or -1.
int hex4(const char* at, const char* end) {
    if (end - at < 4) return -1;
    int value = 0;
    for (int i = 0; i < 4; ++i) {
        const int digit = hex_digit(at[i]);
        if (digit < 0) return -1;
        value = value * 16 + digit;
    }
    return value;
}

// Stands at the backslash.
bool scan_escape(JsonScan& scan) {
    scan.escaped = true;
    const char* at = scan.at + 1;
    if (at == scan.end) return scan.fail("a string has no end");
    if (std::memchr("\"\\/bfnrt", *at, 8) != nullptr) {
        scan.at += 2;
        return true;
    }
    if (*at != 'u') return scan.fail("an unknown escape in a string");
    const int unit = hex4(at + 1, scan.end);
    if (unit < 0) return scan.fail("\\u needs four hexadecimal digits");
    if (unit < 0xD800 || unit > 0xDFFF) {
        scan.at += 6;
        return true;
    }
    const bool another = unit < 0xDC00 && scan.end - scan.at >= 12 && scan.at[6] == '\\' && scan.at[7] == 'u';
    const int low = another ? hex4(scan.at + 8, scan.end) : -1;
    if (low < 0xDC00 || low > 0xDFFF) return scan.fail("half of a surrogate pair alone");
    scan.at += 12;
    return true;
}

bool scan_digits(JsonScan& scan) {
    if (scan.at == scan.end || !is_digit(*scan.at)) return scan.fail("a digit is missing in a number");
    while (scan.at < scan.end && is_digit(*scan.at)) ++scan.at;
    return true;
}

// The name of a member and its colon, in front of its value.
bool scan_name(JsonScan& scan) {
    skip_space(scan);
    if (scan.at == scan.end || *scan.at != '"') return scan.fail("a name in quotes is expected");
    if (!scan_string(scan)) return false;
    skip_space(scan);
    if (scan.at == scan.end || *scan.at != ':') return scan.fail("a colon is expected after a name");
    ++scan.at;
    return true;
}

// The containers that are open, one bit each: set for an object.
struct OpenContainers {
    std::uint64_t objects = 0;
    std::size_t count = 0;

    void push(bool object) {
        objects = (objects << 1U) | (object ? 1U : 0U);
        ++count;
    }
    void pop() {
        objects >>= 1U;
        --count;
    }
    [[nodiscard]] bool in_object() const { return (objects & 1U) != 0; }
};

// Opens the container at `at`. True in `entered` where a value follows, false where it was empty and is closed again.
bool open_container(JsonScan& scan, OpenContainers& open, std::size_t depth_max, bool& entered) {
    const bool object = *scan.at == '{';
    if (open.count == depth_max) return scan.fail("nested too deeply");
    ++scan.at;
    skip_space(scan);
    entered = scan.at == scan.end || *scan.at != (object ? '}' : ']');
    if (!entered) {
        ++scan.at;
        return true;
    }
    open.push(object);
    return !object || scan_name(scan);
}

// After a value: closes what ends here. True in `more` where another value follows.
bool scan_after_value(JsonScan& scan, OpenContainers& open, bool& more) {
    while (open.count > 0) {
        skip_space(scan);
        const char c = scan.at == scan.end ? '\0' : *scan.at;
        if (c == ',') {
            ++scan.at;
            more = true;
            return !open.in_object() || scan_name(scan);
        }
        if (c != (open.in_object() ? '}' : ']')) {
            return scan.fail(open.in_object() ? "a comma or } is expected" : "a comma or ] is expected");
        }
        ++scan.at;
        open.pop();
    }
    more = false;
    return true;
}

}  // namespace

bool scan_string(JsonScan& scan) {
    scan.escaped = false;
    ++scan.at;
    for (;;) {
        scan.at = plain_end(scan.at, scan.end);
        if (scan.at == scan.end) return scan.fail("a string has no end");
        const auto c = static_cast<unsigned char>(*scan.at);
        if (c == '"') {
            ++scan.at;
            return true;
        }
        if (c == '\\') {
            if (!scan_escape(scan)) return false;
        } else if (c < 0x20) {
            return scan.fail("a control character in a string");
        } else {
            // Texts in other scripts have such bytes in rows, so they are walked here and not one a round.
            do {
                const std::size_t length = utf8_sequence(scan.at, scan.end);
                if (length == 0) return scan.fail("these bytes are not UTF-8");
                scan.at += length;
            } while (scan.at < scan.end && static_cast<unsigned char>(*scan.at) >= 0x80);
        }
    }
}

bool scan_number(JsonScan& scan) {
    const char* const from = scan.at;
    if (*scan.at == '-') ++scan.at;
    if (scan.at < scan.end && *scan.at == '0') {
        ++scan.at;
        if (scan.at < scan.end && is_digit(*scan.at)) return scan.fail("a number may not begin with 0");
    } else if (!scan_digits(scan)) {
        return false;
    }
    if (scan.at < scan.end && *scan.at == '.') {
        ++scan.at;
        if (!scan_digits(scan)) return false;
    }
    if (scan.at < scan.end && (*scan.at == 'e' || *scan.at == 'E')) {
        ++scan.at;
        if (scan.at < scan.end && (*scan.at == '+' || *scan.at == '-')) ++scan.at;
        if (!scan_digits(scan)) return false;
    }
    if (static_cast<std::size_t>(scan.at - from) <= base::limits::json_number_chars_max) return true;
    scan.at = from;
    static_assert(base::limits::json_number_chars_max == 1024);
    return scan.fail("a number has more than 1024 characters");
}

bool scan_word(JsonScan& scan, std::string_view word) {
    const std::string_view rest(scan.at, static_cast<std::size_t>(scan.end - scan.at));
    if (!rest.starts_with(word)) return scan.fail("this is no value");
    scan.at += word.size();
    return true;
}

bool scan_value(JsonScan& scan, std::size_t depth_max) {
    ASSERT(depth_max <= 64);
    OpenContainers open;
    for (bool more = true; more;) {
        skip_space(scan);
        if (scan.at == scan.end) return scan.fail("a value is missing");
        bool entered = false;
        bool valid = false;
        switch (*scan.at) {
            case '"': valid = scan_string(scan); break;
            case '{':
            case '[': valid = open_container(scan, open, depth_max, entered); break;
            case 't': valid = scan_word(scan, "true"); break;
            case 'f': valid = scan_word(scan, "false"); break;
            case 'n': valid = scan_word(scan, "null"); break;
            default: valid = *scan.at == '-' || is_digit(*scan.at) ? scan_number(scan) : scan.fail("this is no value");
        }
        if (!valid) return false;
        if (!entered && !scan_after_value(scan, open, more)) return false;
    }
    return true;
}

void append_compact(std::string& out, std::string_view json) {
    JsonScan scan{json.data(), json.data() + json.size()};
    while (scan.at < scan.end) {
        const char* const from = scan.at;
        if (*from == '"') {
            ASSERT(scan_string(scan));
        } else {
            while (scan.at < scan.end && *scan.at > ' ' && *scan.at != '"') ++scan.at;
        }
        out.append(from, scan.at);
        skip_space(scan);
    }
}

}  // namespace belfry::codec
