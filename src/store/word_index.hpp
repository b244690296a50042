#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "store/database.hpp"

namespace belfry::store {

// The table memory_words: by which words messages are found, under their positions as `rowid`. Each database brings an
// index of its own for that; what is a word was decided before, so that both find the same.
class WordIndex {
public:
    // Threads that one question names; where there are fewer, the last one stands in the places that are left.
    static constexpr std::size_t threads_max = 64;

    virtual ~WordIndex() = default;
    [[nodiscard]] virtual std::string_view schema() const = 0;
    // Adds or replaces: $1 the position, $2 the words with spaces between them.
    [[nodiscard]] virtual const Sql& add() const = 0;
    // Whole messages, the newest first: $1 the question, $2 the agent, $3 the kind or -1, $4 from and $5 before a
    // time, $6 how many; from $7 on threads, where only those of some are asked for.
    [[nodiscard]] virtual const Sql& recall(bool in_threads) const = 0;
    // What $1 of that is, for messages that have each of these words.
    [[nodiscard]] virtual std::string question(std::span<const std::string> words) const = 0;
    // In a transaction, and about so many pages of work: makes unreadable what is left of removed words. Tells whether
    // there is more to do.
    virtual base::Result<bool> clean(Database& database, std::int64_t pages) const = 0;

protected:
    WordIndex() = default;
    WordIndex(const WordIndex&) = default;
    WordIndex& operator=(const WordIndex&) = default;
};

const WordIndex& sqlite_word_index();
const WordIndex& postgres_word_index();

// What both ask of the messages `m` that were found by their words `w`.
[[nodiscard]] std::string recall_conditions(bool in_threads);

}  // namespace belfry::store
