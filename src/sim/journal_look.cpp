#include "sim/journal_look.hpp"

#include <algorithm>
#include <memory>

#include "model/raw_json.hpp"
#include "sim/borrowed_database.hpp"
#include "store/sql_reading.hpp"

namespace belfry::sim {
namespace {

constexpr std::size_t page = 1000;
constexpr store::Sql select_terms{"SELECT user_id, term, number, category_id, kind FROM journal_terms"};
constexpr store::Sql select_changes{
    "SELECT change_no, host, counter, kind, record_id, user_id, origin, tokens_json, changed_at, batch_id FROM changes "
    "ORDER BY change_no"};

std::vector<model::ChangeToken> tokens_in(std::string json) {
    std::vector<model::ChangeToken> tokens;
    const model::RawJson list = model::RawJson::trusted(std::move(json));
    model::JsonWalker walker(list.view());
    while (const auto text = walker.next()) {
        auto token = model::ChangeToken::parse(text->as_text());
        if (token.ok()) tokens.push_back(std::move(*token));
    }
    return tokens;
}

base::Result<void> read_user(store::SqlReading& reading, const std::string& user, JournalLook& look) {
    std::int64_t number = 0;
    while (true) {
        TRY_ASSIGN(auto some, reading.journal().records_after(user, number, std::nullopt, page));
        for (model::JournalRecord& one : some) {
            number = one.number;
            const JournalLook::Key key{one.user_id, one.id};
            look.records.emplace(key, std::move(one));
        }
        if (some.size() < page) break;
    }
    ports::LinkName last{user, {}, {}, {}};
    while (true) {
        TRY_ASSIGN(auto some, reading.journal().links_after(last, std::nullopt, page));
        for (model::Link& one : some) {
            last = {one.user_id, one.relation, one.from_id, one.to_id};
            look.links.emplace(last, std::move(one));
        }
        if (some.size() < page) break;
    }
    return {};
}

}  // namespace

base::Result<JournalLook> look_at_journal(store::SqlStore& store, const std::vector<std::string>& users) {
    JournalLook look;
    store::SqlReading reading(std::make_unique<BorrowedDatabase>(store.database()), "simulated");
    for (const std::string& user : users) TRY(read_user(reading, user, look));
    TRY(store.database().run(select_terms, {}, [&](const store::Row& row) {
        look.terms.insert({std::string(row.bytes(0)), std::string(row.bytes(1)), row.number(2),
                           std::string(row.bytes(3)), static_cast<model::JournalKind>(row.number(4))});
    }));
    TRY(store.database().run(select_changes, {}, [&](const store::Row& row) {
        model::Change change;
        change.number = row.number(0);
        change.unit = {std::string(row.bytes(1)), static_cast<std::uint64_t>(row.number(2)), std::string(row.bytes(3)),
                       std::string(row.bytes(4))};
        change.user_id = row.bytes(5);
        std::string_view origin = row.bytes(6);
        const std::size_t named = origin.find_first_not_of("0123456789/");  // behind the depth of a chain
        origin.remove_prefix(std::min(named, origin.size()));
        change.origin = model::parse_origin(origin).value_or(model::ChangeOrigin{});
        change.tokens = tokens_in(std::string(row.bytes(7)));
        change.changed_at = base::Timestamp{row.number(8)};
        if (!row.is_null(9)) change.batch_id = row.bytes(9);
        look.changes.push_back(std::move(change));
    }));
    return look;
}

}  // namespace belfry::sim
