#include "store/journal_table.hpp"

#include <algorithm>
#include <array>
#include <deque>

#include "store/journal_list.hpp"
#include "store/journal_row.hpp"
#include "store/link_row.hpp"

namespace belfry::store {
namespace {

using model::JournalRecord;
using model::Link;

constexpr Sql select_address{"SELECT kind, number, category_id FROM journal_directory WHERE user_id = $1 AND id = $2"};
constexpr Sql upsert_address{
    "INSERT INTO journal_directory (user_id, id, kind, number, category_id, deleted) VALUES ($1, $2, $3, $4, $5, $6) "
    "ON CONFLICT (user_id, id) DO UPDATE SET category_id = excluded.category_id, deleted = excluded.deleted WHERE "
    "journal_directory.category_id <> excluded.category_id OR journal_directory.deleted <> excluded.deleted"};
constexpr Sql upsert_term{
    "INSERT INTO journal_terms (user_id, term, number, kind, category_id) VALUES ($1, $2, $3, $4, $5) ON CONFLICT "
    "(user_id, term, number) DO UPDATE SET category_id = excluded.category_id"};
constexpr Sql delete_term{"DELETE FROM journal_terms WHERE user_id = $1 AND term = $2 AND number = $3"};
constexpr Sql select_with_term{
    "SELECT d.id FROM journal_terms t JOIN journal_directory d ON d.user_id = t.user_id AND d.number = t.number WHERE "
    "t.user_id = $1 AND t.term = $2 ORDER BY t.number DESC LIMIT $3"};

#define BELFRY_LINKS "SELECT " BELFRY_LINK_COLUMNS " FROM links "
constexpr Sql select_link{BELFRY_LINKS "WHERE user_id = $1 AND from_id = $2 AND relation = $3 AND to_id = $4"};
constexpr Sql select_from{
    BELFRY_LINKS "WHERE user_id = $1 AND from_id = $2 AND deleted_at IS NULL ORDER BY relation, to_id LIMIT $3"};
// Around the relation of tools' effects: there may be any number of them on one record.
constexpr Sql select_to{
    BELFRY_LINKS "WHERE user_id = $1 AND to_id = $2 AND relation < $4 AND deleted_at IS NULL UNION ALL " BELFRY_LINKS
                 "WHERE user_id = $1 AND to_id = $2 AND relation > $4 AND deleted_at IS NULL LIMIT $3"};
constexpr Sql upsert_link{
    "INSERT INTO links (" BELFRY_LINK_COLUMNS
    ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT (user_id, from_id, relation, to_id) DO UPDATE SET "
    "metadata_json = excluded.metadata_json, hidden = excluded.hidden, revision = excluded.revision, "
    "created_at = excluded.created_at, updated_at = excluded.updated_at, deleted_at = excluded.deleted_at"};

constexpr Sql erase_terms{
    "DELETE FROM journal_terms WHERE user_id = $1 AND (term, number) IN (SELECT term, number FROM journal_terms WHERE "
    "user_id = $1 ORDER BY term, number LIMIT $2)"};
constexpr Sql erase_links{
    "DELETE FROM links WHERE user_id = $1 AND (from_id, relation, to_id) IN (SELECT from_id, relation, to_id FROM "
    "links WHERE user_id = $1 ORDER BY from_id, relation, to_id LIMIT $2)"};
constexpr Sql erase_addresses{
    "DELETE FROM journal_directory WHERE user_id = $1 AND id IN (SELECT id FROM journal_directory WHERE user_id = $1 "
    "ORDER BY id LIMIT $2)"};

auto name_of(const Link& link) {
    return std::tie(link.from_id, link.relation, link.to_id);
}

}  // namespace

base::Result<std::vector<JournalRecord>> find_records(Database& database, std::string_view user_id,
                                                      std::span<const std::string> ids,
                                                      const ports::JournalScope& categories) {
    std::vector<std::vector<Param>> sets;
    sets.reserve(ids.size());
    for (const std::string& id : ids) sets.push_back({bytes(user_id), bytes(id)});
    std::vector<JournalAddress> addresses;
    bool damaged = false;
    TRY(database.run_many(select_address, sets, [&](const Row& row) {
        RowReader reader(row);
        JournalAddress address;
        address.kind = reader.choice(model::JournalKind::rating);
        address.number = reader.number();
        const std::string_view category = reader.bytes();
        damaged = damaged || reader.is_damaged();
        if (!categories || std::ranges::find(*categories, category) != categories->end()) addresses.push_back(address);
    }));
    if (damaged) return base::error(base::Code::malformed, "a row of journal_directory is damaged");
    return read_records(database, addresses);
}

base::Result<std::int64_t> SqlJournalTable::last_number() {
    std::int64_t last = 0;
    for (std::size_t kind = 0; kind < model::journal_kind_count; ++kind) {
        const JournalStatements& statements = journal_statements(static_cast<model::JournalKind>(kind));
        TRY(database_.run(statements.last, {}, [&](const Row& row) { last = std::max(last, row.number(0)); }));
    }
    return last;
}

base::Result<std::vector<JournalRecord>> SqlJournalTable::find(std::string_view user_id,
                                                               std::span<const std::string> ids) {
    return find_records(database_, user_id, ids, std::nullopt);
}

base::Result<void> SqlJournalTable::put(std::span<const JournalRecord> records) {
    std::deque<std::string> made;
    std::vector<std::vector<Param>> addresses;
    std::array<std::vector<std::vector<Param>>, model::journal_kind_count> rows;
    addresses.reserve(records.size());
    for (const JournalRecord& record : records) {
        addresses.push_back({bytes(record.user_id), bytes(record.id), choice(record.kind()), number(record.number),
                             bytes(record.category_id), choice(record.deleted_at.has_value())});
        rows[static_cast<std::size_t>(record.kind())].push_back(journal_params(record, made));
    }
    TRY(database_.run_many(upsert_address, addresses, {}));
    for (std::size_t kind = 0; kind < rows.size(); ++kind) {
        if (rows[kind].empty()) continue;
        TRY(database_.run_many(journal_statements(static_cast<model::JournalKind>(kind)).put, rows[kind], {}));
    }
    return {};
}

base::Result<void> SqlJournalTable::add_terms(std::span<const ports::JournalTerm> terms) {
    std::vector<std::vector<Param>> sets;
    sets.reserve(terms.size());
    for (const ports::JournalTerm& one : terms) {
        sets.push_back(
            {bytes(one.user_id), bytes(one.term), number(one.number), choice(one.kind), bytes(one.category_id)});
    }
    return database_.run_many(upsert_term, sets, {});
}

base::Result<void> SqlJournalTable::remove_terms(std::span<const ports::JournalTerm> terms) {
    std::vector<std::vector<Param>> sets;
    sets.reserve(terms.size());
    for (const ports::JournalTerm& one : terms) {
        sets.push_back({bytes(one.user_id), bytes(one.term), number(one.number)});
    }
    return database_.run_many(delete_term, sets, {});
}

base::Result<std::vector<std::string>> SqlJournalTable::with_term(std::string_view user_id, std::string_view term,
                                                                  std::size_t limit) {
    std::vector<std::string> ids;
    TRY(database_.run(select_with_term, {bytes(user_id), bytes(term), number(std::uint64_t{limit})},
                      [&](const Row& row) { ids.emplace_back(row.bytes(0)); }));
    return ids;
}

base::Result<ports::JournalPage> SqlJournalTable::list(const ports::JournalFilter& filter) {
    return list_records(database_, filter);
}

base::Result<std::vector<Link>> SqlJournalTable::find_links(std::span<const ports::LinkName> names) {
    std::vector<std::vector<Param>> sets;
    sets.reserve(names.size());
    for (const ports::LinkName& name : names) {
        sets.push_back({bytes(name.user_id), bytes(name.from_id), bytes(name.relation), bytes(name.to_id)});
    }
    return select_many(database_, "links", select_link, sets, read_link);
}

base::Result<std::vector<Link>> SqlJournalTable::links_of(std::string_view user_id, std::span<const std::string> ids,
                                                          std::size_t limit) {
    std::vector<std::vector<Param>> from;
    std::vector<std::vector<Param>> to;
    for (const std::string& id : ids) {
        from.push_back({bytes(user_id), bytes(id), number(std::uint64_t{limit})});
        to.push_back({bytes(user_id), bytes(id), number(std::uint64_t{limit}), bytes(tool_effect_relation)});
    }
    TRY_ASSIGN(std::vector<Link> links, select_many(database_, "links", select_from, from, read_link));
    TRY_ASSIGN(std::vector<Link> others, select_many(database_, "links", select_to, to, read_link));
    std::ranges::move(others, std::back_inserter(links));
    std::erase_if(links, is_agents);
    std::ranges::sort(links, {}, name_of);
    const auto repeats = std::ranges::unique(links, {}, name_of);
    links.erase(repeats.begin(), repeats.end());
    if (links.size() > limit) links.resize(limit);
    return links;
}

base::Result<void> SqlJournalTable::put_links(std::span<const Link> links) {
    std::vector<std::vector<Param>> sets;
    sets.reserve(links.size());
    for (const Link& link : links) sets.push_back(link_params(link));
    return database_.run_many(upsert_link, sets, {});
}

base::Result<std::uint64_t> SqlJournalTable::erase_user(std::string_view user_id, std::size_t limit) {
    TRY_ASSIGN(std::uint64_t gone, erase_rows(database_, {&erase_terms, &erase_links}, user_id, limit));
    // The directory goes last: what it names in tables of their own would not be found any more.
    for (std::size_t kind = 0; kind < model::journal_kind_count && gone < limit; ++kind) {
        const Sql& erase = journal_statements(static_cast<model::JournalKind>(kind)).erase;
        TRY_ASSIGN(const std::uint64_t some, erase_rows(database_, {&erase}, user_id, limit - gone));
        gone += some;
    }
    if (gone >= limit) return gone;
    TRY_ASSIGN(const std::uint64_t addresses, erase_rows(database_, {&erase_addresses}, user_id, limit - gone));
    return gone + addresses;
}

}  // namespace belfry::store
