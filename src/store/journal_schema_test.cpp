#include "store/journal_row.hpp"
#include "store/journal_world_test.hpp"
#include "store/test_world.hpp"

namespace belfry::store::testing {
namespace {

// A migration stays as it is when a kind gets another field: that needs a step of its own.
TEST(JournalSchema, has_the_columns_that_are_described) {
    StoreWorld world(Backend::sqlite);
    Scribe scribe(world);
    scribe.open();
    scribe.begin();
    for (std::size_t kind = 0; kind < model::journal_kind_count; ++kind) {
        const std::string table = journal_table_name(static_cast<model::JournalKind>(kind));
        static constexpr Sql columns{"SELECT CAST(name AS BLOB) FROM pragma_table_info(CAST($1 AS TEXT)) ORDER BY cid"};
        std::vector<std::string> found;
        ASSERT_OK(scribe.store().database().run(columns, {bytes(table)},
                                                [&](const Row& row) { found.emplace_back(row.bytes(0)); }));
        EXPECT_EQ(found, journal_columns(static_cast<model::JournalKind>(kind))) << table;
    }
    scribe.rollback();
}

}  // namespace
}  // namespace belfry::store::testing
