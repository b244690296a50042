#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/result.hpp"
#include "rules/assemble_memory.hpp"
#include "rules/model_tokens.hpp"
#include "text/tokenizer.hpp"

namespace belfry::daemon {

// How many tokens a text takes in the window of a model: as a file of ranks has it, or about that many. Summaries stand
// in one context of an agent after the other as they are, and are what is long in it: such texts are counted once and
// remembered, a few of them. Any thread may ask.
class TokenCounter {
public:
    static constexpr std::size_t long_bytes_min = 512;
    static constexpr std::size_t long_bytes_max = 8 << 10;  // longer ones are no summaries
    static constexpr std::size_t remembered_max = 256;

    explicit TokenCounter(rules::CountTokens estimate = rules::estimate_model_tokens)
        : estimate_(std::move(estimate)) {}

    // Before anybody counts.
    base::Result<void> read_ranks(const std::string& path);
    [[nodiscard]] std::int64_t count(std::string_view text);
    // What was told may have been erased: nothing of it stays here either.
    void forget();

private:
    struct Hash {
        using is_transparent = void;
        std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
    };
    [[nodiscard]] std::int64_t count_anew(std::string_view text) const;

    rules::CountTokens estimate_;
    std::optional<text::Tokenizer> tokenizer_;
    std::mutex mutex_;
    std::unordered_map<std::string, std::int64_t, Hash, std::equal_to<>> counted_;
};

}  // namespace belfry::daemon
