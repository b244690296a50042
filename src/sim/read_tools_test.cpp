#include "sim/tools_world_test.hpp"

// Tools that read: what they find, and that it is no more than the agent may see.
namespace belfry::sim {
namespace {

class ReadTools : public ToolsWorld {
protected:
    void add_due(const std::string& id, const std::string& category, const std::string& due) {
        model::Task task;
        task.title = id;
        task.due_date = due;
        make(id, wish_of(task, {"title", "due_date"}), category);
    }
    // The ids in a list of an answer, in its order.
    static Names ids(const model::RawJson& says, std::string_view list, std::string_view name = "taskId") {
        Names found;
        const auto array = says.member(list);
        if (!array) return {"no " + std::string(list)};
        model::JsonWalker walker(*array);
        while (const auto one = walker.next()) found.push_back(one->member(name)->as_text());
        return found;
    }
    Names listed(const std::string& arguments) { return ids(done("list_tasks_in_scope", arguments), "tasks"); }
    Names candidates(const std::string& arguments) {
        return ids(done("resolve_task_reference", arguments), "candidates");
    }
    std::string resolved(const std::string& reference) {
        return text_in(done("resolve_task_reference", R"({"reference":")" + reference + R"("})"), "resolvedTaskId");
    }
};

TEST_F(ReadTools, allowed_categories_are_those_that_are_there) {
    settle_agent("guest", {"gym", "nowhere", "general"}, all_capabilities());
    EXPECT_EQ(done("list_allowed_categories", "{}").bytes(),
              R"({"categories":[{"categoryId":"gym","name":"gym"},{"categoryId":"home","name":"home"}]})");
    be("guest");
    EXPECT_EQ(ids(done("list_allowed_categories", "{}"), "categories", "categoryId"), Names{"gym"});
    make("x", task_wish("needs general"));
    EXPECT_EQ(ids(done("list_allowed_categories", "{}"), "categories", "categoryId"), (Names{"general", "gym"}));
    ASSERT_TRUE(remove(model::JournalKind::category, "gym").ok());
    EXPECT_EQ(ids(done("list_allowed_categories", "{}"), "categories", "categoryId"), Names{"general"});
}

TEST_F(ReadTools, tasks_are_listed_by_what_is_asked_for) {
    add_task("a", "gym");
    add_task("b", "home");
    add_task("hidden", "secret");
    model::Task closed;
    closed.status = model::TaskStatus::done;
    ASSERT_TRUE(alter("a", wish_of(closed, {"status"})).ok());
    EXPECT_EQ(listed("{}"), (Names{"b", "a"}));
    EXPECT_EQ(listed(R"({"status":"done"})"), Names{"a"});
    EXPECT_EQ(listed(R"({"categoryId":"home"})"), Names{"b"});
    EXPECT_EQ(listed(R"({"categoryId":"home","status":"done"})"), Names{});
    EXPECT_EQ(text_in(done("list_tasks_in_scope", R"({"limit":1})"), "hasMore"), "true");
    EXPECT_EQ(text_in(done("list_tasks_in_scope", R"({"limit":2})"), "hasMore"), "false");
}

TEST_F(ReadTools, tasks_are_listed_by_their_due_date_with_both_its_bounds) {
    add_due("third", "gym", "2027-01-03");
    add_due("first", "home", "2027-01-01");
    add_due("hidden", "secret", "2027-01-02");
    add_due("second", "gym", "2027-01-02");
    add_task("never", "gym");
    EXPECT_EQ(listed(R"({"dueFrom":"2027-01-01","dueTo":"2027-01-03"})"), (Names{"first", "second", "third"}));
    EXPECT_EQ(listed(R"({"dueFrom":"2027-01-02"})"), (Names{"second", "third"}));
    EXPECT_EQ(listed(R"({"dueTo":"2027-01-02"})"), (Names{"first", "second"}));
    EXPECT_EQ(listed(R"({"dueTo":"2027-01-02","categoryId":"gym"})"), Names{"second"});
    EXPECT_EQ(text_in(done("list_tasks_in_scope", R"({"dueTo":"2027-01-03","limit":2})"), "hasMore"), "true");
    EXPECT_EQ(refused("list_tasks_in_scope", R"({"dueFrom":"2027-01-02","dueTo":"2027-01-01"})"),
              "invalid_arguments: dueTo must not lie before dueFrom");
}

TEST_F(ReadTools, a_category_that_is_not_allowed_and_one_that_is_not_there_are_refused_alike) {
    EXPECT_EQ(refused("list_tasks_in_scope", R"({"categoryId":"secret"})"),
              "out_of_scope: categoryId: there is no category secret in your categories");
    EXPECT_EQ(refused("list_tasks_in_scope", R"({"categoryId":"nowhere"})"),
              "out_of_scope: categoryId: there is no category nowhere in your categories");
}

TEST_F(ReadTools, a_task_is_found_by_its_id_its_title_and_words_of_it) {
    add_task("legs", "gym", "Leg day");
    add_task("milk", "home", "Buy fresh milk for the cat");
    EXPECT_EQ(resolved("legs"), "legs");
    EXPECT_EQ(resolved("LEG day"), "legs");
    EXPECT_EQ(resolved("buy milk"), "milk");
    EXPECT_EQ(resolved("the mil"), "null") << "a beginning: it is not sure enough";
    EXPECT_EQ(candidates(R"({"reference":"mil"})"), Names{"milk"});
    EXPECT_EQ(candidates(R"({"reference":"mil","minConfidence":0.9})"), Names{});
    EXPECT_EQ(candidates(R"({"reference":"bicycle"})"), Names{});
    const auto says = done("resolve_task_reference", R"({"reference":"leg day"})");
    EXPECT_EQ(says.bytes(), R"({"candidates":[{"taskId":"legs","title":"Leg day","status":"open","categoryId":"gym",)"
                            R"("confidence":1}],"resolvedTaskId":"legs"})");
}

TEST_F(ReadTools, where_it_is_not_clear_which_task_is_meant_all_are_told_and_none_is_taken) {
    add_task("old", "gym", "Leg day");
    add_task("new", "home", "Leg day");
    add_task("longer", "gym", "Leg day with Ada");
    const auto says = done("resolve_task_reference", R"({"reference":"leg day"})");
    EXPECT_EQ(ids(says, "candidates"), (Names{"new", "old", "longer"}));
    EXPECT_EQ(text_in(says, "resolvedTaskId"), "null");
    EXPECT_EQ(candidates(R"({"reference":"leg day","limit":1})"), Names{"new"});
    EXPECT_EQ(text_in(done("resolve_task_reference", R"({"reference":"leg day","limit":1})"), "resolvedTaskId"), "null")
        << "a second one that is not shown makes it no clearer";
}

TEST_F(ReadTools, the_one_that_is_meant_is_found_behind_many_that_have_a_word_of_it) {
    const auto add_days = [this](const std::string& prefix) {
        for (int i = 0; i < 60; ++i) add_task(prefix + std::to_string(i), "gym", "day " + std::to_string(i));
    };
    add_days("before");
    add_task("meant", "gym", "Leg day in the park");
    add_days("after");
    EXPECT_EQ(candidates(R"({"reference":"leg day","limit":1})"), Names{"meant"});
    EXPECT_EQ(candidates(R"({"reference":"day par","limit":1})"), Names{"meant"});
}

TEST_F(ReadTools, a_reference_finds_nothing_outside_and_leaves_no_trace) {
    add_task("hidden", "secret", "Leg day");
    add_task("mine", "gym", "Leg days");
    const Traces before = traces();
    EXPECT_EQ(candidates(R"({"reference":"leg day","minConfidence":0})"), Names{"mine"});
    EXPECT_EQ(candidates(R"({"reference":"hidden","minConfidence":0})"), Names{});
    const auto called = call("resolve_task_reference", R"({"reference":"leg days"})");
    EXPECT_EQ(text_in(said(called), "resolvedTaskId"), "mine");
    EXPECT_EQ(called->result->tool_result->changed_entity_ids, Names{});
    EXPECT_TRUE(traces() == before);
}

TEST_F(ReadTools, find_nothing_for_an_agent_without_categories) {
    add_due("a", "gym", "2027-01-01");
    make({}, wish_of(model::Rating{model::RatingTarget::day, "2027-01-01", 4, ""}, {"target", "target_id", "score"}));
    settle_agent("nobody", {}, all_capabilities());
    be("nobody");
    EXPECT_EQ(done("list_allowed_categories", "{}").bytes(), R"({"categories":[]})");
    EXPECT_EQ(listed("{}"), Names{});
    EXPECT_EQ(listed(R"({"dueTo":"2027-12-31"})"), Names{});
    EXPECT_EQ(candidates(R"({"reference":"a"})"), Names{});
    EXPECT_EQ(text_in(done("get_ratings_summary", R"({"from":"2027-01-01","to":"2027-01-02"})"), "count"), "0");
    EXPECT_EQ(done("get_rating_for_target", R"({"target":"day","targetId":"2027-01-01"})").bytes(),
              R"({"rating":null})");
}

TEST_F(ReadTools, a_note_to_itself_is_an_event_of_the_agent) {
    settle_agent("listener", {}, {});
    auto subscription = std::make_unique<ports::PutWakeSubscription>();
    subscription->draft.agent_id = "listener";
    subscription->draft.types = {"agent.self.notify"};
    ask(std::move(subscription));
    const auto said_once =
        call("notify_self", R"({"message":"look again","priority":"high","deliverAt":"immediate"})", "n");
    EXPECT_EQ(call("notify_self", R"({"message":"look again","priority":"high","deliverAt":"immediate"})", "n")->is_new,
              false);
    const std::string id = text_in(said(said_once), "eventId");
    const auto granted = claim("listener");
    ASSERT_TRUE(granted.has_value());
    ASSERT_EQ(granted->signals.size(), 1U);
    EXPECT_EQ(granted->signals[0].key, id);
    EXPECT_EQ(text_in(granted->signals[0].body, "payload.message"), "look again");
    EXPECT_EQ(text_in(granted->signals[0].body, "payload.priority"), "high");
    EXPECT_EQ(text_in(granted->signals[0].body, "payload.deliver_at"), "immediate");
    EXPECT_EQ(refused("notify_self", R"({"message":""})").substr(0, 18), "invalid_arguments:");
}

}  // namespace
}  // namespace belfry::sim
