#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "text/jinja/failure.hpp"
#include "text/template.hpp"

namespace belfry::text::jinja {

enum class TokenKind : std::uint8_t {
    data,
    block_begin,
    block_end,
    variable_begin,
    variable_end,
    name,
    string,   // text is what stands between the quotes, escapes unresolved
    integer,  // text without underscores
    real,
    symbol,  // an operator or bracket
    end,
};

struct Token {
    TokenKind kind = TokenKind::end;
    std::string_view text;
    Place place;

    [[nodiscard]] bool is(TokenKind k) const { return kind == k; }
    [[nodiscard]] bool is_symbol(std::string_view s) const { return kind == TokenKind::symbol && text == s; }
    [[nodiscard]] bool is_name(std::string_view s) const { return kind == TokenKind::name && text == s; }
};

// A template's text with its line ends made \n, as tokens point into it. Ends with a token `end`. Comments are gone,
// white space around blocks is as the options and the signs want it.
std::string normalize_source(std::string_view source, const TemplateOptions& options);
std::vector<Token> lex(std::string_view normalized, const TemplateOptions& options);

}  // namespace belfry::text::jinja
