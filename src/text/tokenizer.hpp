#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.hpp"

namespace belfry::text {

// Counts the tokens of a language model by its own vocabulary. The file is of the kind that tiktoken reads: one token a
// line, its bytes as base64 and its rank, with a space between them.
//
// A text is split into words first, by hand, as the pattern of cl100k does; the first of these that fits is taken:
//   1. an apostrophe with s, t, m, d, re, ve or ll, in any case
//   2. letters, with one character before them that is no letter, digit or line end
//   3. one to three digits, of any script
//   4. signs that are none of these, with one space before them and any line ends behind them
//   5. white space up to its last line end
//   6. white space at the end of the text, or all but the last character of it before anything else
//   7. white space
// Then bytes are joined inside each word, the pair of the lowest rank first, until no pair is in the vocabulary. The
// time grows with the length of a word times its logarithm. Vocabularies with another pattern (o200k) are counted about
// right.
class Tokenizer {
public:
    static constexpr std::size_t file_bytes_max = 64 << 20;
    static constexpr std::size_t tokens_max = 2'000'000;
    static constexpr std::size_t token_bytes_max = 1024;

    // An error names the line.
    static base::Result<Tokenizer> read(std::string_view file);

    // Of valid UTF-8. Bytes that the vocabulary does not have are one token each.
    [[nodiscard]] std::int64_t count(std::string_view text) const;

    [[nodiscard]] std::size_t size() const { return ranks_.size(); }

private:
    struct Hash {
        using is_transparent = void;
        std::size_t operator()(std::string_view bytes) const { return std::hash<std::string_view>{}(bytes); }
    };
    using Ranks = std::unordered_map<std::string, std::uint32_t, Hash, std::equal_to<>>;

    explicit Tokenizer(Ranks ranks, std::size_t longest) : ranks_(std::move(ranks)), longest_(longest) {}
    // Nothing in the vocabulary: the highest number.
    [[nodiscard]] std::uint32_t rank_of(std::string_view bytes) const;
    [[nodiscard]] std::int64_t count_word(std::string_view word) const;

    Ranks ranks_;
    std::size_t longest_;  // bytes of the longest token
};

// The words of a text as a Tokenizer splits it; together they are the text.
[[nodiscard]] std::vector<std::string_view> split_for_tokens(std::string_view text);

}  // namespace belfry::text
