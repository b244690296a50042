#include "rules/answer_json.hpp"

#include <algorithm>
#include <charconv>

namespace belfry::rules {
namespace {

constexpr int levels_max = 16;

bool is_hex(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

// How many bytes the character takes that begins here; 0: it is none (RFC 3629).
std::size_t character_bytes(std::string_view text) {
    const auto byte = [text](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
    const auto goes_on = [&byte](std::size_t i) { return (byte(i) & 0xC0U) == 0x80U; };
    const unsigned first = byte(0);
    if (first < 0x80) return 1;
    if (first < 0xC2 || first > 0xF4 || !goes_on(1)) return 0;
    if (first < 0xE0) return 2;
    if (!goes_on(2)) return 0;
    if (first < 0xF0) {
        const bool is_long = first == 0xE0 && byte(1) < 0xA0;
        const bool is_half = first == 0xED && byte(1) > 0x9F;
        return is_long || is_half ? 0 : 3;
    }
    const bool is_outside = (first == 0xF0 && byte(1) < 0x90) || (first == 0xF4 && byte(1) > 0x8F);
    return is_outside || !goes_on(3) ? 0 : 4;
}

class Scan {
public:
    Scan(std::string_view text, std::size_t at) : text_(text), at_(at) {}

    [[nodiscard]] std::size_t at() const { return at_; }

    bool value(int level) {
        skip_space();
        switch (peek()) {
            case '{': return container(level, '}');
            case '[': return container(level, ']');
            case '"': return string();
            case 't': return word("true");
            case 'f': return word("false");
            case 'n': return word("null");
            default: return number();
        }
    }

private:
    [[nodiscard]] char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
    [[nodiscard]] std::string_view rest() const { return text_.substr(at_); }

    void skip_space() {
        while (peek() == ' ' || peek() == '\t' || peek() == '\n' || peek() == '\r') ++at_;
    }

    bool word(std::string_view wanted) {
        if (!rest().starts_with(wanted)) return false;
        at_ += wanted.size();
        return true;
    }

    bool container(int level, char close) {
        if (level == levels_max) return false;
        ++at_;
        skip_space();
        if (peek() == close) return word({&close, 1});
        while (true) {
            if (close == '}' && !name()) return false;
            if (!value(level + 1)) return false;
            skip_space();
            if (peek() == close) return word({&close, 1});
            if (!word(",")) return false;
        }
    }

    bool name() {
        skip_space();
        if (peek() != '"' || !string()) return false;
        skip_space();
        return word(":");
    }

    bool string() {
        ++at_;
        while (at_ < text_.size() && text_[at_] != '"') {
            const std::size_t bytes = text_[at_] == '\\' ? escape_bytes() : character_bytes(rest());
            if (bytes == 0) return false;
            at_ += bytes;
        }
        return word("\"");
    }

    // Of the escape that begins here; 0: it is none, or half a character.
    [[nodiscard]] std::size_t escape_bytes() const {
        const std::string_view escape = rest();
        if (escape.size() < 2) return 0;
        if (std::string_view("\"\\/bfnrt").find(escape[1]) != std::string_view::npos) return 2;
        const int unit = unit_at(escape);
        if (unit < 0) return 0;
        if (unit < 0xD800 || unit > 0xDFFF) return 6;
        const int low = unit < 0xDC00 && escape.size() > 6 ? unit_at(escape.substr(6)) : -1;
        return low >= 0xDC00 && low <= 0xDFFF ? 12 : 0;
    }

    static int unit_at(std::string_view escape) {
        if (escape.size() < 6 || !escape.starts_with("\\u")) return -1;
        const std::string_view digits = escape.substr(2, 4);
        if (!std::ranges::all_of(digits, is_hex)) return -1;
        int unit = 0;
        std::from_chars(digits.data(), digits.data() + digits.size(), unit, 16);
        return unit;
    }

    bool number() {
        const std::size_t end = std::min(text_.find_first_not_of("+-.0123456789eE", at_), text_.size());
        const bool is_one = end > at_ && (peek() == '-' || (peek() >= '0' && peek() <= '9'));
        at_ = end;
        return is_one;
    }

    std::string_view text_;
    std::size_t at_;
};

}  // namespace

std::optional<model::JsonView> object_at(std::string_view text, std::size_t at) {
    if (at >= text.size() || text[at] != '{') return std::nullopt;
    Scan scan(text, at);
    if (!scan.value(0)) return std::nullopt;
    return model::JsonView{text.substr(at, scan.at() - at)};
}

}  // namespace belfry::rules
