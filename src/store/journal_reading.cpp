#include "store/journal_reading.hpp"

#include "store/journal_list.hpp"
#include "store/journal_row.hpp"
#include "store/journal_scope.hpp"
#include "store/journal_table.hpp"
#include "store/snapshot.hpp"

namespace belfry::store {
namespace {

using model::JournalRecord;

// From one term to the next, whatever stands under it.
constexpr Sql select_terms{
    "WITH RECURSIVE found(term) AS (SELECT (SELECT term FROM journal_terms WHERE user_id = $1 AND term >= $2 ORDER BY "
    "term LIMIT 1) UNION ALL SELECT (SELECT t.term FROM journal_terms t WHERE t.user_id = $1 AND t.term > found.term "
    "ORDER BY t.term LIMIT 1) FROM found WHERE found.term < $3) SELECT term FROM found WHERE term < $3 LIMIT $4"};
constexpr Sql select_any{"SELECT 1 FROM journal_directory WHERE user_id = $1 LIMIT 1"};
const std::string after_text = "SELECT kind, number FROM journal_directory WHERE user_id = $1 AND number > $2";

// What comes after everything that begins so.
std::string end_of(std::string_view prefix) {
    std::string end(prefix);
    while (!end.empty() && end.back() == '\xff') end.pop_back();
    if (!end.empty()) end.back() = static_cast<char>(end.back() + 1);
    return end;
}

}  // namespace

base::Result<std::vector<JournalRecord>> SqlJournalReading::find(std::string_view user_id,
                                                                 std::span<const std::string> ids,
                                                                 const ports::JournalScope& categories) {
    const Snapshot snapshot(database_);
    if (!snapshot.begun().ok()) return snapshot.begun().error();
    return find_records(database_, user_id, ids, categories);
}

base::Result<ports::JournalPage> SqlJournalReading::list(const ports::JournalFilter& filter) {
    const Snapshot snapshot(database_);
    if (!snapshot.begun().ok()) return snapshot.begun().error();
    return list_records(database_, filter);
}

base::Result<std::vector<std::string>> SqlJournalReading::terms_from(std::string_view user_id, std::string_view prefix,
                                                                     std::size_t limit) {
    const std::string end = end_of(prefix);
    std::vector<std::string> terms;
    TRY(database_.run(select_terms, {bytes(user_id), bytes(prefix), bytes(end), number(std::uint64_t{limit})},
                      [&](const Row& row) { terms.emplace_back(row.bytes(0)); }));
    return terms;
}

base::Result<std::vector<JournalRecord>> SqlJournalReading::records_after(std::string_view user_id, std::int64_t number,
                                                                          const ports::JournalScope& categories,
                                                                          std::size_t limit) {
    static const MadeSql of_all(after_text + " ORDER BY number LIMIT $3");
    static const MadeSql of_some(after_text + scope_condition("category_id", 4) + " ORDER BY number LIMIT $3");
    TRY(check_scope(categories));
    if (is_empty(categories)) return std::vector<JournalRecord>{};
    std::vector<Param> params{bytes(user_id), store::number(number), store::number(std::uint64_t{limit})};
    if (categories) add_scope(params, *categories);
    const Snapshot snapshot(database_);
    if (!snapshot.begun().ok()) return snapshot.begun().error();
    std::vector<JournalAddress> addresses;
    TRY(database_.run(categories ? of_some : of_all, params, [&](const Row& row) {
        addresses.push_back({static_cast<model::JournalKind>(row.number(0)), row.number(1)});
    }));
    return read_in_order(database_, addresses);
}

base::Result<bool> SqlJournalReading::holds_anything(std::string_view user_id) {
    bool holds = false;
    TRY(database_.run(select_any, {bytes(user_id)}, [&](const Row&) { holds = true; }));
    return holds;
}

}  // namespace belfry::store
