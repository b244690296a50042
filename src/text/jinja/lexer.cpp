#include "text/jinja/lexer.hpp"

#include <algorithm>

#include "text/unicode.hpp"

namespace belfry::text::jinja {
namespace {

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}
bool is_name_char(char c) {
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           static_cast<unsigned char>(c) >= 0x80;
}

class Lexer {
public:
    Lexer(std::string_view source, const TemplateOptions& options) : source_(source), options_(options) {}

    std::vector<Token> run() {
        while (at_ < source_.size()) {
            const std::size_t open = find_opening(at_);
            if (open == std::string_view::npos) {
                data(source_.substr(at_));
                break;
            }
            opening(open);
        }
        at_ = source_.size();
        add(TokenKind::end, source_.size(), 0);
        return std::move(tokens_);
    }

private:
    // Line and column of an offset. Offsets come in rising order, but for that of a failure.
    Place place(std::size_t offset) {
        if (offset < placed_) {
            placed_ = 0;
            counted_ = {1, 1};
        }
        for (; placed_ < offset; ++placed_) {
            if (source_[placed_] == '\n') {
                counted_ = {counted_.line + 1, 1};
            } else if ((static_cast<unsigned char>(source_[placed_]) & 0xC0U) != 0x80) {
                ++counted_.column;
            }
        }
        return counted_;
    }

    void add(TokenKind kind, std::size_t offset, std::size_t size) {
        tokens_.push_back({kind, source_.substr(offset, size), place(offset)});
    }

    void data(std::string_view text) {
        if (text.empty()) return;
        tokens_.push_back({TokenKind::data, text, place(static_cast<std::size_t>(text.data() - source_.data()))});
    }

    [[nodiscard]] std::size_t find_opening(std::size_t from) const {
        for (std::size_t i = source_.find('{', from); i != std::string_view::npos && i + 1 < source_.size();
             i = source_.find('{', i + 1)) {
            if (source_[i + 1] == '{' || source_[i + 1] == '%' || source_[i + 1] == '#') return i;
        }
        return std::string_view::npos;
    }

    [[nodiscard]] bool stands(std::size_t at, std::string_view text) const {
        return source_.substr(at).starts_with(text);
    }

    [[nodiscard]] std::size_t skip_space(std::size_t at) const {
        return source_.size() - strip_left(source_.substr(at)).size();
    }

    // The text before an opening, stripped as its sign and the options say.
    std::string_view stripped(std::string_view text, char sign, bool variable) const {
        if (sign == '-') return strip_right(text);
        if (sign == '+' || variable || !options_.lstrip_blocks) return text;
        const std::size_t newline = text.rfind('\n');
        const std::size_t from = newline == std::string_view::npos ? 0 : newline + 1;
        if (newline == std::string_view::npos && !line_starting_) return text;
        return all_space(text.substr(from)) ? text.substr(0, from) : text;
    }

    [[nodiscard]] char sign_at(std::size_t at) const {
        return at < source_.size() && (source_[at] == '-' || source_[at] == '+') ? source_[at] : '\0';
    }

    void opening(std::size_t open) {
        const char kind = source_[open + 1];
        const char sign = sign_at(open + 2);
        data(stripped(source_.substr(at_, open - at_), sign, kind == '{'));
        line_starting_ = false;
        const std::size_t inside = open + (sign == '\0' ? 2 : 3);
        if (kind == '#') {
            comment(open, inside);
        } else if (kind == '%' && raw(inside)) {
            return;
        } else {
            add(kind == '%' ? TokenKind::block_begin : TokenKind::variable_begin, open, 2);
            at_ = inside;
            code(kind == '%');
        }
    }

    // Past an ending such as `-%}`, `+%}` or `%}` at `at`, with what it takes along; npos where none is.
    [[nodiscard]] std::size_t ending(std::size_t at, std::string_view close, bool block) const {
        if (block && stands(at, "+") && stands(at + 1, close)) return at + 1 + close.size();
        if (stands(at, "-") && stands(at + 1, close)) return skip_space(at + 1 + close.size());
        if (!stands(at, close)) return std::string_view::npos;
        at += close.size();
        return block && options_.trim_blocks && stands(at, "\n") ? at + 1 : at;
    }

    void finish(std::size_t at) {
        at_ = at;
        line_starting_ = at > 0 && source_[at - 1] == '\n';
    }

    void comment(std::size_t open, std::size_t inside) {
        for (std::size_t close = source_.find("#}", inside); close != std::string_view::npos;) {
            const bool signed_close = close > inside && (source_[close - 1] == '-' || source_[close - 1] == '+');
            finish(ending(signed_close ? close - 1 : close, "#}", true));
            return;
        }
        fail("Missing end of comment tag", place(open));
    }

    // {% raw %} … {% endraw %}: false, if it is not one.
    bool raw(std::size_t inside) {
        std::size_t at = skip_space(inside);
        if (!stands(at, "raw")) return false;
        at = skip_space(at + 3);
        if (stands(at, "-%}")) {
            at = skip_space(at + 3);
        } else if (stands(at, "%}")) {
            at += 2;
        } else {
            return false;
        }
        line_starting_ = source_[at - 1] == '\n';
        for (std::size_t open = source_.find("{%", at); open != std::string_view::npos;
             open = source_.find("{%", open + 1)) {
            const char sign = sign_at(open + 2);
            std::size_t name = skip_space(open + (sign == '\0' ? 2 : 3));
            if (!stands(name, "endraw")) continue;
            const std::size_t end = ending(skip_space(name + 6), "%}", true);
            if (end == std::string_view::npos) continue;
            data(stripped(source_.substr(at, open - at), sign, false));
            finish(end);
            return true;
        }
        fail("Missing end of raw directive", place(inside));
    }

    void code(bool block) {
        const std::size_t from = at_;
        brackets_.clear();
        while (true) {
            at_ = skip_space(at_);
            if (at_ >= source_.size()) fail("unexpected end of template inside a tag", place(from));
            if (brackets_.empty()) {
                const std::size_t end = ending(at_, block ? "%}" : "}}", block);
                if (end != std::string_view::npos) {
                    add(block ? TokenKind::block_end : TokenKind::variable_end, at_, 2);
                    finish(end);
                    return;
                }
            }
            token();
        }
    }

    void token() {
        const char c = source_[at_];
        if (is_digit(c)) {
            number();
        } else if (is_name_char(c)) {
            const std::size_t from = at_;
            while (at_ < source_.size() && is_name_char(source_[at_])) ++at_;
            add(TokenKind::name, from, at_ - from);
        } else if (c == '"' || c == '\'') {
            quoted(c);
        } else {
            symbol();
        }
    }

    void quoted(char quote) {
        const std::size_t from = at_++;
        while (at_ < source_.size() && source_[at_] != quote) at_ += source_[at_] == '\\' ? 2 : 1;
        if (at_ >= source_.size()) fail("a string without its closing quote", place(from));
        add(TokenKind::string, from + 1, at_ - from - 1);
        ++at_;
    }

    // Digits with single underscores between them, from `at`; returns where they end.
    [[nodiscard]] std::size_t digits(std::size_t at) const {
        while (at < source_.size() && (is_digit(source_[at]) ||
                                       (source_[at] == '_' && at + 1 < source_.size() && is_digit(source_[at + 1])))) {
            ++at;
        }
        return at;
    }

    void number() {
        const std::size_t from = at_;
        std::size_t end = digits(from);
        bool real = false;
        // `a.1.2` has two indexes, not the number 1.2.
        const bool after_dot = from > 0 && source_[from - 1] == '.';
        if (!after_dot && end + 1 < source_.size() && source_[end] == '.' && is_digit(source_[end + 1])) {
            end = digits(end + 1);
            real = true;
        }
        if (!after_dot && end < source_.size() && (source_[end] == 'e' || source_[end] == 'E')) {
            std::size_t exponent = end + 1;
            if (exponent < source_.size() && (source_[exponent] == '+' || source_[exponent] == '-')) ++exponent;
            if (exponent < source_.size() && is_digit(source_[exponent])) {
                end = digits(exponent);
                real = true;
            }
        }
        if (!real) end = integer_end(from);
        add(real ? TokenKind::real : TokenKind::integer, from, end - from);
        at_ = end;
    }

    // 0b1, 0o7, 0xF, 12, or a zero by itself: digits after a leading zero are another number.
    [[nodiscard]] std::size_t integer_end(std::size_t from) const {
        if (source_[from] != '0') return digits(from);
        const char base = from + 1 < source_.size() ? static_cast<char>(source_[from + 1] | 0x20) : '\0';
        const auto fits = [&](char c) {
            const auto lower = static_cast<char>(c | 0x20);
            if (base == 'b') return c == '0' || c == '1';
            if (base == 'o') return c >= '0' && c <= '7';
            return is_digit(c) || (lower >= 'a' && lower <= 'f');
        };
        if (base == 'b' || base == 'o' || base == 'x') {
            std::size_t at = from + 2;
            while (at < source_.size() &&
                   (fits(source_[at]) || (source_[at] == '_' && at + 1 < source_.size() && fits(source_[at + 1]))))
                ++at;
            if (at > from + 2) return at;
        }
        std::size_t at = from + 1;
        while (at < source_.size() &&
               (source_[at] == '0' || (source_[at] == '_' && at + 1 < source_.size() && source_[at + 1] == '0')))
            ++at;
        return at;
    }

    void symbol() {
        static constexpr std::string_view pairs[] = {"**", "//", "==", "!=", ">=", "<="};
        for (const std::string_view pair : pairs) {
            if (!stands(at_, pair)) continue;
            add(TokenKind::symbol, at_, 2);
            at_ += 2;
            return;
        }
        const char c = source_[at_];
        if (std::string_view("+-/*%~[](){}><=.:|,;").find(c) == std::string_view::npos) {
            fail("unexpected char '" + std::string(1, c) + "'", place(at_));
        }
        if (c == '{' || c == '(' || c == '[') {
            brackets_.push_back(c == '{' ? '}' : c == '(' ? ')' : ']');
        } else if (c == '}' || c == ')' || c == ']') {
            if (brackets_.empty()) fail("unexpected '" + std::string(1, c) + "'", place(at_));
            if (brackets_.back() != c)
                fail("unexpected '" + std::string(1, c) + "', expected '" + brackets_.back() + "'", place(at_));
            brackets_.pop_back();
        }
        add(TokenKind::symbol, at_, 1);
        ++at_;
    }

    std::string_view source_;
    TemplateOptions options_;
    std::vector<Token> tokens_;
    std::string brackets_;
    std::size_t at_ = 0;
    bool line_starting_ = true;
    std::size_t placed_ = 0;
    Place counted_{1, 1};  // of placed_
};

}  // namespace

std::string normalize_source(std::string_view source, const TemplateOptions& options) {
    std::string out;
    out.reserve(source.size());
    for (std::size_t i = 0; i < source.size(); ++i) {
        if (source[i] != '\r') {
            out += source[i];
            continue;
        }
        out += '\n';
        if (i + 1 < source.size() && source[i + 1] == '\n') ++i;
    }
    if (!options.keep_trailing_newline && out.ends_with('\n')) out.pop_back();
    return out;
}

std::vector<Token> lex(std::string_view normalized, const TemplateOptions& options) {
    return Lexer(normalized, options).run();
}

}  // namespace belfry::text::jinja
