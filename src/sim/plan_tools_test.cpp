#include "sim/tools_world_test.hpp"

// Tools of day plans. The plan is its person's, in a category that the agent is not allowed; the agent has its part.
namespace belfry::sim {
namespace {

using model::DayPlan;

class PlanTools : public ToolsWorld {
protected:
    static constexpr const char* plan_id = "day_plan:2027-01-16";

    PlanTools() {
        add_task("legs", "gym");
        add_task("dishes", "home");
        add_task("hidden", "secret");
    }

    // A plan of the person with a note, a block and a pinned task that the agent may not see, and a block that it may.
    void plan_by_person() {
        DayPlan plan;
        plan.plan_date = "2027-01-16";
        plan.note = "nobody's business";
        plan.blocks = {block("theirs", "secret", 12, "hidden"), block("mine", "gym", 13, "legs")};
        plan.pinned_task_ids = {"hidden", "legs"};
        make({}, wish_of(plan, {"plan_date", "note", "blocks", "pinned_task_ids"}));
    }
    static model::PlanBlock block(const std::string& id, const std::string& category, int hour,
                                  const std::string& task = {}) {
        const base::Timestamp start = *base::parse_timestamp("2027-01-16T00:00:00Z") + base::hours(hour);
        return {id, category, start, start + base::hours(1), "note of " + id, task};
    }
    // The members of a block of one hour.
    static std::string hour(const std::string& from, const std::string& more = {}) {
        const std::string to = std::to_string(std::stoi(from) + 1);
        return R"({"startTime":"2027-01-16T)" + from + R"(:00:00Z","endTime":"2027-01-16T)" + to + R"(:00:00Z")" +
               more + "}";
    }
    static std::string upserts(const std::string& blocks) {
        return R"({"planDate":"2027-01-16","upserts":[)" + blocks + "]}";
    }
    static std::string anew(const std::string& blocks) {
        return R"({"planDate":"2027-01-16","blocks":[)" + blocks + "]}";
    }
    DayPlan plan() { return body<DayPlan>(plan_id); }
    Names block_ids() {
        Names ids;
        for (const model::PlanBlock& one : plan().blocks) ids.push_back(one.id);
        return ids;
    }
};

TEST_F(PlanTools, a_plan_is_made_once_and_then_got) {
    const std::string wish = R"({"planDate":"2027-01-16"})";
    const auto made = call("get_or_create_day_plan", wish, "op");
    EXPECT_EQ(said(made).bytes(),
              R"({"dayPlan":{"planDate":"2027-01-16","note":"","blocks":[],"pinnedTaskIds":[]},"created":true})");
    EXPECT_EQ(record(plan_id).category_id, "general") << "it is the person's";
    EXPECT_EQ(said(call("get_or_create_day_plan", wish, "op")).bytes(), said(made).bytes());
    const Traces before = traces();
    EXPECT_EQ(text_in(done("get_or_create_day_plan", wish), "created"), "false");
    EXPECT_TRUE(traces() == before);
}

TEST_F(PlanTools, of_a_persons_plan_the_agent_is_told_its_own_part) {
    plan_by_person();
    EXPECT_EQ(done("get_or_create_day_plan", R"({"planDate":"2027-01-16"})").bytes(),
              R"({"dayPlan":{"planDate":"2027-01-16","note":"","blocks":[{"id":"mine","categoryId":"gym",)"
              R"("startTime":"2027-01-16T13:00:00Z","endTime":"2027-01-16T14:00:00Z","note":"note of mine",)"
              R"("taskId":"legs"}],"pinnedTaskIds":["legs"]},"created":false})");
    settle_agent("planner", {"general"}, all_capabilities());
    be("planner");
    const auto whole = done("get_or_create_day_plan", R"({"planDate":"2027-01-16"})");
    EXPECT_EQ(text_in(whole, "dayPlan.note"), "nobody's business") << "of its category";
    EXPECT_EQ(text_in(whole, "dayPlan.blocks"), "[]");
}

TEST_F(PlanTools, an_agent_without_categories_has_no_part_in_any_plan) {
    plan_by_person();
    settle_agent("nobody", {}, all_capabilities());
    be("nobody");
    const Traces before = traces();
    for (const std::string date : {"2027-01-16", "2027-01-17"}) {
        EXPECT_EQ(refused("get_or_create_day_plan", R"({"planDate":")" + date + R"("})").substr(0, 13),
                  "out_of_scope:");
    }
    EXPECT_EQ(refused("upsert_day_plan_blocks", upserts(hour("10"))).substr(0, 13), "out_of_scope:");
    EXPECT_TRUE(traces() == before);
}

TEST_F(PlanTools, blocks_are_added_and_changed_and_others_stay_as_they_are) {
    plan_by_person();
    const DayPlan before = plan();
    const auto says = done("upsert_day_plan_blocks",
                           upserts(hour("15", R"(,"id":"mine")") + ',' +
                                   hour("10", R"(,"categoryId":"home","note":"Wash up","taskId":"dishes")")));
    EXPECT_EQ(text_in(says, "dayPlan.blocks.0.note"), "Wash up") << "by their start";
    EXPECT_EQ(text_in(says, "dayPlan.blocks.1.id"), "mine");
    EXPECT_EQ(text_in(says, "dayPlan.blocks.2.id"), "");
    const DayPlan after = plan();
    ASSERT_EQ(after.blocks.size(), 3U);
    EXPECT_EQ(after.blocks[0].task_id, "dishes");
    EXPECT_EQ(after.blocks[1], before.blocks[0]) << "of another category";
    EXPECT_EQ(after.blocks[2].note, "note of mine") << "what is not named stays";
    EXPECT_EQ(after.blocks[2].task_id, "legs");
    EXPECT_EQ(after.note, before.note);
    EXPECT_EQ(after.pinned_task_ids, before.pinned_task_ids);
    done("upsert_day_plan_blocks", upserts(hour("15", R"(,"id":"mine","note":null,"taskId":null)")));
    EXPECT_EQ(plan().blocks[2].note + plan().blocks[2].task_id, "");
}

TEST_F(PlanTools, a_plan_that_is_not_there_is_made_with_its_blocks) {
    const std::string wish = upserts(hour("10", R"(,"id":"b","categoryId":"gym")"));
    done("upsert_day_plan_blocks", wish);
    EXPECT_EQ(block_ids(), Names{"b"});
    EXPECT_EQ(record(plan_id).revision, 1);
    const Traces before = traces();
    done("upsert_day_plan_blocks", wish);
    EXPECT_TRUE(traces() == before) << "it is like that already";
}

TEST_F(PlanTools, blocks_that_cannot_be_are_refused_by_their_place) {
    plan_by_person();
    const Traces before = traces();
    const auto why = [&](const std::string& blocks) { return refused("upsert_day_plan_blocks", upserts(blocks)); };
    EXPECT_EQ(why(hour("10")),
              "invalid_arguments: upserts[0].categoryId must be given: this agent works in more than "
              "one category");
    const std::string good = hour("10", R"(,"categoryId":"gym")");
    EXPECT_EQ(why(good + "," + hour("10", R"(,"categoryId":"secret")")),
              "out_of_scope: upserts[1].categoryId: there is no category secret in your categories");
    EXPECT_EQ(why(hour("10", R"(,"categoryId":"gym","taskId":"hidden")")),
              "out_of_scope: upserts[0].taskId: there is no task hidden in your categories");
    EXPECT_EQ(why(R"({"categoryId":"gym","startTime":"2027-01-16T10:00:00Z","endTime":"2027-01-16T10:00:00Z"})"),
              "invalid_arguments: upserts[0].endTime must lie after startTime");
    EXPECT_EQ(why(R"({"categoryId":"gym","startTime":"2027-01-16T10:00:00Z","endTime":"2027-01-17T10:00:01Z"})"),
              "invalid_arguments: upserts[0].endTime must not lie more than 24 hours after startTime");
    for (const std::string start : {"2027-01-15T09:59:59Z", "2027-01-17T12:00:00Z"}) {
        EXPECT_EQ(why(R"({"categoryId":"gym","startTime":")" + start + R"(","endTime":"2027-01-17T12:30:00Z"})"),
                  "invalid_arguments: upserts[0].startTime must lie on the day of the plan");
    }
    EXPECT_EQ(why(hour("10", R"(,"id":"theirs","categoryId":"gym")")).substr(0, 6), "taken:")
        << "a block that it was not shown";
    EXPECT_EQ(why(""), "invalid_arguments: upserts must be given, or deletes");
    EXPECT_TRUE(traces() == before);
    // Wherever on earth it is that day.
    done("upsert_day_plan_blocks", upserts(R"({"categoryId":"gym","startTime":"2027-01-16T00:00:00+14:00",)"
                                           R"("endTime":"2027-01-16T01:00:00+14:00"},)"
                                           R"({"categoryId":"gym","startTime":"2027-01-16T23:00:00-12:00",)"
                                           R"("endTime":"2027-01-17T01:00:00-12:00"})"));
    EXPECT_EQ(block_ids().size(), 4U);
}

TEST_F(PlanTools, to_take_blocks_away_is_told_before_it_is_done) {
    plan_by_person();
    const std::string wish = R"({"planDate":"2027-01-16","deletes":["mine"]})";
    const Traces before = traces();
    EXPECT_EQ(refused("upsert_day_plan_blocks", wish).substr(0, 17), "preview_required:");
    const auto told = preview("upsert_day_plan_blocks", wish);
    EXPECT_EQ(text_in(told, "changeCount"), "1");
    EXPECT_EQ(text_in(told, "changes.0.change"), "changed");
    EXPECT_EQ(text_in(told, "changes.0.id"), plan_id);
    EXPECT_EQ(text_in(told, "result.dayPlan.blocks"), "[]");
    EXPECT_TRUE(traces() == before);
    done_after_preview("upsert_day_plan_blocks", wish);
    EXPECT_EQ(block_ids(), Names{"theirs"});
    for (const std::string id : {"theirs", "mine"}) {
        EXPECT_EQ(refused("upsert_day_plan_blocks", R"({"planDate":"2027-01-16","deletes":[")" + id + R"("]})"),
                  "out_of_scope: deletes: there is no block " + id + " of your categories");
    }
    EXPECT_EQ(refused("upsert_day_plan_blocks",
                      with(upserts(hour("10", R"(,"id":"x","categoryId":"gym")")), R"("deletes":["x"])")),
              "invalid_arguments: upserts[0].id must not be among deletes, too");
}

TEST_F(PlanTools, a_day_is_planned_anew_after_a_preview_and_what_others_planned_stays) {
    plan_by_person();
    const DayPlan before = plan();
    const std::string wish = anew(hour("10", R"(,"id":"early","categoryId":"home")") + "," +
                                  hour("14", R"(,"id":"mine","categoryId":"gym")"));
    const Traces untouched = traces();
    EXPECT_EQ(refused("replan_day_blocks", wish).substr(0, 17), "preview_required:");
    const auto told = preview("replan_day_blocks", wish);
    EXPECT_EQ(text_in(told, "preview"), "true");
    EXPECT_EQ(text_in(told, "changes.0.kind"), "day_plan");
    EXPECT_EQ(text_in(told, "result.dayPlan.blocks.0.id"), "early");
    EXPECT_TRUE(traces() == untouched) << "a preview changes nothing";
    done_after_preview("replan_day_blocks", wish);
    EXPECT_EQ(block_ids(), (Names{"early", "theirs", "mine"}));
    EXPECT_EQ(plan().blocks[1], before.blocks[0]);
    EXPECT_EQ(plan().blocks[2].note, "") << "it is planned anew";
    EXPECT_EQ(plan().note, before.note);
    done_after_preview("replan_day_blocks", anew(""));
    EXPECT_EQ(block_ids(), Names{"theirs"});
}

TEST_F(PlanTools, what_was_changed_since_the_preview_has_to_be_previewed_again) {
    plan_by_person();
    const std::string wish = anew(hour("10", R"(,"categoryId":"gym")"));
    const std::string token = text_in(preview("replan_day_blocks", wish), "previewToken");
    DayPlan note;
    note.note = "changed";
    ASSERT_TRUE(alter(plan_id, wish_of(note, {"note"})).ok());
    const Traces before = traces();
    EXPECT_EQ(refused("replan_day_blocks", with(wish, R"("previewToken":")" + token + '"')).substr(0, 17),
              "preview_required:");
    EXPECT_TRUE(traces() == before);
}

TEST_F(PlanTools, tasks_are_pinned_and_unpinned_beside_those_of_others) {
    plan_by_person();
    const std::string wish = R"({"planDate":"2027-01-16","taskIds":["dishes","legs"]})";
    EXPECT_EQ(text_in(done("pin_day_plan_tasks", wish), "dayPlan.pinnedTaskIds"), R"(["legs","dishes"])");
    EXPECT_EQ(plan().pinned_task_ids, (Names{"hidden", "legs", "dishes"}));
    const Traces before = traces();
    done("pin_day_plan_tasks", wish);
    EXPECT_TRUE(traces() == before) << "they are pinned";
    EXPECT_EQ(refused("pin_day_plan_tasks", R"({"planDate":"2027-01-16","taskIds":["legs","hidden"],"unpin":true})"),
              "out_of_scope: taskIds: there is no task hidden in your categories");
    EXPECT_TRUE(traces() == before);
    done("pin_day_plan_tasks", with(wish, R"("unpin":true)"));
    EXPECT_EQ(plan().pinned_task_ids, Names{"hidden"});
}

TEST_F(PlanTools, a_pinned_task_that_was_deleted_can_be_unpinned_and_none_is_unpinned_from_nothing) {
    plan_by_person();
    ASSERT_TRUE(remove(model::JournalKind::task, "legs").ok());
    done("pin_day_plan_tasks", R"({"planDate":"2027-01-16","taskIds":["legs"],"unpin":true})");
    EXPECT_EQ(plan().pinned_task_ids, Names{"hidden"});
    const Traces before = traces();
    EXPECT_EQ(text_in(done("pin_day_plan_tasks", R"({"planDate":"2027-01-17","taskIds":["dishes"],"unpin":true})"),
                      "dayPlan.pinnedTaskIds"),
              "[]");
    EXPECT_TRUE(traces() == before) << "no plan is made for it";
}

TEST_F(PlanTools, of_a_plan_outside_its_categories_an_agent_changes_its_own_part_only) {
    plan_by_person();
    const auto as_agent = [&](auto command) {
        command->user_id.clear();
        command->claim = ports::JournalClaim{held().id, held().fence};
        return try_to(std::move(command));
    };
    DayPlan wish;
    wish.note = "mine now";
    EXPECT_EQ(error_of(as_agent(change_of(plan_id, wish_of(wish, {"note"})))).reason, "out_of_scope");
    model::JournalWish moved = wish_of(wish, {});
    moved.category_id = "gym";
    EXPECT_EQ(error_of(as_agent(change_of(plan_id, moved))).reason, "out_of_scope");
    moved = wish_of(wish, {});
    moved.extension = model::RawJson::trusted(R"({"acme.colour":"red"})");
    EXPECT_EQ(error_of(as_agent(change_of(plan_id, moved))).reason, "out_of_scope");
    EXPECT_EQ(error_of(as_agent(removal(model::JournalKind::day_plan, plan_id))).reason, "out_of_scope");
    EXPECT_EQ(error_of(as_agent(link_of("about", "legs", plan_id))).code, base::Code::invalid);
    wish.plan_date = "2027-01-17";
    EXPECT_EQ(error_of(as_agent(creation({}, wish_of(wish, {"plan_date", "note"})))).reason, "out_of_scope");
    EXPECT_EQ(error_of(as_agent(creation({}, wish_of(wish, {"plan_date"}), "secret"))).reason, "out_of_scope");
    EXPECT_TRUE(as_agent(creation({}, wish_of(wish, {"plan_date"}), "gym")).ok());
    wish.blocks = {block("added", "gym", 15)};
    const auto changed = as_agent(change_of(plan_id, wish_of(wish, {"blocks"})));
    ASSERT_TRUE(changed.ok()) << changed.error().message;
    EXPECT_EQ(std::get<DayPlan>(changed->body).note, "");
    EXPECT_EQ(block_ids(), (Names{"theirs", "added"}));
}

}  // namespace
}  // namespace belfry::sim
