#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace belfry::rules {

// `branch`, `tool_name`, `exit-code`: a letter or `_`, then letters, digits, `_` and `-`. Words of the language are
// names, too: where one may stand, nothing else may.
bool is_predicate_name(std::string_view text);

struct PredicateToken {
    enum class Kind : std::uint8_t { end, name, text, number, symbol };

    Kind kind = Kind::end;
    std::string_view source;  // as it is written
    std::string text;         // of a text: what it stands for
    std::size_t at = 0;       // where it begins, in bytes

    [[nodiscard]] bool is(Kind of, std::string_view written) const { return kind == of && source == written; }
    [[nodiscard]] bool is_word(std::string_view word) const { return is(Kind::name, word); }
    [[nodiscard]] bool is_symbol(std::string_view symbol) const { return is(Kind::symbol, symbol); }
    // For a refusal: `'foo'`, `a text`, `the end`.
    [[nodiscard]] std::string shown() const;
};

// Cuts a predicate into its tokens.
class PredicateLexer {
public:
    explicit PredicateLexer(std::string_view text) : text_(text) {}

    base::Result<PredicateToken> next();

    // A refusal that names the place, as the number of its character from 1 on.
    [[nodiscard]] base::Error refused(std::size_t at, std::string_view message) const;

private:
    base::Result<PredicateToken> read_text();
    base::Result<std::size_t> append_escape(std::string& out, std::size_t at) const;
    base::Result<PredicateToken> read_number();
    base::Result<PredicateToken> read_symbol();
    [[nodiscard]] std::size_t skip_digits(std::size_t at) const;
    PredicateToken take(PredicateToken::Kind kind, std::size_t end);

    std::string_view text_;
    std::size_t at_ = 0;
};

}  // namespace belfry::rules
