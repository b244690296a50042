#include "store/agent_message_row.hpp"
#include "store/word_index.hpp"

namespace belfry::store {
namespace {

constexpr Sql add_row{"INSERT OR REPLACE INTO memory_words (rowid, words) VALUES ($1, CAST($2 AS TEXT))"};
constexpr Sql merge{"INSERT INTO memory_words (memory_words, rank) VALUES ('merge', $1)"};
constexpr Sql select_segments{
    "SELECT (SELECT min(segid) FROM memory_words_idx), (SELECT max(segid) FROM memory_words_idx)"};

std::string recall_text(bool in_threads) {
    // Gone along from the newest match on: the messages are looked at until there are enough.
    return "SELECT " BELFRY_AGENT_MESSAGE_FIELDS BELFRY_WHOLE_CONTENT
           "FROM memory_words w CROSS JOIN agent_messages m ON m.position = w.rowid " BELFRY_JOIN_PAYLOADS
           "WHERE w.memory_words MATCH CAST($1 AS TEXT) AND " +
           recall_conditions(in_threads);
}

class SqliteWordIndex final : public WordIndex {
public:
    // The words are kept beside the index: only a newer FTS5 than many systems have can remove a row without them. With
    // eight segments merged at a time, and not four as it would be, adding cost the same at 10,000 and at 1,000,000.
    [[nodiscard]] std::string_view schema() const override {
        return "CREATE VIRTUAL TABLE memory_words USING fts5 (words, detail = none, columnsize = 0, tokenize = "
               "'ascii'); INSERT INTO memory_words (memory_words, rank) VALUES ('automerge', 8)";
    }

    [[nodiscard]] const Sql& add() const override { return add_row; }

    [[nodiscard]] const Sql& recall(bool in_threads) const override {
        static const MadeSql of_all(recall_text(false));
        static const MadeSql of_some(recall_text(true));
        return in_threads ? of_some : of_all;
    }

    [[nodiscard]] std::string question(std::span<const std::string> words) const override {
        std::string text;
        for (const std::string& word : words) {
            if (!text.empty()) text += " AND ";
            text += '"';
            for (const char c : word) text.append(c == '"' ? 2 : 1, c);
            text += '"';
        }
        return text;
    }

    // A removal only adds to the index; what it hides goes when all segments have become one. Those of this transaction
    // are written with the end of a savepoint.
    base::Result<bool> clean(Database& database, std::int64_t pages) const override {
        TRY(database.script("SAVEPOINT words; RELEASE SAVEPOINT words"));
        TRY(database.run(merge, {number(-pages)}));
        bool is_one = true;
        TRY(database.run(select_segments, {},
                         [&](const Row& row) { is_one = row.is_null(0) || row.number(0) == row.number(1); }));
        return !is_one;
    }
};

}  // namespace

const WordIndex& sqlite_word_index() {
    static const SqliteWordIndex index;
    return index;
}

}  // namespace belfry::store
