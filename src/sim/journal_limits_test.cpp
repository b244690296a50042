#include "base/journal_limits.hpp"

#include "sim/journal_world_test.hpp"

// Limits of imports, links and claims of the journal, through the real engine and the real store.
namespace belfry::sim {
namespace {

namespace limits = base::limits;
using base::Code;

class JournalLimits : public JournalTest {};

TEST_F(JournalLimits, an_import_of_too_many_records_is_rejected_whole) {
    model::JournalRecord task = make("t", task_wish("Run"));
    auto command = std::make_unique<ports::ImportJournal>();
    command->user_id = "ada";
    for (std::size_t i = 0; i <= limits::journal_import_records_max; ++i) {
        task.id = "t" + std::to_string(i);
        command->items.emplace_back(task);
    }
    const base::Error error = error_of(try_to(std::move(command)));
    EXPECT_EQ(error.code, Code::too_large);
    EXPECT_EQ(error.message, "at most 500 records and links at once");
    EXPECT_TRUE(record("t0").id.empty());
}

TEST_F(JournalLimits, a_link_beyond_the_limit_of_either_end_is_rejected) {
    for (const std::string id : {"a", "b", "c"}) make(id, task_wish(id));
    ASSERT_TRUE(store_->begin().ok());
    std::vector<model::Link> links;
    for (std::size_t i = 0; i < limits::links_per_record_max; ++i) {
        model::Link& link = links.emplace_back();
        link.user_id = "ada";
        link.relation = "r" + std::to_string(i);
        link.from_id = "a";
        link.to_id = "b";
        link.revision = 1;
    }
    ASSERT_TRUE(store_->journal().put_links(links).ok());
    ASSERT_EQ(store_->commit().outcome, ports::CommitOutcome::committed);
    const base::Error from = error_of(try_to(link_of("parent", "a", "c")));
    EXPECT_EQ(from.code, Code::too_large);
    EXPECT_EQ(from.field, "from_id");
    EXPECT_EQ(from.message, "a record has at most 1000 links");
    EXPECT_EQ(error_of(try_to(link_of("parent", "c", "b"))).field, "to_id");
    EXPECT_TRUE(try_to(link_of("r7", "a", "b", true)).ok()) << "one that is there may change";
    EXPECT_TRUE(unlink("r7", "a", "b").ok());
    EXPECT_TRUE(try_to(link_of("parent", "a", "c")).ok());
}

TEST_F(JournalLimits, a_claim_is_good_for_the_journal_of_its_user_only) {
    make_agent("coach");
    wake_now("coach", "r");
    const auto held = claim("coach");
    ASSERT_TRUE(held);
    auto command = creation("t", task_wish("Run"));
    command->claim = ports::JournalClaim{held->wake.id, held->wake.fence};
    command->user_id = "bob";
    const base::Error error = error_of(try_to(std::move(command)));
    EXPECT_EQ(error.code, Code::not_found);
    EXPECT_EQ(error.field, "user_id");
}

}  // namespace
}  // namespace belfry::sim
