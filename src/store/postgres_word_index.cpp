#include "store/agent_message_row.hpp"
#include "store/word_index.hpp"

namespace belfry::store {
namespace {

constexpr Sql add_row{
    "INSERT INTO memory_words (rowid, words) VALUES ($1, array_to_tsvector(string_to_array(convert_from($2, 'UTF8'), "
    "' '))) ON CONFLICT (rowid) DO UPDATE SET words = excluded.words"};

std::string recall_text(bool in_threads) {
    // The index is asked first, on its own: for the sake of the order a whole table would be gone through.
    return "WITH w AS MATERIALIZED (SELECT rowid FROM memory_words WHERE words @@ CAST(convert_from($1, 'UTF8') AS "
           "tsquery)) SELECT " BELFRY_AGENT_MESSAGE_FIELDS BELFRY_WHOLE_CONTENT
           "FROM w JOIN agent_messages m ON m.position = w.rowid " BELFRY_JOIN_PAYLOADS "WHERE " +
           recall_conditions(in_threads);
}

class PostgresWordIndex final : public WordIndex {
public:
    [[nodiscard]] std::string_view schema() const override {
        return "CREATE TABLE memory_words (rowid BIGINT PRIMARY KEY, words TSVECTOR NOT NULL); "
               "CREATE INDEX memory_words_found ON memory_words USING gin (words)";
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
            if (!text.empty()) text += " & ";
            text += '\'';
            for (const char c : word) text.append(c == '\'' || c == '\\' ? 2 : 1, c);
            text += '\'';
        }
        return text;
    }

    // Its own vacuum does that.
    base::Result<bool> clean(Database&, std::int64_t) const override { return false; }
};

}  // namespace

const WordIndex& postgres_word_index() {
    static const PostgresWordIndex index;
    return index;
}

}  // namespace belfry::store
