#include "store/memory_words.hpp"

#include <algorithm>
#include <limits>

#include "base/hash.hpp"
#include "store/agent_message_row.hpp"
#include "store/word_index.hpp"

namespace belfry::store {
namespace {

constexpr std::int64_t clean_pages_first = 256;  // a page has about four kilobytes

constexpr Sql select_watermark{"SELECT indexed_to, index_until, clean_pages FROM memory_index WHERE id = 1"};
constexpr Sql update_watermark{"UPDATE memory_index SET indexed_to = $1 WHERE id = 1"};
constexpr Sql update_clean{"UPDATE memory_index SET clean_pages = $1 WHERE id = 1"};
constexpr Sql note_unclean{"UPDATE memory_index SET clean_pages = $1 WHERE id = 1 AND clean_pages = 0"};
constexpr Sql select_older{BELFRY_WHOLE_MESSAGES
                           "WHERE m.position > $1 AND m.position <= $2 ORDER BY m.position LIMIT $3"};

struct Watermark {
    std::int64_t indexed_to = 0;
    std::int64_t index_until = 0;
    std::int64_t clean_pages = 0;
};

base::Result<Watermark> read_watermark(Database& database) {
    Watermark mark;
    TRY(database.run(select_watermark, {},
                     [&](const Row& row) { mark = {row.number(0), row.number(1), row.number(2)}; }));
    return mark;
}

// A word that all of an agent's messages have, so that one question to the index finds only those. That it is told from
// words that people say is a matter of speed alone: whose a message is is looked at in any case.
std::string agent_word(std::string_view agent_id) {
    static constexpr std::string_view digits = "0123456789abcdef";
    const base::Sha256 hash = base::sha256(agent_id);
    std::string word = "a";
    for (std::size_t i = 0; i < 8; ++i) {
        word += digits[hash[i] >> 4U];
        word += digits[hash[i] & 0xFU];
    }
    return word;
}

std::vector<Param> params_of(const ports::RecallFilter& filter, std::string_view question,
                             std::span<const std::string> threads) {
    std::vector<Param> params{bytes(question),
                              bytes(filter.agent_id),
                              filter.kind ? choice(*filter.kind) : number(std::int64_t{-1}),
                              number(filter.from.value_or(base::Timestamp{std::numeric_limits<std::int64_t>::min()})),
                              number(filter.before.value_or(base::Timestamp{std::numeric_limits<std::int64_t>::max()})),
                              number(std::uint64_t{filter.limit})};
    if (threads.empty()) return params;
    for (std::size_t i = 0; i < WordIndex::threads_max; ++i) {
        params.push_back(bytes(i < threads.size() ? threads[i] : threads.back()));
    }
    return params;
}

}  // namespace

base::Result<void> add_words(Database& database, std::span<const ports::MemoryTable::Words> messages) {
    if (messages.empty()) return {};
    std::vector<std::string> texts;
    std::vector<std::vector<Param>> rows;
    texts.reserve(messages.size());
    rows.reserve(messages.size());
    for (const ports::MemoryTable::Words& message : messages) {
        std::string& text = texts.emplace_back(agent_word(message.agent_id));
        for (const std::string& word : message.words) text.append(" ").append(word);
        rows.push_back({number(message.position), bytes(text)});
    }
    return database.run_many(database.dialect().words().add(), rows, {});
}

base::Result<std::vector<model::AgentMessage>> find_words(Database& database, const ports::RecallFilter& filter) {
    const WordIndex& index = database.dialect().words();
    std::vector<std::string> words{agent_word(filter.agent_id)};
    words.insert(words.end(), filter.words.begin(), filter.words.end());
    const std::string question = index.question(words);
    const bool in_threads = !filter.threads.empty();
    std::vector<model::AgentMessage> found;
    std::span<const std::string> threads = filter.threads;
    do {
        const auto some = threads.first(std::min(threads.size(), WordIndex::threads_max));
        threads = threads.subspan(some.size());
        Collector<model::AgentMessage, model::AgentMessage (*)(RowReader&)> rows(read_agent_message);
        TRY(database.run(index.recall(in_threads), params_of(filter, question, some), rows.sink()));
        TRY_ASSIGN(std::vector<model::AgentMessage> messages, rows.take("agent_messages"));
        std::ranges::move(messages, std::back_inserter(found));
    } while (!threads.empty());
    std::ranges::sort(found, std::greater(), &model::AgentMessage::position);
    if (found.size() > filter.limit) found.resize(filter.limit);
    return found;
}

base::Result<std::size_t> index_older(Database& database, std::size_t limit, ports::MemoryTable::WordsOf words_of) {
    TRY_ASSIGN(const Watermark mark, read_watermark(database));
    if (mark.indexed_to >= mark.index_until || limit == 0) return std::size_t{0};
    TRY_ASSIGN(
        const std::vector<model::AgentMessage> older,
        select(database, "agent_messages", select_older,
               {number(mark.indexed_to), number(mark.index_until), number(std::uint64_t{limit})}, read_agent_message));
    std::vector<ports::MemoryTable::Words> words;
    for (const model::AgentMessage& message : older) {
        if (message.kind == model::AgentMessageKind::summary) continue;
        words.push_back({message.position, message.agent_id, words_of(message)});
    }
    TRY(add_words(database, words));
    const bool is_end = older.size() < limit;
    TRY(database.run(update_watermark, {number(is_end ? mark.index_until : older.back().position)}));
    return older.size();
}

base::Result<void> note_removed_words(Database& database) {
    TRY(database.run(note_unclean, {number(clean_pages_first)}));
    return {};
}

base::Result<bool> clean_words(Database& database) {
    TRY_ASSIGN(const Watermark mark, read_watermark(database));
    if (mark.clean_pages == 0) return false;
    TRY_ASSIGN(const bool has_more, database.dialect().words().clean(database, mark.clean_pages));
    TRY(database.run(update_clean, {number(has_more ? mark.clean_pages * 2 : std::int64_t{0})}));
    return true;
}

}  // namespace belfry::store
