#include "base/journal_limits.hpp"
#include "sim/journal_world_test.hpp"

namespace belfry::sim {
namespace {

using base::Code;
using model::JournalKind;
using Strings = std::vector<std::string>;

TEST_F(JournalTest, a_record_is_made_changed_and_deleted_and_each_is_one_revision_and_one_change) {
    make("gym", category_wish("Gym"));
    const auto made = make("t", task_wish("Run"), "gym");
    EXPECT_EQ(made.revision, 1);
    EXPECT_EQ(made.created_at, now_);
    EXPECT_EQ(new_changes(),
              (Strings{"category gym user key:CATEGORY sub:category/gym id:gym",
                       "task t user key:TASK sub:task.status/open sub:task.priority/p2 sub:category/gym id:t"}));
    now_ = now_ + base::seconds(1);
    model::Task done;
    done.status = model::TaskStatus::done;
    const auto changed = alter("t", wish_of(done, {"status"}), 1);
    ASSERT_TRUE(changed.ok());
    EXPECT_EQ(changed->revision, 2);
    EXPECT_EQ(changed->updated_at, now_);
    EXPECT_EQ(std::get<model::Task>(changed->body).title, "Run") << "what is not named stays";
    EXPECT_EQ(new_changes(),
              (Strings{"task t user key:TASK sub:task.status/done sub:task.priority/p2 sub:category/gym id:t"}));
    const auto gone = remove(JournalKind::task, "t");
    ASSERT_TRUE(gone.ok());
    EXPECT_EQ(gone->revision, 3);
    EXPECT_EQ(gone->deleted_at, now_);
    EXPECT_EQ(new_changes().size(), 1U);
    EXPECT_EQ(record("t"), *gone);
    expect_terms();
}

TEST_F(JournalTest, nothing_brings_back_what_was_deleted) {
    make("t", task_wish("Run"));
    ASSERT_TRUE(remove(JournalKind::task, "t").ok());
    new_changes();
    EXPECT_EQ(error_of(alter("t", task_wish("Walk"))).code, Code::gone);
    EXPECT_EQ(error_of(remove(JournalKind::task, "t")).code, Code::gone);
    EXPECT_EQ(refusal("t", task_wish("Run")).code, Code::gone);
    EXPECT_EQ(refusal("t", wish_of(model::Label{"l", ""}, {"name"})).code, Code::gone);
    EXPECT_EQ(new_changes(), Strings{});
    EXPECT_EQ(record("t").revision, 2);
}

TEST_F(JournalTest, a_stale_revision_is_refused_and_the_answer_names_the_current_one) {
    make("t", task_wish("Run"));
    ASSERT_TRUE(alter("t", task_wish("Walk"), 1).ok());
    new_changes();
    const base::Error stale = error_of(alter("t", task_wish("Swim"), 1));
    EXPECT_EQ(stale.code, Code::conflict);
    EXPECT_EQ(stale.reason, "stale_revision");
    EXPECT_NE(stale.message.find("revision is 2"), std::string::npos) << stale.message;
    EXPECT_EQ(error_of(remove(JournalKind::task, "t", 1)).reason, "stale_revision");
    EXPECT_EQ(new_changes(), Strings{});
    EXPECT_TRUE(remove(JournalKind::task, "t", 2).ok());
}

TEST_F(JournalTest, what_changes_nothing_is_no_change) {
    const auto made = make("t", task_wish("Run"));
    new_changes();
    now_ = now_ + base::seconds(1);
    EXPECT_EQ(*alter("t", task_wish("Run"), 1), made);
    const auto again = ask(creation("t", task_wish("Run")));
    EXPECT_FALSE(again.is_new);
    EXPECT_EQ(again.record, made);
    EXPECT_EQ(new_changes(), Strings{});
    EXPECT_EQ(refusal("t", task_wish("Walk")).reason, "taken");
    EXPECT_EQ(refusal("t", wish_of(model::Label{"Run", ""}, {"name"})).reason, "taken");
}

TEST_F(JournalTest, what_has_no_category_takes_that_of_what_it_belongs_to_or_the_general_one) {
    make("gym", category_wish("Gym"));
    make("t", task_wish("Run"), "gym");
    EXPECT_EQ(make("c", wish_of(model::Checklist{"t", "Steps", 0}, {"task_id", "title"})).category_id, "gym");
    EXPECT_EQ(make("i", wish_of(model::ChecklistItem{"c", "One", false, 0}, {"checklist_id", "title"})).category_id,
              "gym");
    model::TimeEntry time;
    time.task_id = "t";
    EXPECT_EQ(make("te", wish_of(time, {"task_id"})).category_id, "gym");
    EXPECT_EQ(
        make("", wish_of(model::Rating{model::RatingTarget::session, "te", 4, ""}, {"target", "target_id", "score"}))
            .category_id,
        "gym");
    new_changes();
    EXPECT_EQ(make("", wish_of(model::Rating{model::RatingTarget::day, "2026-11-16", 4, ""},
                               {"target", "target_id", "score"}))
                  .category_id,
              "general");
    EXPECT_EQ(new_changes(), (Strings{"category general user key:CATEGORY sub:category/general id:general",
                                      "rating rating:day:2026-11-16 user key:RATING sub:rating.target/day "
                                      "sub:category/general id:rating:day:2026-11-16"}));
    make("x", task_wish("Rest"));
    EXPECT_EQ(new_changes().size(), 1U) << "it is made once";
    EXPECT_EQ(refusal("y", task_wish("Rest"), "nowhere").field, "category_id");
    EXPECT_EQ(refusal("y", task_wish("Rest"), "t").field, "category_id") << "a task is no category";
    expect_terms();
}

TEST_F(JournalTest, what_is_refused_leaves_nothing_behind) {
    EXPECT_EQ(refusal("c", wish_of(model::Checklist{"no", "Steps", 0}, {"task_id", "title"})).field, "task_id");
    EXPECT_EQ(refusal("t", task_wish("")).field, "title");
    EXPECT_TRUE(look().records.empty()) << "no general category either";
    EXPECT_EQ(new_changes(), Strings{});
}

TEST_F(JournalTest, only_what_is_there_can_be_named) {
    make("t", task_wish("Run"));
    make("l", wish_of(model::Label{"Legs", ""}, {"name"}));
    model::Task task;
    task.label_ids = {"l", "l", "x"};
    EXPECT_EQ(error_of(alter("t", wish_of(task, {"label_ids"}))).field, "label_ids");
    task.label_ids = {"l", "l"};
    ASSERT_TRUE(alter("t", wish_of(task, {"label_ids"})).ok());
    ASSERT_TRUE(remove(JournalKind::label, "l").ok());
    EXPECT_TRUE(alter("t", task_wish("Walk")).ok()) << "what it named before may have gone since";
    EXPECT_EQ(
        refusal("", wish_of(model::Rating{model::RatingTarget::session, "t", 4, ""}, {"target", "target_id", "score"}))
            .field,
        "target_id");
    model::DayPlan plan;
    plan.plan_date = "2026-11-16";
    plan.blocks = {{"b", "", now_, now_ + base::hours(1), "", "t"}};
    EXPECT_EQ(refusal("mine", wish_of(plan, {"plan_date", "blocks"})).field, "id");
    const auto made = make("", wish_of(plan, {"plan_date", "blocks"}));
    EXPECT_EQ(made.id, "day_plan:2026-11-16");
    EXPECT_EQ(std::get<model::DayPlan>(made.body).blocks[0].category_id, "general");
    plan.blocks = {{"b", "", now_, now_ + base::hours(1), "", "no"}};
    EXPECT_EQ(error_of(alter(made.id, wish_of(plan, {"blocks"}))).field, "blocks.task_id");
    EXPECT_EQ(refusal("", wish_of(plan, {"plan_date"})).reason, "taken") << "a day has one plan";
}

TEST_F(JournalTest, others_records_are_not_there) {
    make("t", task_wish("Run"));
    user_ = "bob";
    EXPECT_EQ(error_of(alter("t", task_wish("Walk"))).code, Code::not_found);
    EXPECT_EQ(make("t", task_wish("Sleep")).revision, 1) << "ids are each person's own";
    EXPECT_EQ(record("t").user_id, "bob");
    EXPECT_EQ(error_of(remove(JournalKind::label, "t")).code, Code::not_found) << "it is no label";
    auto foreign = creation("x", task_wish("Spy"));
    foreign->user_id = "ada";
    foreign->principal.role = model::Role::user;
    foreign->principal.user_id = "bob";
    auto* const asked = foreign.get();
    std::vector<ports::AnyCommand> group;
    group.push_back(std::move(foreign));
    const auto effects = engine_->step(now_, std::move(group));
    EXPECT_EQ(asked->result().error().code, Code::not_found);
    using Names = std::vector<std::pair<std::string, std::string>>;
    ASSERT_TRUE(store_->begin().ok());
    EXPECT_EQ(store_->sync().knowledge(Names{{"task", "ada\nt"}, {"task", "bob\nt"}})->size(), 2U);
    store_->rollback();
}

TEST_F(JournalTest, moving_a_task_moves_what_belongs_to_it) {
    make("gym", category_wish("Gym"));
    make("t", task_wish("Run"));
    make("c", wish_of(model::Checklist{"t", "Steps", 0}, {"task_id", "title"}));
    make("i", wish_of(model::ChecklistItem{"c", "One", false, 0}, {"checklist_id", "title"}));
    model::TimeEntry time;
    time.task_id = "t";
    make("te", wish_of(time, {"task_id"}));
    new_changes();
    ASSERT_TRUE(move_to("t", model::Task{}, "gym").ok());
    for (const char* id : {"t", "c", "i", "te"}) {
        EXPECT_EQ(record(id).category_id, "gym") << id;
        EXPECT_EQ(record(id).revision, 2) << id;
    }
    const Strings changes = new_changes();
    EXPECT_EQ(changes.size(), 4U);
    for (const std::string& line : changes) {
        EXPECT_NE(line.find("sub:category/general sub:category/gym"), std::string::npos) << line;
    }
    expect_terms();
}

TEST_F(JournalTest, what_belongs_to_a_record_goes_with_it) {
    make("t", task_wish("Run"));
    make("c", wish_of(model::Checklist{"t", "Steps", 0}, {"task_id", "title"}));
    make("i", wish_of(model::ChecklistItem{"c", "One", false, 0}, {"checklist_id", "title"}));
    model::TimeEntry time;
    time.task_id = "t";
    make("te", wish_of(time, {"task_id"}));
    new_changes();
    ASSERT_TRUE(remove(JournalKind::task, "t").ok());
    for (const char* id : {"t", "c", "i"}) EXPECT_TRUE(record(id).deleted_at) << id;
    EXPECT_FALSE(record("te").deleted_at) << "time that was spent was spent";
    EXPECT_EQ(new_changes().size(), 3U);
    expect_terms();
}

TEST_F(JournalTest, more_than_so_many_are_not_taken_along) {
    make("t", task_wish("Run"));
    make("c", wish_of(model::Checklist{"t", "Steps", 0}, {"task_id", "title"}));
    const auto items = [&](std::size_t count, std::size_t from) {
        std::vector<ports::AnyCommand> group;
        for (std::size_t i = 0; i < count; ++i) {
            auto one = creation("i" + std::to_string(from + i),
                                wish_of(model::ChecklistItem{"c", "x", false, 0}, {"checklist_id", "title"}));
            one->principal = model::house_principal();
            group.push_back(std::move(one));
        }
        engine_->step(now_, std::move(group));
    };
    items(base::limits::journal_followers_max, 0);
    const base::Error refused = error_of(remove(JournalKind::task, "t"));
    EXPECT_EQ(refused.code, Code::too_large);
    EXPECT_NE(refused.message.find("2001"), std::string::npos) << refused.message;
    EXPECT_FALSE(record("i0").deleted_at);
    ASSERT_TRUE(remove(JournalKind::checklist_item, "i0").ok());
    // Time that was spent does not go along, so it does not count either.
    std::vector<ports::AnyCommand> group;
    for (int i = 0; i < 20; ++i) {
        model::TimeEntry time;
        time.task_id = "t";
        time.ended_at = now_;
        auto one = creation("te" + std::to_string(i), wish_of(time, {"task_id", "ended_at"}));
        one->principal = model::house_principal();
        group.push_back(std::move(one));
    }
    engine_->step(now_, std::move(group));
    EXPECT_TRUE(remove(JournalKind::task, "t").ok());
    EXPECT_TRUE(record("i1999").deleted_at);
}

TEST_F(JournalTest, a_category_that_holds_anything_stays) {
    make("gym", category_wish("Gym"));
    make("t", task_wish("Run"), "gym");
    EXPECT_EQ(error_of(remove(JournalKind::category, "gym")).reason, "not_empty");
    ASSERT_TRUE(remove(JournalKind::task, "t").ok());
    EXPECT_TRUE(remove(JournalKind::category, "gym").ok());
    EXPECT_EQ(refusal("u", task_wish("Run"), "gym").field, "category_id");
}

TEST_F(JournalTest, a_person_has_one_running_timer) {
    const auto timer = [] { return wish_of(model::TimeEntry{}, {}); };
    const auto first = make("a", timer());
    EXPECT_EQ(std::get<model::TimeEntry>(first.body).started_at, now_) << "it begins now";
    now_ = now_ + base::minutes(5);
    EXPECT_FALSE(ask(creation("a", timer())).is_new) << "the same wish again finds it";
    EXPECT_EQ(refusal("b", timer()).reason, "running");
    user_ = "bob";
    make("b", timer());
    user_ = "ada";
    model::TimeEntry ended;
    ended.ended_at = now_;
    ASSERT_TRUE(alter("a", wish_of(ended, {"ended_at"})).ok());
    make("b", timer());
    EXPECT_EQ(error_of(alter("a", wish_of(model::TimeEntry{}, {"ended_at"}))).reason, "running");
    ASSERT_TRUE(remove(JournalKind::time_entry, "b").ok());
    EXPECT_TRUE(alter("a", wish_of(model::TimeEntry{}, {"ended_at"})).ok());
    expect_terms();
}

TEST_F(JournalTest, links_are_made_changed_and_deleted_like_records) {
    make("a", task_wish("A"));
    make("b", task_wish("B"));
    new_changes();
    const auto made = ask(link_of("blocked_by", "a", "b"));
    EXPECT_TRUE(made.is_new);
    EXPECT_EQ(made.link.revision, 1);
    const std::string key = rules::link_key("blocked_by", "a", "b");
    EXPECT_EQ(new_changes(), Strings{"link " + key + " user key:LINK sub:link.relation/blocked_by id:a id:b"});
    EXPECT_FALSE(ask(link_of("blocked_by", "a", "b")).is_new);
    EXPECT_EQ(new_changes(), Strings{});
    const auto hidden = ask(link_of("blocked_by", "a", "b", true));
    EXPECT_EQ(hidden.link.revision, 2);
    EXPECT_TRUE(hidden.link.hidden);
    EXPECT_EQ(new_changes().size(), 1U);
    EXPECT_EQ(error_of(unlink("blocked_by", "b", "a")).code, Code::not_found);
    EXPECT_TRUE(unlink("blocked_by", "a", "b").ok());
    EXPECT_EQ(new_changes().size(), 1U);
    EXPECT_EQ(error_of(unlink("blocked_by", "a", "b")).code, Code::gone);
    EXPECT_EQ(error_of(try_to(link_of("blocked_by", "a", "b"))).code, Code::gone);
    EXPECT_EQ(error_of(try_to(link_of("agent_head", "a", "b"))).field, "relation");
    EXPECT_EQ(error_of(try_to(link_of("parent", "a", "x"))).field, "to_id");
    ASSERT_TRUE(remove(JournalKind::task, "b").ok());
    EXPECT_EQ(error_of(try_to(link_of("parent", "a", "b"))).field, "to_id");
}

TEST_F(JournalTest, commands_of_a_group_see_what_earlier_ones_decided) {
    std::vector<ports::AnyCommand> group;
    const auto add = [&](auto command) {
        command->principal = model::house_principal();
        auto* const asked = command.get();
        group.push_back(std::move(command));
        return asked;
    };
    add(creation("gym", category_wish("Gym")));
    add(creation("t", task_wish("Run"), "gym"));
    const auto* const checklist = add(creation("c", wish_of(model::Checklist{"t", "S", 0}, {"task_id", "title"})));
    const auto* const second = add(change_of("t", task_wish("Walk"), 1));
    const auto* const stale = add(change_of("t", task_wish("Swim"), 1));
    const auto* const timer = add(creation("te", wish_of(model::TimeEntry{}, {})));
    const auto* const other = add(creation("te2", wish_of(model::TimeEntry{}, {})));
    const auto* const link = add(link_of("parent", "c", "t"));
    const auto* const gone = add(removal(JournalKind::task, "t", 2));
    const auto effects = engine_->step(now_, std::move(group));
    EXPECT_EQ(checklist->result()->record.category_id, "gym");
    EXPECT_EQ(second->result()->revision, 2);
    EXPECT_EQ(stale->result().error().reason, "stale_revision");
    EXPECT_TRUE(timer->result().ok());
    EXPECT_EQ(other->result().error().reason, "running");
    EXPECT_TRUE(link->result().ok());
    EXPECT_TRUE(gone->result().ok());
    EXPECT_EQ(effects.figures.commits, 1U);
    EXPECT_TRUE(record("c").deleted_at);
    EXPECT_EQ(record("t").revision, 3);
    EXPECT_EQ(new_changes().size(), 9U);
    expect_terms();
}

TEST_F(JournalTest, an_agent_works_under_its_claim_inside_its_categories) {
    make("gym", category_wish("Gym"));
    make("home", category_wish("Home"));
    make("t", task_wish("Run"), "gym");
    make("h", task_wish("Rest"), "home");
    auto agent = std::make_unique<ports::CreateAgent>();
    agent->draft.id = "coach";
    agent->draft.user_id = "ada";
    agent->draft.allowed_category_ids = {"gym"};
    ask(std::move(agent));
    wake_now("coach", "r");
    const auto held = claim("coach");
    ASSERT_TRUE(held);
    const ports::JournalClaim claim{held->wake.id, held->wake.fence};
    const auto claimed = [&](auto command) {
        command->claim = claim;
        return command;
    };
    new_changes();
    EXPECT_TRUE(try_to(claimed(change_of("t", task_wish("Walk")))).ok());
    EXPECT_EQ(new_changes(), Strings{"task t agent:coach key:TASK sub:task.status/open sub:task.priority/p2 "
                                     "sub:category/gym id:t"});
    EXPECT_EQ(error_of(try_to(claimed(change_of("h", task_wish("Nap"))))).code, Code::not_found);
    EXPECT_EQ(error_of(try_to(claimed(creation("x", task_wish("X"), "home")))).reason, "out_of_scope");
    EXPECT_EQ(error_of(try_to(claimed(creation("x", task_wish("X"))))).reason, "out_of_scope") << "general is not its";
    EXPECT_EQ(error_of(try_to(claimed(removal(JournalKind::task, "h")))).code, Code::not_found);
    EXPECT_EQ(error_of(try_to(claimed(link_of("parent", "t", "h")))).field, "to_id");
    EXPECT_EQ(error_of(try_to(claimed(
                           creation("c", wish_of(model::Checklist{"h", "Steps", 0}, {"task_id", "title"}), "gym"))))
                  .field,
              "task_id")
        << "it would belong to what is not its";
    auto away = change_of("t", wish_of(model::Task{}, {}));
    away->wish.category_id = "home";
    EXPECT_EQ(error_of(try_to(claimed(std::move(away)))).reason, "out_of_scope");
    EXPECT_EQ(new_changes(), Strings{});
    EXPECT_TRUE(try_to(claimed(creation("x", task_wish("X"), "gym"))).ok());
    end(held->wake);
    EXPECT_EQ(error_of(try_to(claimed(change_of("t", task_wish("Late"))))).reason, "stale_claim");
}

TEST_F(JournalTest, an_import_takes_records_as_they_are_and_leaves_what_is_there) {
    make("t", task_wish("Run"));
    const auto there = record("t");
    auto gone = there;
    gone.id = "old";
    gone.revision = 7;
    gone.deleted_at = base::Timestamp{5};
    auto differs = there;
    std::get<model::Task>(differs.body).title = "Walk";
    auto bad = there;
    bad.id = "bad";
    std::get<model::Task>(bad.body).due_date = "soon";
    model::Link link;
    link.relation = "parent";
    link.from_id = "t";
    link.to_id = "old";
    link.revision = 3;
    auto nowhere = link;
    nowhere.to_id = "nowhere";
    new_changes();
    auto command = std::make_unique<ports::ImportJournal>();
    command->user_id = "ada";
    command->items = {gone, there, differs, bad, link, nowhere, gone};
    const auto imported = ask(std::move(command));
    EXPECT_EQ(imported.taken, 2U);
    EXPECT_EQ(imported.unchanged, 2U);
    ASSERT_EQ(imported.conflicts.size(), 3U);
    EXPECT_EQ(imported.conflicts[0].item, 2U);
    EXPECT_EQ(imported.conflicts[1].item, 3U);
    EXPECT_EQ(imported.conflicts[2].item, 5U);
    EXPECT_EQ(record("old").revision, 7);
    EXPECT_EQ(record("old").deleted_at, base::Timestamp{5});
    EXPECT_EQ(record("t"), there);
    EXPECT_EQ(new_changes().size(), 2U);
    EXPECT_EQ(error_of(alter("old", task_wish("Back"))).code, Code::gone);
    expect_terms();
}

TEST_F(JournalTest, numbers_go_on_after_a_crash) {
    const auto first = make("a", task_wish("A"));
    crash_and_open();
    const auto second = make("b", task_wish("B"));
    EXPECT_GT(second.number, first.number);
}

TEST_F(JournalTest, is_erased_with_its_person) {
    make("a", task_wish("A"));
    make("b", task_wish("B"));
    ask(link_of("parent", "a", "b"));
    user_ = "bob";
    make("a", task_wish("Other"));
    erase_user("ada");
    const JournalLook all = look();
    EXPECT_TRUE(all.links.empty());
    for (const auto& [key, record] : all.records) EXPECT_EQ(key.first, "bob");
    for (const ports::JournalTerm& term : all.terms) EXPECT_EQ(term.user_id, "bob");
    user_ = "ada";
    EXPECT_EQ(make("a", task_wish("Anew")).revision, 1);
    expect_terms();
}

}  // namespace
}  // namespace belfry::sim
