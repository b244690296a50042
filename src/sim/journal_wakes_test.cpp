#include "sim/journal_world_test.hpp"

namespace belfry::sim {
namespace {

using model::JournalKind;

class JournalWakes : public JournalTest {
protected:
    JournalWakes() { reads_of_ = "journal_"; }

    void settle(const std::string& agent) {
        make("gym", category_wish("Gym"));
        auto command = std::make_unique<ports::CreateAgent>();
        command->draft.id = agent;
        command->draft.user_id = "ada";
        command->draft.allowed_category_ids = {"gym", "general"};
        ask(std::move(command));
        live(base::seconds(1));
    }
    // What is due now, and how often the journal is read for it.
    std::vector<std::size_t> reads_of_next_batch() {
        agent_reads_.clear();
        now_ = now_ + base::milliseconds(100);
        engine_->tend(now_);
        return agent_reads_;
    }
    std::string told(const std::string& agent) {
        const auto granted = claim(agent);
        if (!granted) return "";
        std::string bodies;
        for (const auto& signal : granted->signals) bodies += signal.body.bytes();
        end(granted->wake);
        return bodies;
    }
};

TEST_F(JournalWakes, a_subtype_or_key_matches_without_any_record_being_read) {
    settle("coach");
    watch("coach", {"sub:workout.type/running", "key:TASK"});
    model::Entry run;
    run.type = model::EntryType::workout;
    run.workout_type = "running";
    make("e", wish_of(run, {"type", "workout_type"}), "gym");
    make("t", task_wish("Rest"), "gym");
    EXPECT_EQ(reads_of_next_batch(), std::vector<std::size_t>{});
    const std::string bodies = told("coach");
    EXPECT_NE(bodies.find("\"e\""), std::string::npos);
    EXPECT_NE(bodies.find("\"t\""), std::string::npos);
    run.workout_type = "swimming";
    make("e2", wish_of(run, {"type", "workout_type"}), "gym");
    live(base::seconds(1));
    EXPECT_FALSE(claim("coach"));
}

TEST_F(JournalWakes, predicates_see_the_changed_records_which_are_read_in_bulk) {
    settle("coach");
    make("home", category_wish("Home"));
    live(base::seconds(1));
    watch("coach", {"key:TASK"}, {}, R"(task.categoryId == "gym" and task.priority in ["p0", "p1"])");
    model::Task urgent;
    urgent.title = "x";
    urgent.priority = model::TaskPriority::p0;
    for (int i = 0; i < 5; ++i) {
        make("g" + std::to_string(i), i == 3 ? wish_of(urgent, {"title", "priority"}) : task_wish("x"), "gym");
        make("h" + std::to_string(i), wish_of(urgent, {"title", "priority"}), "home");
    }
    EXPECT_EQ(reads_of_next_batch(), (std::vector<std::size_t>{5, 5})) << "where they are, and all that are its";
    const std::string bodies = told("coach");
    EXPECT_NE(bodies.find("\"g3\""), std::string::npos);
    EXPECT_EQ(bodies.find("\"g2\""), std::string::npos);
    EXPECT_EQ(bodies.find("\"h3\""), std::string::npos);
    ASSERT_TRUE(remove(JournalKind::task, "g3").ok());
    live(base::seconds(1));
    EXPECT_NE(told("coach").find("\"g3\""), std::string::npos) << "a tombstone is asked like a record";
}

TEST_F(JournalWakes, predicates_see_links_that_are_to_be_seen) {
    settle("coach");
    make("a", task_wish("A"), "gym");
    make("b", task_wish("B"), "gym");
    make("c", task_wish("C"), "gym");
    ask(link_of("blocked_by", "a", "b"));
    ask(link_of("blocked_by", "c", "b", true));
    live(base::seconds(1));
    watch("coach", {"key:TASK"}, {}, R"(linked("blocked_by"))");
    for (const char* id : {"a", "b", "c"}) ASSERT_TRUE(alter(id, task_wish("new")).ok());
    live(base::seconds(1));
    std::string bodies = told("coach");
    EXPECT_NE(bodies.find("\"a\""), std::string::npos);
    EXPECT_NE(bodies.find("\"b\""), std::string::npos) << "from either end";
    EXPECT_EQ(bodies.find("\"c\""), std::string::npos) << "it is hidden";
    ASSERT_TRUE(remove(JournalKind::task, "b").ok());
    live(base::seconds(1));
    told("coach");
    ASSERT_TRUE(alter("a", task_wish("newer")).ok());
    live(base::seconds(1));
    EXPECT_EQ(told("coach"), "") << "the other end is gone";
}

TEST_F(JournalWakes, of_a_link_its_ends_are_asked) {
    settle("coach");
    make("a", task_wish("A"));
    make("b", task_wish("B"), "gym");
    make("c", task_wish("C"));
    live(base::seconds(1));
    watch("coach", {"sub:link.relation/parent"}, {}, R"(task.category_id == "gym")");
    ask(link_of("parent", "a", "c"));
    live(base::seconds(1));
    EXPECT_EQ(told("coach"), "");
    ask(link_of("parent", "a", "b"));
    live(base::seconds(1));
    EXPECT_NE(told("coach").find(rules::link_key("parent", "a", "b")), std::string::npos);
}

TEST_F(JournalWakes, an_agent_is_woken_by_its_categories_only) {
    settle("coach");
    auto none = std::make_unique<ports::CreateAgent>();
    none->draft.id = "idle";
    none->draft.user_id = "ada";
    ask(std::move(none));
    make("home", category_wish("Home"));
    live(base::seconds(1));
    for (const char* agent : {"coach", "idle"}) watch(agent, {"key:TASK", "key:LINK", "id:h", "sub:category/home"});
    make("h", task_wish("Rest"), "home");
    make("h2", task_wish("Rest"), "home");
    make("g", task_wish("Run"), "gym");
    ask(link_of("parent", "g", "h"));
    ask(link_of("parent", "h", "g"));
    ask(link_of("parent", "h", "h2"));
    live(base::seconds(1));
    const std::string bodies = told("coach");
    EXPECT_NE(bodies.find("\"g\""), std::string::npos);
    EXPECT_EQ(bodies.find("\"link\""), std::string::npos) << "both ends have to be its: " << bodies;
    EXPECT_EQ(bodies.find("id:h"), std::string::npos) << bodies;
    ASSERT_TRUE(move_to("g", model::Task{}, "home").ok());
    live(base::seconds(1));
    const std::string left = told("coach");
    EXPECT_NE(left.find("sub:category/gym"), std::string::npos);
    EXPECT_EQ(left.find("sub:category/home"), std::string::npos) << left;
    EXPECT_EQ(left.find("sub:task.status"), std::string::npos) << left;
    EXPECT_FALSE(claim("idle")) << "it is allowed nothing";
}

TEST_F(JournalWakes, what_a_record_names_is_told_where_it_is_seen) {
    settle("coach");
    make("home", category_wish("Home"));
    make("h", task_wish("Rest"), "home");
    make("g", task_wish("Run"), "gym");
    live(base::seconds(1));
    watch("coach", {"key:CHECKLIST"});
    make("ch", wish_of(model::Checklist{"h", "Steps", 0}, {"task_id", "title"}), "gym");
    make("cg", wish_of(model::Checklist{"g", "Steps", 0}, {"task_id", "title"}), "gym");
    live(base::seconds(1));
    const std::string bodies = told("coach");
    EXPECT_NE(bodies.find("id:ch"), std::string::npos);
    EXPECT_NE(bodies.find("id:g"), std::string::npos);
    EXPECT_EQ(bodies.find("id:h"), std::string::npos) << bodies;
    watch("coach", {"id:h"});
    ASSERT_TRUE(alter("ch", wish_of(model::Checklist{"", "Other", 0}, {"title"})).ok());
    live(base::seconds(1));
    EXPECT_EQ(told("coach").find("id:h"), std::string::npos) << "nor is it found by it";
}

TEST_F(JournalWakes, predicates_do_not_see_what_the_agent_does_not) {
    settle("coach");
    make("home", category_wish("Home"));
    make("h", task_wish("Secret"), "home");
    make("g", task_wish("Run"), "gym");
    make("m", task_wish("Secret"), "gym");
    ask(link_of("parent", "g", "h"));
    live(base::seconds(1));
    watch("coach", {"key:TASK"}, {}, R"(linked("parent", "h") or task.title == "Secret")");
    ASSERT_TRUE(alter("g", task_wish("Walk")).ok());
    ASSERT_TRUE(move_to("m", model::Task{}, "home").ok());
    live(base::seconds(1));
    EXPECT_EQ(told("coach"), "");
}

TEST_F(JournalWakes, its_own_write_does_not_wake_an_agent_and_a_users_edit_in_mid_run_does_once) {
    settle("coach");
    watch("coach", {"key:TASK"});
    make("t", task_wish("Run"), "gym");
    live(base::milliseconds(100));
    const auto first = claim("coach");
    ASSERT_TRUE(first);
    const auto own = [&](const model::Wake& wake, const std::string& title) {
        auto command = change_of("t", task_wish(title));
        command->claim = ports::JournalClaim{wake.id, wake.fence};
        return try_to(std::move(command));
    };
    ASSERT_TRUE(own(first->wake, "mine").ok());
    live(base::seconds(5));
    ASSERT_TRUE(alter("t", task_wish("theirs")).ok());
    ASSERT_TRUE(own(first->wake, "mine again").ok());
    live(base::seconds(5));
    end(first->wake);
    const auto second = claim("coach");
    ASSERT_TRUE(second);
    EXPECT_EQ(second->wake.signals, 1);
    end(second->wake);
    live(base::hours(1));
    EXPECT_FALSE(claim("coach"));
    EXPECT_EQ(error_of(own(second->wake, "late")).reason, "stale_claim");
}

TEST_F(JournalWakes, only_its_persons_journal_wakes_an_agent) {
    settle("coach");
    watch("coach", {"key:TASK"});
    user_ = "bob";
    make("t", task_wish("Run"));
    live(base::seconds(1));
    EXPECT_FALSE(claim("coach"));
}

}  // namespace
}  // namespace belfry::sim
