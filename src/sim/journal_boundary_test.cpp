#include "base/journal_limits.hpp"
#include "sim/journal_world_test.hpp"

namespace belfry::sim {
namespace {

using base::Code;
using model::JournalKind;

std::string text_of(const base::Error& error) {
    return std::to_string(static_cast<int>(error.code)) + "|" + error.field + "|" + error.reason + "|" + error.message;
}

// What lies outside an agent's categories is not there for it: whatever it tries with such an id is answered as with
// one that nobody has.
class JournalBoundary : public JournalTest {
protected:
    // `no` is nobody's, and as long as `h_`.
    void settle() {
        make("gym", category_wish("Gym"));
        make("home", category_wish("Home"));
        make("t", task_wish("Run"), "gym");
        make("h_", task_wish("Rest"), "home");
        auto agent = std::make_unique<ports::CreateAgent>();
        agent->draft.id = "coach";
        agent->draft.user_id = "ada";
        agent->draft.allowed_category_ids = {"gym"};
        ask(std::move(agent));
        wake_now("coach", "r");
        const auto held = claim("coach");
        ASSERT_TRUE(held);
        claim_ = ports::JournalClaim{held->wake.id, held->wake.fence};
        new_changes();
    }
    template <class C>
    auto as_agent(std::unique_ptr<C> command) {
        command->claim = claim_;
        return try_to(std::move(command));
    }
    // What a try says with each of the two ids, which is put in place of the other.
    template <class Try>
    void expect_equal(const char* what, Try attempt) {
        const std::string hidden = text_of(error_of(attempt("h_")));
        std::string missing = text_of(error_of(attempt("no")));
        if (missing.ends_with(" no")) missing.replace(missing.size() - 2, 2, "h_");
        EXPECT_EQ(hidden, missing) << what;
        EXPECT_EQ(hidden.find("home"), std::string::npos) << what;
        EXPECT_EQ(hidden.find("out_of_scope"), std::string::npos) << what;
    }
    std::unique_ptr<ports::DeleteLink> unlinking(const std::string& from, const std::string& to) {
        auto command = std::make_unique<ports::DeleteLink>();
        command->user_id = user_;
        command->relation = "parent";
        command->from_id = from;
        command->to_id = to;
        return command;
    }
    static model::JournalWish checklist(const std::string& task, const std::string& title = "Steps") {
        return wish_of(model::Checklist{task, title, 0}, {"task_id", "title"});
    }

    ports::JournalClaim claim_;
};

TEST_F(JournalBoundary, a_record_outside_is_answered_like_one_that_is_not_there) {
    settle();
    ask(link_of("parent", "t", "h_"));
    make("e", wish_of(model::TimeEntry{"", "", now_, now_, ""}, {"started_at", "ended_at"}), "gym");
    new_changes();
    expect_equal("change", [&](const char* id) { return as_agent(change_of(id, task_wish("Nap"))); });
    expect_equal("stale change", [&](const char* id) { return as_agent(change_of(id, task_wish("Nap"), 7)); });
    expect_equal("another kind", [&](const char* id) { return as_agent(change_of(id, checklist("t"))); });
    expect_equal("remove", [&](const char* id) { return as_agent(removal(JournalKind::task, id)); });
    expect_equal("link to", [&](const char* id) { return as_agent(link_of("parent", "t", id)); });
    expect_equal("link from", [&](const char* id) { return as_agent(link_of("parent", id, "t")); });
    expect_equal("unlink", [&](const char* id) { return as_agent(unlinking("t", id)); });
    expect_equal("its task", [&](const char* id) { return as_agent(creation("c", checklist(id))); });
    expect_equal("its task, with a category",
                 [&](const char* id) { return as_agent(creation("c", checklist(id), "gym")); });
    expect_equal("time", [&](const char* id) {
        return as_agent(change_of("e", wish_of(model::TimeEntry{id, "", {}, {}, ""}, {"task_id"})));
    });
    expect_equal("pins", [&](const char* id) {
        model::DayPlan plan;
        plan.plan_date = "2026-11-16";
        plan.pinned_task_ids = {id};
        return as_agent(creation("", wish_of(plan, {"plan_date", "pinned_task_ids"}), "gym"));
    });
    expect_equal("rating", [&](const char* id) {
        return as_agent(creation(
            "", wish_of(model::Rating{model::RatingTarget::session, id, 4, ""}, {"target", "target_id", "score"}),
            "gym"));
    });
    ASSERT_TRUE(remove(JournalKind::task, "h_").ok());
    new_changes();
    expect_equal("change of a tombstone", [&](const char* id) { return as_agent(change_of(id, task_wish("Nap"))); });
    expect_equal("remove a tombstone", [&](const char* id) { return as_agent(removal(JournalKind::task, id)); });
    EXPECT_EQ(new_changes(), std::vector<std::string>{});
}

TEST_F(JournalBoundary, an_id_that_is_taken_outside_says_no_more_than_that) {
    settle();
    const base::Error live = error_of(as_agent(creation("h_", task_wish("Rest"), "gym")));
    EXPECT_EQ(live.reason, "taken");
    EXPECT_EQ(live.message, "another record has the id h_");
    ASSERT_TRUE(remove(JournalKind::task, "h_").ok());
    EXPECT_EQ(text_of(error_of(as_agent(creation("h_", task_wish("Rest"), "gym")))), text_of(live));
}

TEST_F(JournalBoundary, a_timer_that_runs_outside_is_not_named) {
    settle();
    make("secret", wish_of(model::TimeEntry{}, {}), "home");
    const base::Error why = error_of(as_agent(creation("mine", wish_of(model::TimeEntry{}, {}), "gym")));
    EXPECT_EQ(why.reason, "running");
    EXPECT_EQ(why.message, "another timer runs");
    ASSERT_TRUE(move_to("secret", model::TimeEntry{}, "gym").ok());
    EXPECT_NE(error_of(as_agent(creation("mine", wish_of(model::TimeEntry{}, {}), "gym"))).message.find("runs: secret"),
              std::string::npos);
}

TEST_F(JournalBoundary, only_a_category_that_the_agent_names_itself_is_refused_as_such) {
    settle();
    for (const char* category : {"home", "nowhere"}) {
        const base::Error why = error_of(as_agent(creation("x", task_wish("X"), category)));
        EXPECT_EQ(why.reason, "out_of_scope");
        EXPECT_NE(why.message.find(category), std::string::npos);
    }
    model::DayPlan plan;
    plan.plan_date = "2026-11-16";
    plan.blocks = {{"b1", "home", now_, now_, "", ""}, {"b2", "gym", now_, now_, "", ""}};
    const std::string id = make("", wish_of(plan, {"plan_date", "blocks"}), "gym").id;
    plan.blocks = {{"b1", "gym", now_, now_, "", ""}};
    const base::Error taken = error_of(as_agent(change_of(id, wish_of(plan, {"blocks"}))));
    EXPECT_EQ(taken.reason, "taken");
    EXPECT_EQ(taken.message.find("home"), std::string::npos) << taken.message;
    const base::Error stays = error_of(as_agent(removal(JournalKind::day_plan, id)));
    EXPECT_EQ(stays.reason, "out_of_scope");
    EXPECT_EQ(stays.message.find("home"), std::string::npos) << stays.message;
}

TEST_F(JournalBoundary, what_belongs_to_a_record_and_lies_outside_stays_where_it_is) {
    settle();
    auto second = std::make_unique<ports::ChangeAgent>();
    second->agent_id = "coach";
    second->patch.allowed_category_ids = {"gym", "pool"};
    ask(std::move(second));
    make("pool", category_wish("Pool"));
    make("in", checklist("t"), "gym");
    make("out", checklist("t"), "home");
    make("item", wish_of(model::ChecklistItem{"out", "One", false, 0}, {"checklist_id", "title"}), "gym");
    auto away = change_of("t", wish_of(model::Task{}, {}));
    away->wish.category_id = "pool";
    ASSERT_TRUE(as_agent(std::move(away)).ok());
    EXPECT_EQ(record("in").category_id, "pool");
    EXPECT_EQ(record("out").category_id, "home");
    EXPECT_EQ(record("item").category_id, "gym");
    ASSERT_TRUE(as_agent(removal(JournalKind::task, "t")).ok());
    EXPECT_TRUE(record("in").deleted_at);
    EXPECT_FALSE(record("out").deleted_at);
    EXPECT_FALSE(record("item").deleted_at);
}

TEST_F(JournalBoundary, answers_do_not_name_what_is_not_seen_and_keep_it) {
    settle();
    make("c", checklist("h_"), "gym");
    new_changes();
    const auto renamed = as_agent(change_of("c", wish_of(model::Checklist{"", "Other", 0}, {"title"})));
    ASSERT_TRUE(renamed.ok()) << renamed.error().message;
    EXPECT_EQ(std::get<model::Checklist>(renamed->body).task_id, "");
    EXPECT_EQ(std::get<model::Checklist>(record("c").body).task_id, "h_");
    const auto back = as_agent(change_of("c", checklist("", "Other")));
    ASSERT_TRUE(back.ok()) << back.error().message;
    EXPECT_EQ(back->revision, 2) << "it was not shown: it is not left out";
    EXPECT_EQ(error_of(as_agent(change_of("c", checklist("h_", "Other")))).field, "task_id") << "nor can it be guessed";
    EXPECT_EQ(error_of(as_agent(creation("c", checklist("h_", "Other"), "gym"))).field, "task_id");
    ASSERT_TRUE(as_agent(change_of("c", checklist("t", "Other"))).ok());
    EXPECT_EQ(std::get<model::Checklist>(record("c").body).task_id, "t") << "it may get another";
}

TEST_F(JournalBoundary, the_rating_of_a_session_moves_with_it) {
    settle();
    make("pool", category_wish("Pool"));
    model::TimeEntry time;
    time.task_id = "t";
    time.ended_at = now_;
    make("e", wish_of(time, {"task_id", "ended_at"}));
    const std::string rating =
        make("", wish_of(model::Rating{model::RatingTarget::session, "e", 4, ""}, {"target", "target_id", "score"})).id;
    ASSERT_TRUE(move_to("t", model::Task{}, "pool").ok());
    EXPECT_EQ(record("e").category_id, "pool");
    EXPECT_EQ(record(rating).category_id, "pool");
    ASSERT_TRUE(move_to("e", model::TimeEntry{}, "home").ok());
    EXPECT_EQ(record(rating).category_id, "home");
    EXPECT_EQ(record(rating).revision, 3);
    ASSERT_TRUE(move_to(rating, model::Rating{}, "gym").ok());
    model::Rating better;
    better.score = 5;
    EXPECT_EQ(error_of(as_agent(change_of(rating, wish_of(better, {"score"})))).code, Code::not_found)
        << "its id has that of the session";
    expect_terms();
}

TEST_F(JournalBoundary, the_id_of_a_new_record_fits_into_its_tokens) {
    const std::string longest(base::limits::journal_new_id_bytes_max, 'x');
    make(longest, category_wish("Long"));
    new_changes();
    EXPECT_EQ(refusal(longest + "y", task_wish("Run")).field, "id");
    make(std::string(longest.size(), 't'), task_wish("Run"), longest);
    const auto lines = new_changes();
    ASSERT_EQ(lines.size(), 1U);
    EXPECT_NE(lines[0].find("sub:category/" + longest), std::string::npos);
    EXPECT_NE(lines[0].find("id:ttt"), std::string::npos);
    const std::string session(longest.size(), 's');
    make(session, wish_of(model::TimeEntry{}, {}));
    new_changes();
    make("", wish_of(model::Rating{model::RatingTarget::session, session, 4, ""}, {"target", "target_id", "score"}));
    EXPECT_NE(new_changes().at(0).find("id:rating:session:" + session), std::string::npos);
    auto import = std::make_unique<ports::ImportJournal>();
    import->user_id = user_;
    model::JournalRecord old = record("general");
    old.id = old.category_id = longest + "y";
    import->items = {old};
    const ports::Imported imported = ask(std::move(import));
    ASSERT_EQ(imported.conflicts.size(), 1U);
    EXPECT_EQ(imported.conflicts[0].message, "id: may have 180 bytes at the most");
}

TEST_F(JournalBoundary, an_agent_is_allowed_so_many_categories) {
    const auto with = [](std::size_t count) {
        auto agent = std::make_unique<ports::CreateAgent>();
        agent->draft.id = "coach";
        agent->draft.user_id = "ada";
        for (std::size_t i = 0; i < count; ++i) agent->draft.allowed_category_ids.push_back(std::to_string(i));
        return agent;
    };
    const auto most = base::limits::allowed_categories_max;
    EXPECT_EQ(error_of(try_to(with(most + 1))).field, "allowed_category_ids");
    EXPECT_TRUE(try_to(with(most)).ok());
    auto more = std::make_unique<ports::ChangeAgent>();
    more->agent_id = "coach";
    more->patch.allowed_category_ids = with(most + 1)->draft.allowed_category_ids;
    const base::Error why = error_of(try_to(std::move(more)));
    EXPECT_EQ(why.field, "allowed_category_ids");
    EXPECT_NE(why.message.find("100"), std::string::npos) << why.message;
}

}  // namespace
}  // namespace belfry::sim
