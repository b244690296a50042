#include <gtest/gtest.h>

#include "base/journal_limits.hpp"
#include "view/answers_world_test.hpp"

namespace belfry::view {
namespace {

using model::JournalKind;

// Ada's tasks in two categories, a plan that names both, and an agent of hers that works in the gym.
class JournalAnswers : public AnswersTest {
protected:
    void SetUp() override {
        AnswersTest::SetUp();
        add("squats", "gym", model::Task{});
        add("report", "work", model::Task{});
        model::DayPlan plan;
        plan.plan_date = "2026-11-16";
        plan.pinned_task_ids = {"squats", "report"};
        plan.blocks = {{"b1", "gym", {}, {}, "", "report"}, {"b2", "work", {}, {}, "", "squats"}};
        add("day_plan:2026-11-16", "gym", plan);
        add("gone", "gym", model::Task{});
        store.kept_journal.kept.back().deleted_at = base::Timestamp{1};

        model::AgentRecord coach;
        coach.agent.id = "coach";
        coach.agent.user_id = "ada";
        coach.agent.allowed_category_ids = {"gym", "home"};
        store.kept_agents.kept.push_back(coach);
        model::Wake wake;
        wake.id = 7;
        wake.user_id = "ada";
        wake.agent_id = "coach";
        wake.fence = 2;
        wake.state = model::WakeState::running;
        wake.lease_until = clock.time + base::seconds(60);
        store.kept_agents.kept_wakes.push_back(wake);
    }
    void add(const char* id, const char* category, model::JournalBody body) {
        model::JournalRecord record;
        record.id = id;
        record.user_id = "ada";
        record.category_id = category;
        record.number = static_cast<std::int64_t>(store.kept_journal.kept.size()) + 1;
        record.body = std::move(body);
        store.kept_journal.kept.push_back(record);
    }
    static ports::JournalAccess under_claim(std::int64_t fence = 2) {
        ports::JournalAccess access;
        access.claim = ports::JournalClaim{7, fence};
        return access;
    }
    base::Result<model::JournalRecord> record(const model::Principal& who, JournalKind kind, std::string_view id,
                                              ports::JournalAccess access = {}) {
        return answer<model::JournalRecord>(
            [&](auto done) { answers.journal_record(who, std::move(access), kind, id, done); });
    }
    base::Result<ports::JournalList> list(const model::Principal& who, ports::JournalQuestion question) {
        if (question.limit == 0) question.limit = 2;
        return answer<ports::JournalList>([&](auto done) { answers.journal_list(who, question, done); });
    }
    // What the store is asked for.
    std::vector<std::string> terms(ports::JournalQuestion question) {
        const auto found = list(ada, std::move(question));
        EXPECT_TRUE(found.ok()) << found.error().message;
        return store.kept_journal.asked.terms;
    }
    const ports::JournalFilter& asked() const { return store.kept_journal.asked; }
};

using Words = std::vector<std::string>;

TEST_F(JournalAnswers, are_for_the_person_and_those_who_act_for_him) {
    EXPECT_TRUE(record(ada, JournalKind::task, "squats").ok());
    ports::JournalAccess hers;
    hers.user_id = "ada";
    EXPECT_TRUE(record(admin, JournalKind::task, "squats", hers).ok());
    EXPECT_EQ(record(bob, JournalKind::task, "squats", hers).error().code, base::Code::not_found);
    EXPECT_EQ(record(bob, JournalKind::task, "squats").error().code, base::Code::not_found);
    EXPECT_EQ(record(agent_of_ada, JournalKind::task, "squats", hers).error().code, base::Code::forbidden);
    EXPECT_EQ(record(ada, JournalKind::label, "squats").error().code, base::Code::not_found) << "it is a task";
    EXPECT_EQ(record(ada, JournalKind::task, "gone").error().code, base::Code::gone);
}

TEST_F(JournalAnswers, under_a_claim_reach_no_further_than_what_the_agent_is_allowed) {
    EXPECT_TRUE(record(agent_of_ada, JournalKind::task, "squats", under_claim()).ok());
    EXPECT_EQ(record(agent_of_ada, JournalKind::task, "report", under_claim()).error().code, base::Code::not_found);
    EXPECT_EQ(record(bob, JournalKind::task, "squats", under_claim()).error().code, base::Code::not_found);
    const auto stale = record(agent_of_ada, JournalKind::task, "squats", under_claim(1));
    ASSERT_FALSE(stale.ok());
    EXPECT_EQ(stale.error().reason, "stale_claim");
    ports::JournalAccess narrowed = under_claim();
    narrowed.categories = Words{"home", "work"};
    EXPECT_EQ(record(agent_of_ada, JournalKind::task, "squats", narrowed).error().code, base::Code::not_found);
    store.kept_agents.kept_wakes.back().state = model::WakeState::completed;
    EXPECT_EQ(record(agent_of_ada, JournalKind::task, "squats", under_claim()).error().reason, "stale_claim");
}

TEST_F(JournalAnswers, under_a_claim_end_with_its_lease) {
    clock.time = clock.time + base::seconds(59);
    EXPECT_TRUE(record(agent_of_ada, JournalKind::task, "squats", under_claim()).ok());
    clock.time = clock.time + base::seconds(1);
    EXPECT_EQ(record(agent_of_ada, JournalKind::task, "squats", under_claim()).error().reason, "stale_claim");
    ports::JournalQuestion question;
    question.access = under_claim();
    EXPECT_EQ(list(agent_of_ada, question).error().reason, "stale_claim");
}

TEST_F(JournalAnswers, show_of_a_plan_only_what_is_of_the_allowed_categories) {
    const auto whole = record(ada, JournalKind::day_plan, "day_plan:2026-11-16");
    ASSERT_TRUE(whole.ok());
    EXPECT_EQ(std::get<model::DayPlan>(whole->body).blocks.size(), 2U);
    const auto narrowed = record(agent_of_ada, JournalKind::day_plan, "day_plan:2026-11-16", under_claim());
    ASSERT_TRUE(narrowed.ok()) << narrowed.error().message;
    const auto& plan = std::get<model::DayPlan>(narrowed->body);
    ASSERT_EQ(plan.blocks.size(), 1U);
    EXPECT_EQ(plan.blocks[0].id, "b1");
    EXPECT_EQ(plan.blocks[0].task_id, "") << "the task is of another category";
    EXPECT_EQ(plan.pinned_task_ids, Words{"squats"});
}

TEST_F(JournalAnswers, show_of_a_plan_elsewhere_the_part_that_is_allowed_and_not_its_note) {
    model::DayPlan elsewhere;
    elsewhere.plan_date = "2026-11-17";
    elsewhere.note = "secret";
    elsewhere.blocks = {{"b1", "work", {}, {}, "report", ""}, {"b2", "gym", {}, {}, "squats", ""}};
    add("day_plan:2026-11-17", "work", elsewhere);
    ports::JournalQuestion question;
    question.access = under_claim();
    question.kind = JournalKind::day_plan;
    ASSERT_TRUE(list(agent_of_ada, question).ok());
    EXPECT_EQ(asked().categories, (Words{"gym", "home"})) << "lists have those of allowed categories";
    question.plan_date = "2026-11-17";
    const auto of_day = list(agent_of_ada, question);
    ASSERT_EQ(of_day->records.size(), 1U);
    const auto by_id = record(agent_of_ada, JournalKind::day_plan, "day_plan:2026-11-17", under_claim());
    ASSERT_TRUE(by_id.ok()) << by_id.error().message;
    EXPECT_EQ(of_day->records[0], *by_id);
    const auto& plan = std::get<model::DayPlan>(by_id->body);
    EXPECT_EQ(plan.note, "");
    ASSERT_EQ(plan.blocks.size(), 1U);
    EXPECT_EQ(plan.blocks[0].id, "b2");
    question.words = "secret";
    EXPECT_EQ(list(agent_of_ada, question)->records.size(), 0U) << "it could be guessed letter by letter";
}

TEST_F(JournalAnswers, name_no_records_of_other_categories) {
    add("steps", "gym", model::Checklist{"report", "Steps", 0});
    add("bag", "gym", model::ChecklistItem{"hers", "Bag", false, 0});
    add("hers", "work", model::Checklist{"report", "Hers", 0});
    add("e", "gym", model::TimeEntry{"report", "", {}, {}, "squats"});
    add("rating:session:x", "gym", model::Rating{model::RatingTarget::session, "x", 3, ""});
    add("x", "work", model::TimeEntry{});
    const auto steps = record(agent_of_ada, JournalKind::checklist, "steps", under_claim());
    ASSERT_TRUE(steps.ok());
    EXPECT_EQ(std::get<model::Checklist>(steps->body).task_id, "");
    const auto bag = record(agent_of_ada, JournalKind::checklist_item, "bag", under_claim());
    ASSERT_TRUE(bag.ok());
    EXPECT_EQ(std::get<model::ChecklistItem>(bag->body).checklist_id, "");
    const auto time = record(agent_of_ada, JournalKind::time_entry, "e", under_claim());
    ASSERT_TRUE(time.ok());
    EXPECT_EQ(std::get<model::TimeEntry>(time->body).task_id, "");
    EXPECT_EQ(std::get<model::TimeEntry>(time->body).source_entry_id, "squats");
    EXPECT_EQ(record(agent_of_ada, JournalKind::rating, "rating:session:x", under_claim()).error().code,
              base::Code::not_found)
        << "its id has that of the time entry";
    EXPECT_TRUE(record(ada, JournalKind::rating, "rating:session:x").ok());
    EXPECT_EQ(std::get<model::Checklist>(record(ada, JournalKind::checklist, "steps")->body).task_id, "report");
}

TEST_F(JournalAnswers, of_one_day_have_all_that_is_asked_for) {
    ports::JournalQuestion question;
    question.kind = JournalKind::day_plan;
    question.plan_date = "2026-11-16";
    EXPECT_EQ(list(ada, question)->records.size(), 1U);
    question.category_id = "gym";
    EXPECT_EQ(list(ada, question)->records.size(), 1U);
    question.category_id = "work";
    EXPECT_EQ(list(ada, question)->records.size(), 0U);
}

TEST_F(JournalAnswers, say_that_an_agent_is_allowed_too_much_to_read) {
    auto& allowed = store.kept_agents.kept.back().agent.allowed_category_ids;
    for (std::size_t i = allowed.size(); i <= base::limits::allowed_categories_max; ++i) {
        allowed.push_back(std::to_string(i));
    }
    const auto refused = record(agent_of_ada, JournalKind::task, "squats", under_claim());
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().reason, "too_many_categories");
    EXPECT_NE(refused.error().message.find("101"), std::string::npos) << refused.error().message;
    ports::JournalAccess some = under_claim();
    some.categories = Words{"gym"};
    EXPECT_TRUE(record(agent_of_ada, JournalKind::task, "squats", some).ok());
}

TEST_F(JournalAnswers, walk_along_the_rarest_term) {
    ports::JournalQuestion question;
    question.kind = JournalKind::task;
    EXPECT_EQ(terms(question), Words{"k:task"});
    question.category_id = "gym";
    EXPECT_EQ(terms(question), Words{"k:task@gym"});
    question.states = {"done"};
    EXPECT_EQ(terms(question), (Words{"s:task:done", "k:task@gym"}));
    store.kept_journal.terms = {"w:milk"};
    question.words = "oat Mil";
    EXPECT_EQ(terms(question), (Words{"w:milk", "w:oat", "s:task:done", "k:task@gym"}));
    question.label_id = "l1";
    question.parent_id = "t1";
    EXPECT_EQ(terms(question), (Words{"w:milk", "p:t1", "l:l1", "w:oat", "s:task:done", "k:task@gym"}));
}

TEST_F(JournalAnswers, go_along_all_words_that_a_beginning_stands_for) {
    ports::JournalQuestion question;
    question.words = "mil";
    store.kept_journal.terms = {"w:milk", "w:mill"};
    EXPECT_TRUE(terms(question).empty());
    EXPECT_EQ(asked().any_of, (Words{"w:milk", "w:mill"}));
    store.kept_journal.terms.clear();
    store.kept_journal.asked = {};
    EXPECT_TRUE(list(ada, question)->records.empty());
    EXPECT_EQ(asked().limit, 0U) << "no word begins so: nothing is walked along";
    question.words = "!";
    EXPECT_EQ(list(ada, question).error().field, "q");
    question.words = "a b c d e f g h i j k l m n o p q";
    EXPECT_EQ(list(ada, question).error().field, "q");
}

TEST_F(JournalAnswers, go_along_each_of_several_states) {
    ports::JournalQuestion question;
    question.kind = JournalKind::task;
    question.states = {"open", "blocked"};
    EXPECT_TRUE(terms(question).empty());
    EXPECT_EQ(asked().any_of, (Words{"s:task:open", "s:task:blocked"}));
    question.access.categories = Words{"gym", "work"};
    EXPECT_TRUE(terms(question).empty());
    EXPECT_EQ(asked().any_of, (Words{"s:task:open", "s:task:blocked"}));
    EXPECT_EQ(asked().categories, question.access.categories);
    question.category_id = "gym";
    question.label_id = "l1";
    EXPECT_EQ(terms(question), (Words{"l:l1", "k:task@gym"}));
    EXPECT_EQ(asked().any_of, (Words{"s:task:open", "s:task:blocked"}));
}

TEST_F(JournalAnswers, look_for_several_states_in_what_another_way_finds) {
    for (const auto [number, status] : {std::pair{9, model::TaskStatus::done}, std::pair{8, model::TaskStatus::blocked},
                                        std::pair{7, model::TaskStatus::open}, std::pair{6, model::TaskStatus::done}}) {
        model::Task task;
        task.status = status;
        task.due_date = "2026-11-16";
        model::JournalRecord record;
        record.number = number;
        record.body = task;
        store.kept_journal.page.records.push_back(record);
    }
    const auto numbers = [](const ports::JournalList& found) {
        std::vector<std::int64_t> all;
        for (const model::JournalRecord& one : found.records) all.push_back(one.number);
        return all;
    };
    ports::JournalQuestion question;
    question.kind = JournalKind::task;
    question.states = {"open", "blocked"};
    question.words = "mil";
    question.limit = 3;
    store.kept_journal.terms = {"w:milk", "w:mill"};
    auto found = list(ada, question);
    ASSERT_TRUE(found.ok());
    EXPECT_EQ(asked().any_of, (Words{"w:milk", "w:mill"}));
    EXPECT_EQ(asked().terms, Words{"k:task"});
    EXPECT_EQ(numbers(*found), (std::vector<std::int64_t>{8, 7}));
    EXPECT_FALSE(found->next.has_value());
    question.words.clear();
    question.due_to = "2026-11-17";
    question.limit = 1;
    found = list(ada, question);
    EXPECT_EQ(numbers(*found), std::vector<std::int64_t>{8});
    ASSERT_TRUE(found->next.has_value());
    EXPECT_EQ(found->next->number, 8);
    EXPECT_EQ(found->next->term, "d:2026-11-16");
}

TEST_F(JournalAnswers, look_for_the_time_between_two_moments_and_stop_where_that_takes_too_long) {
    const auto add_time = [this](std::int64_t number, std::int64_t from, std::optional<base::Timestamp> to) {
        model::TimeEntry time;
        time.started_at = base::Timestamp{from};
        time.ended_at = to;
        model::JournalRecord record;
        record.number = number;
        record.body = time;
        store.kept_journal.page.records.push_back(record);
    };
    add_time(9, 5, base::Timestamp{10});   // is over when it begins
    add_time(8, 5, base::Timestamp{11});   // reaches into it
    add_time(7, 19, base::Timestamp{30});  // and out of it
    add_time(6, 20, base::Timestamp{30});  // begins when it is over
    add_time(5, 1, std::nullopt);          // still runs
    ports::JournalQuestion question;
    question.kind = JournalKind::time_entry;
    question.spent_from = base::Timestamp{10};
    question.spent_to = base::Timestamp{20};
    question.limit = 50;
    const auto found = list(ada, question);
    ASSERT_TRUE(found.ok());
    ASSERT_EQ(found->records.size(), 3U);
    EXPECT_EQ(found->records[0].number, 8);
    EXPECT_EQ(found->records[1].number, 7);
    EXPECT_EQ(found->records[2].number, 5);
    EXPECT_FALSE(found->next.has_value());
    store.kept_journal.page.records.clear();
    for (std::int64_t number = 100; number > 0; --number) add_time(number, 1, base::Timestamp{2});
    const auto stopped = list(ada, question);  // the same hundred again and again
    ASSERT_TRUE(stopped.ok());
    EXPECT_TRUE(stopped->records.empty());
    ASSERT_TRUE(stopped->next.has_value());
    EXPECT_EQ(stopped->next->number, 1);
}

TEST_F(JournalAnswers, go_along_each_allowed_category) {
    ports::JournalQuestion question;
    question.kind = JournalKind::task;
    question.access.categories = Words{"gym", "work"};
    EXPECT_TRUE(terms(question).empty());
    EXPECT_EQ(asked().any_of, (Words{"k:task@gym", "k:task@work"}));
    EXPECT_EQ(asked().categories, question.access.categories);
    question.access.categories = Words{"gym"};
    EXPECT_EQ(terms(question), Words{"k:task@gym"});
    question.access.categories = Words(base::limits::allowed_categories_max + 1, "x");
    EXPECT_EQ(list(ada, question).error().field, "categories");
    store.kept_journal.asked = {};
    question.access.categories = Words{};
    EXPECT_TRUE(list(ada, question)->records.empty());
    EXPECT_EQ(asked().limit, 0U) << "nothing is allowed: nothing is read";
}

TEST_F(JournalAnswers, by_due_date_go_from_one_day_to_the_other_with_it) {
    ports::JournalQuestion question;
    question.kind = JournalKind::task;
    question.due_to = "2026-11-17";
    EXPECT_EQ(terms(question), Words{"k:task"});
    EXPECT_LE(asked().range_from, "d:0001-01-01");
    EXPECT_GT(asked().range_to, "d:2026-11-17");
    EXPECT_LT(asked().range_to, "d:2026-11-18");
    question.due_from = "2026-11-16";
    question.due_to = "";
    question.words = "milk";
    EXPECT_EQ(terms(question), (Words{"w:milk", "k:task"})) << "whole words";
    EXPECT_EQ(asked().range_from, "d:2026-11-16");
    EXPECT_GT(asked().range_to, "d:9999-12-31");
}

TEST_F(JournalAnswers, say_where_the_next_page_begins) {
    ports::JournalQuestion question;
    question.kind = JournalKind::task;
    model::Task task;
    task.due_date = "2026-11-16";
    for (const std::int64_t number : {9, 8, 7}) {
        model::JournalRecord record;
        record.number = number;
        record.body = task;
        store.kept_journal.page.records.push_back(record);
    }
    auto page = list(ada, question);
    ASSERT_TRUE(page.ok());
    EXPECT_EQ(page->records.size(), 2U);
    ASSERT_TRUE(page->next.has_value());
    EXPECT_EQ(page->next->number, 8);
    EXPECT_EQ(page->next->term, "");
    question.due_from = "2026-11-01";
    EXPECT_EQ(list(ada, question)->next->term, "d:2026-11-16");
    store.kept_journal.page.records.resize(1);
    EXPECT_FALSE(list(ada, question)->next.has_value());
    store.kept_journal.page.looked_to = ports::JournalPlace{"", 4};
    EXPECT_EQ(list(ada, question)->next->number, 4) << "it has looked at enough for once";
}

TEST_F(JournalAnswers, of_an_export_hold_tombstones_and_then_the_links) {
    model::Link link;
    link.user_id = "ada";
    link.relation = "next";
    link.from_id = "squats";
    link.to_id = "report";
    store.kept_journal.kept_links = {link};
    ports::ExportQuestion question;
    question.limit = 3;
    const auto ask_for = [&] {
        return answer<ports::ExportPage>([&](auto done) { answers.journal_export(ada, question, done); });
    };
    const auto first = ask_for();
    ASSERT_TRUE(first.ok());
    EXPECT_EQ(first->items.size(), 3U);
    ASSERT_TRUE(first->next.has_value());
    EXPECT_EQ(first->next->number, 3);
    question.after = *first->next;
    const auto second = ask_for();
    ASSERT_TRUE(second.ok());
    ASSERT_EQ(second->items.size(), 2U);
    EXPECT_TRUE(std::get<model::JournalRecord>(second->items[0]).deleted_at.has_value());
    EXPECT_EQ(std::get<model::Link>(second->items[1]), link);
    EXPECT_FALSE(second->next.has_value());
}

}  // namespace
}  // namespace belfry::view
