#include "model/raw_json.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "base/assert.hpp"

namespace belfry::model {
namespace {

bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

void skip_space(std::string_view& rest) {
    while (!rest.empty() && is_space(rest.front())) rest.remove_prefix(1);
}

// Length of the string token that begins with a quote at text[0]. The bytes are valid, so an end is there.
std::size_t string_length(std::string_view text) {
    std::size_t from = 1;
    while (true) {
        const std::size_t quote = text.find('"', from);
        ASSERT(quote != std::string_view::npos);
        // It ends the string unless it is escaped: an odd number of backslashes stands before it.
        std::size_t plain = quote;
        while (plain > from && text[plain - 1] == '\\') --plain;
        if ((quote - plain) % 2 == 0) return quote + 1;
        from = quote + 1;
    }
}

std::size_t value_length(std::string_view text) {
    const char first = text.front();
    if (first == '"') return string_length(text);
    if (first != '{' && first != '[') {
        std::size_t at = 0;
        while (at < text.size() && text[at] != ',' && text[at] != '}' && text[at] != ']' && !is_space(text[at])) ++at;
        return at;
    }
    std::size_t depth = 0;
    std::size_t at = 0;
    do {
        const char c = text[at];
        if (c == '"') {
            at += string_length(text.substr(at));
            continue;
        }
        if (c == '{' || c == '[') ++depth;
        if (c == '}' || c == ']') --depth;
        ++at;
    } while (depth > 0);
    return at;
}

unsigned hex4(std::string_view digits) {
    unsigned value = 0;
    std::from_chars(digits.data(), digits.data() + 4, value, 16);
    return value;
}

void append_code_point(std::string& out, std::uint32_t c) {
    if (c < 0x80) {
        out += static_cast<char>(c);
    } else if (c < 0x800) {
        out += static_cast<char>(0xC0U | (c >> 6U));
        out += static_cast<char>(0x80U | (c & 0x3FU));
    } else if (c < 0x10000) {
        out += static_cast<char>(0xE0U | (c >> 12U));
        out += static_cast<char>(0x80U | ((c >> 6U) & 0x3FU));
        out += static_cast<char>(0x80U | (c & 0x3FU));
    } else {
        out += static_cast<char>(0xF0U | (c >> 18U));
        out += static_cast<char>(0x80U | ((c >> 12U) & 0x3FU));
        out += static_cast<char>(0x80U | ((c >> 6U) & 0x3FU));
        out += static_cast<char>(0x80U | (c & 0x3FU));
    }
}

// Resolves the escape whose backslash is at text[0]; returns its length.
std::size_t append_escape(std::string& out, std::string_view text) {
    switch (text[1]) {
        case 'b': out += '\b'; return 2;
        case 'f': out += '\f'; return 2;
        case 'n': out += '\n'; return 2;
        case 'r': out += '\r'; return 2;
        case 't': out += '\t'; return 2;
        case 'u': break;
        default: out += text[1]; return 2;
    }
    std::uint32_t c = hex4(text.substr(2));
    if (c >= 0xD800 && c < 0xDC00 && text.size() >= 12 && text[6] == '\\' && text[7] == 'u') {
        const unsigned low = hex4(text.substr(8));
        append_code_point(out, 0x10000 + ((c - 0xD800) << 10U) + (low - 0xDC00));
        return 12;
    }
    append_code_point(out, c);
    return 6;
}

std::string unescape(std::string_view inner) {
    std::string out;
    out.reserve(inner.size());
    while (!inner.empty()) {
        const std::size_t plain = inner.find('\\');
        out.append(inner.substr(0, plain));
        if (plain == std::string_view::npos) break;
        inner.remove_prefix(plain);
        inner.remove_prefix(append_escape(out, inner));
    }
    return out;
}

// Whether none of these eight bytes must be escaped in a string. May be false for those behind one that must.
bool is_plain_word(const char* bytes) {
    constexpr std::uint64_t each = 0x0101010101010101;
    constexpr std::uint64_t high = 0x80 * each;
    std::uint64_t word = 0;
    std::memcpy(&word, bytes, sizeof word);
    const auto has_zero = [](std::uint64_t w) { return (w - each) & ~w; };
    const std::uint64_t controls = (word - 0x20 * each) & ~word;
    return ((controls | has_zero(word ^ ('"' * each)) | has_zero(word ^ ('\\' * each))) & high) == 0;
}

}  // namespace

JsonKind JsonView::kind() const {
    switch (text.front()) {
        case 'n': return JsonKind::null;
        case 't':
        case 'f': return JsonKind::boolean;
        case '"': return JsonKind::string;
        case '[': return JsonKind::array;
        case '{': return JsonKind::object;
        default: return JsonKind::number;
    }
}

std::string JsonView::as_text() const {
    if (kind() != JsonKind::string) return std::string(text);
    return unescape(text.substr(1, text.size() - 2));
}

std::optional<JsonView> JsonView::member(std::string_view name) const {
    if (kind() != JsonKind::object) return std::nullopt;
    std::optional<JsonView> found;
    JsonWalker walker(*this);
    std::string_view key;
    while (auto value = walker.next(&key)) {
        const bool is_escaped = key.find('\\') != std::string_view::npos;
        if (is_escaped ? unescape(key) == name : key == name) found = value;
    }
    return found;
}

JsonWalker::JsonWalker(JsonView container) : rest_(container.text.substr(1, container.text.size() - 2)) {}

std::optional<JsonView> JsonWalker::next(std::string_view* name) {
    skip_space(rest_);
    if (!rest_.empty() && rest_.front() == ',') {
        rest_.remove_prefix(1);
        skip_space(rest_);
    }
    if (rest_.empty()) return std::nullopt;
    if (name != nullptr) {
        const std::size_t length = string_length(rest_);
        *name = rest_.substr(1, length - 2);
        rest_.remove_prefix(length);
        skip_space(rest_);
        ASSERT(!rest_.empty() && rest_.front() == ':');
        rest_.remove_prefix(1);
        skip_space(rest_);
    }
    const std::size_t length = value_length(rest_);
    const JsonView value{rest_.substr(0, length)};
    rest_.remove_prefix(length);
    return value;
}

void append_escaped(std::string& out, std::string_view utf8) {
    static constexpr const char* hex = "0123456789abcdef";
    std::size_t plain_from = 0;
    for (std::size_t i = 0; i < utf8.size(); ++i) {
        if (i + sizeof(std::uint64_t) <= utf8.size() && is_plain_word(utf8.data() + i)) {
            i += sizeof(std::uint64_t) - 1;
            continue;
        }
        const auto c = static_cast<unsigned char>(utf8[i]);
        if (c >= 0x20 && c != '"' && c != '\\') [[likely]]
            continue;
        out.append(utf8, plain_from, i - plain_from);
        plain_from = i + 1;
        switch (c) {
            case '"': out += "\\\""; break;
            case '\\': out += "\\\\"; break;
            case '\b': out += "\\b"; break;
            case '\f': out += "\\f"; break;
            case '\n': out += "\\n"; break;
            case '\r': out += "\\r"; break;
            case '\t': out += "\\t"; break;
            default:
                out += "\\u00";
                out += hex[c >> 4U];
                out += hex[c & 0xFU];
        }
    }
    out.append(utf8, plain_from);
}

void JsonWriter::separate() {
    if (!fresh_) out_ += ',';
    fresh_ = false;
}

JsonWriter& JsonWriter::begin_object() {
    separate();
    out_ += '{';
    fresh_ = true;
    return *this;
}

JsonWriter& JsonWriter::end_object() {
    out_ += '}';
    fresh_ = false;
    return *this;
}

JsonWriter& JsonWriter::begin_array() {
    separate();
    out_ += '[';
    fresh_ = true;
    return *this;
}

JsonWriter& JsonWriter::end_array() {
    out_ += ']';
    fresh_ = false;
    return *this;
}

JsonWriter& JsonWriter::name(std::string_view name) {
    separate();
    out_ += '"';
    append_escaped(out_, name);
    out_ += "\":";
    fresh_ = true;
    return *this;
}

JsonWriter& JsonWriter::text(std::string_view utf8) {
    separate();
    out_ += '"';
    append_escaped(out_, utf8);
    out_ += '"';
    return *this;
}

JsonWriter& JsonWriter::number(long long value) {
    separate();
    std::array<char, 24> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
    out_.append(digits.data(), end);
    return *this;
}

JsonWriter& JsonWriter::real(double value) {
    if (!std::isfinite(value)) return null();
    separate();
    std::array<char, 32> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
    out_.append(digits.data(), end);
    return *this;
}

JsonWriter& JsonWriter::boolean(bool value) {
    separate();
    out_ += value ? "true" : "false";
    return *this;
}

JsonWriter& JsonWriter::null() {
    separate();
    out_ += "null";
    return *this;
}

JsonWriter& JsonWriter::raw(std::string_view json) {
    separate();
    out_ += json;
    return *this;
}

}  // namespace belfry::model
