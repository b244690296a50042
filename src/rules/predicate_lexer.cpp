#include "rules/predicate_lexer.hpp"

#include <algorithm>
#include <charconv>

#include "model/raw_json.hpp"

namespace belfry::rules {
namespace {

using Kind = PredicateToken::Kind;

constexpr std::size_t shown_max = 40;

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

bool begins_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool continues_name(char c) {
    return begins_name(c) || is_digit(c) || c == '-';
}

bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

// The code unit of `\uXXXX` at this place; nothing where there is none.
std::optional<unsigned> unit_at(std::string_view text, std::size_t at) {
    const std::string_view escape = text.substr(std::min(at, text.size()), 6);
    if (escape.size() < 6 || !escape.starts_with("\\u")) return std::nullopt;
    unsigned unit = 0;
    const char* end = escape.data() + escape.size();
    const auto read = std::from_chars(escape.data() + 2, end, unit, 16);
    if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
    return unit;
}

bool is_high(unsigned unit) {
    return unit >= 0xD800 && unit < 0xDC00;
}

bool is_low(unsigned unit) {
    return unit >= 0xDC00 && unit < 0xE000;
}

}  // namespace

bool is_predicate_name(std::string_view text) {
    return !text.empty() && begins_name(text.front()) && std::ranges::all_of(text, continues_name);
}

std::string PredicateToken::shown() const {
    switch (kind) {
        case Kind::end: return "the end";
        case Kind::text: return "a text";
        case Kind::number: return "a number";
        default: break;
    }
    if (source.size() > shown_max) return "a long name";
    return std::string("'").append(source).append("'");
}

base::Result<PredicateToken> PredicateLexer::next() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
    if (at_ == text_.size()) return take(Kind::end, at_);
    const char c = text_[at_];
    if (c == '"' || c == '\'') return read_text();
    if (c == '-' || is_digit(c)) return read_number();
    if (!begins_name(c)) return read_symbol();
    std::size_t end = at_;
    while (end < text_.size() && continues_name(text_[end])) ++end;
    return take(Kind::name, end);
}

base::Error PredicateLexer::refused(std::size_t at, std::string_view message) const {
    const auto is_first_byte = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; };
    const auto characters = std::ranges::count_if(text_.substr(0, at), is_first_byte);
    return base::error(base::Code::invalid,
                       std::string("at character ").append(std::to_string(characters + 1)).append(": ").append(message),
                       "predicate");
}

base::Result<PredicateToken> PredicateLexer::read_text() {
    const char quote = text_[at_];
    std::string value;
    std::size_t end = at_ + 1;
    while (true) {
        if (end == text_.size()) return refused(at_, "this text has no closing quote");
        const char c = text_[end];
        if (c == quote) break;
        if (static_cast<unsigned char>(c) < 0x20) {
            return refused(end, "a control character must be written as an escape such as \\n");
        }
        if (c == '\\') {
            TRY_ASSIGN(end, append_escape(value, end));
        } else {
            value += c;
            ++end;
        }
    }
    PredicateToken token = take(Kind::text, end + 1);
    token.text = std::move(value);
    return token;
}

// Returns where the escape ends.
base::Result<std::size_t> PredicateLexer::append_escape(std::string& out, std::size_t at) const {
    const char c = at + 1 < text_.size() ? text_[at + 1] : '\0';
    if (c == '\'') {
        out += c;
        return at + 2;
    }
    std::size_t end = at + 2;
    if (c == 'u') {
        const auto unit = unit_at(text_, at);
        if (!unit) return refused(at, "expected four hexadecimal digits after \\u");
        end = at + 6;
        if (is_high(*unit) || is_low(*unit)) {
            const auto second = unit_at(text_, end);
            if (is_low(*unit) || !second || !is_low(*second)) return refused(at, "this is half of a surrogate pair");
            end += 6;
        }
    } else if (c == '\0' || std::string_view("\"\\/bfnrt").find(c) == std::string_view::npos) {
        return refused(at, R"(there is no such escape: \" \' \\ \/ \b \f \n \r \t and \uXXXX are known)");
    }
    const std::string json = std::string("\"").append(text_.substr(at, end - at)).append("\"");
    out += model::JsonView{json}.as_text();
    return end;
}

std::size_t PredicateLexer::skip_digits(std::size_t at) const {
    while (at < text_.size() && is_digit(text_[at])) ++at;
    return at;
}

base::Result<PredicateToken> PredicateLexer::read_number() {
    std::size_t end = at_ + (text_[at_] == '-' ? 1 : 0);
    const std::size_t integer = end;
    end = end < text_.size() && text_[end] == '0' ? end + 1 : skip_digits(end);
    if (end == integer) return refused(end, "expected a digit after '-'");
    if (end < text_.size() && text_[end] == '.') {
        const std::size_t fraction = end + 1;
        end = skip_digits(fraction);
        if (end == fraction) return refused(end, "expected a digit after the point");
    }
    if (end < text_.size() && (text_[end] == 'e' || text_[end] == 'E')) {
        std::size_t exponent = end + 1;
        if (exponent < text_.size() && (text_[exponent] == '+' || text_[exponent] == '-')) ++exponent;
        end = skip_digits(exponent);
        if (end == exponent) return refused(end, "expected a digit of the exponent");
    }
    if (end < text_.size() && continues_name(text_[end])) return refused(at_, "this is no number");
    return take(Kind::number, end);
}

base::Result<PredicateToken> PredicateLexer::read_symbol() {
    for (const std::string_view symbol : {"==", "!=", "<=", ">=", "<", ">", "(", ")", "[", "]", ",", "."}) {
        if (text_.substr(at_).starts_with(symbol)) return take(Kind::symbol, at_ + symbol.size());
    }
    switch (text_[at_]) {
        case '=': return refused(at_, "'=' has no meaning: equality is ==");
        case '!': return refused(at_, "'!' has no meaning: write not, or !=");
        case '&': return refused(at_, "'&' has no meaning: write and");
        case '|': return refused(at_, "'|' has no meaning: write or");
        default: return refused(at_, "this character has no meaning outside of a text in quotes");
    }
}

PredicateToken PredicateLexer::take(Kind kind, std::size_t end) {
    PredicateToken token;
    token.kind = kind;
    token.at = at_;
    token.source = text_.substr(at_, end - at_);
    at_ = end;
    return token;
}

}  // namespace belfry::rules
