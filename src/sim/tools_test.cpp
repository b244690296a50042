#include "sim/tools_world_test.hpp"

// How calls of tools are checked, allowed, done once and recorded, whatever the tool.
namespace belfry::sim {
namespace {

using model::ToolStatus;

class Tools : public ToolsWorld {
protected:
    // How many messages of this operation there are in the agent's memory: a call and its result are two.
    std::size_t messages_of(const std::string& operation) {
        EXPECT_TRUE(store_->begin().ok());
        const auto found = store_->agent_messages().newest(held().thread_id, 100);
        store_->rollback();
        EXPECT_TRUE(found.ok());
        return static_cast<std::size_t>(std::ranges::count(
            *found, operation, [](const model::AgentMessage& message) { return message.metadata.operation_id; }));
    }
    std::size_t tasks() {
        const JournalLook all = look();
        return static_cast<std::size_t>(std::ranges::count_if(
            all.records, [](const auto& one) { return one.second.kind() == model::JournalKind::task; }));
    }
};

TEST_F(Tools, a_call_and_its_result_are_recorded_with_what_was_allowed_and_what_was_changed) {
    const auto called = call("create_task", R"({"title":"Run","categoryId":"gym"})", "first");
    const std::string id = text_in(said(called), "task.taskId");
    const model::AgentMessage& action = called->action;
    EXPECT_EQ(action.kind, model::AgentMessageKind::action);
    EXPECT_EQ(action.metadata.operation_id, "first");
    EXPECT_EQ(action.action->tool_name, "create_task");
    EXPECT_EQ(action.action->scope_snapshot, (Names{"gym", "home"}));
    EXPECT_EQ(action.content.bytes(), R"({"title":"Run","categoryId":"gym"})");
    const model::AgentMessage& result = *called->result;
    EXPECT_EQ(result.metadata.action_ref_id, action.id);
    EXPECT_EQ(result.metadata.status, ToolStatus::success);
    EXPECT_EQ(result.tool_result->changed_entity_ids, Names{id});
    EXPECT_EQ(result.tool_result->changed_tokens,
              (Names{"id:" + id, "key:TASK", "sub:category/gym", "sub:task.priority/p2", "sub:task.status/open"}));
    EXPECT_EQ(record(id).category_id, "gym");
    EXPECT_EQ(messages_of("first"), 2U);
}

TEST_F(Tools, whatever_is_refused_is_refused_in_a_result_that_is_recorded_and_changes_nothing) {
    add_task("t", "gym");
    settle_agent("reader", {"gym"}, {"task_read"});
    const Traces before = traces();
    const auto code_of = [&](const std::string& tool, const std::string& arguments, const std::string& operation) {
        const Called called = call(tool, arguments, operation);
        const std::string code = refusal_in(called);
        EXPECT_TRUE(called->result->tool_result->changed_entity_ids.empty());
        EXPECT_EQ(messages_of(called->action.metadata.operation_id), 2U) << code;
        return code;
    };
    EXPECT_EQ(code_of("make_coffee", "{}", "1"), "unknown_tool: there is no tool make_coffee");
    EXPECT_EQ(code_of("create_task", "{}", "2"), "invalid_arguments: title must be given");
    EXPECT_EQ(code_of("create_checklist", R"({"taskId":"t","title":"x","items":[{"title":"y"},{"title":7}]})", "3"),
              "invalid_arguments: items[1].title must be of type string");
    EXPECT_EQ(code_of("create_task", R"({"title":"x","colour":"red"})", "4"), "invalid_arguments: colour is not known");
    EXPECT_EQ(code_of("create_task", R"({"title":"x","categoryId":"gym"})", ""),
              "missing_operation_id: operationId must be given: by it a call that is repeated is known");
    EXPECT_EQ(code_of("create_task", R"({"title":"x","categoryId":"secret"})", "5"),
              "out_of_scope: categoryId: there is no category secret in your categories");
    EXPECT_EQ(
        code_of("conclude_task_with_rollover", R"({"taskId":"t"})", "6"),
        "preview_required: previewToken: call it with previewOnly first, then with the previewToken that it told");
    be("reader");
    EXPECT_EQ(code_of("create_task", R"({"title":"x","categoryId":"gym"})", "7"),
              "not_permitted: create_task needs the capability task_write");
    EXPECT_EQ(traces(), before);
}

TEST_F(Tools, a_call_names_an_operation_of_the_plan_or_a_tool) {
    const auto rejected = call_planned("");
    ASSERT_FALSE(rejected.ok());
    EXPECT_EQ(rejected.error().field, "operation_id");
    EXPECT_EQ(rejected.error().message, "must be given, or a tool_name and its arguments");
    EXPECT_EQ(call_planned("unplanned").error().message, "the plan of this run has no such action");
}

TEST_F(Tools, a_read_needs_no_operation) {
    add_task("t", "gym");
    const Called called = call("list_tasks_in_scope", "{}", "");
    EXPECT_EQ(text_in(said(called), "tasks.0.taskId"), "t");
    EXPECT_EQ(messages_of(called->action.metadata.operation_id), 2U);
}

TEST_F(Tools, an_operation_can_stand_among_the_arguments) {
    const std::string arguments = R"({"title":"x","categoryId":"gym","operationId":"mine"})";
    const model::RawJson first = said(call("create_task", arguments, ""));
    EXPECT_EQ(said(call("create_task", arguments, "")), first);
    EXPECT_EQ(tasks(), 1U);
}

TEST_F(Tools, what_is_elsewhere_and_what_is_nowhere_are_told_alike) {
    add_task("elsewhere", "secret", "A secret");
    make("label", wish_of(model::Label{"L", ""}, {"name"}));
    user_ = "bob";
    add_task("bobs", "general");
    user_ = "ada";
    ASSERT_TRUE(remove(model::JournalKind::label, "label").ok());
    add_task("gone", "gym");
    ASSERT_TRUE(remove(model::JournalKind::task, "gone").ok());
    for (const std::string id : {"elsewhere", "nowhere", "bobs", "gone", "gym", "secret", "label"}) {
        EXPECT_EQ(refused("update_task_priority", R"({"taskId":")" + id + R"(","priority":"p0"})"),
                  "out_of_scope: taskId: there is no task " + id + " in your categories");
        EXPECT_EQ(
            refused("create_task", R"({"title":"x","categoryId":")" + (id == "gym" ? "none" : id) + R"("})"),
            "out_of_scope: categoryId: there is no category " + (id == "gym" ? "none" : id) + " in your categories");
    }
}

TEST_F(Tools, a_result_does_not_name_what_its_records_belong_to_elsewhere) {
    add_task("hidden", "secret");
    model::TimeEntry time{"hidden", "", now_ - base::hours(2), now_ - base::hours(1), ""};
    make("time", wish_of(time, {"task_id", "started_at", "ended_at"}), "gym");
    const auto noted = call("annotate_time_entry", R"({"timeEntryId":"time","note":"x"})");
    said(noted);
    EXPECT_EQ(noted->result->tool_result->changed_tokens, (Names{"id:time", "key:TIME_ENTRY", "sub:category/gym"}));
    add_task("t", "gym");
    model::DayPlan plan;
    plan.plan_date = "2027-01-16";
    make({}, wish_of(plan, {"plan_date"}), "secret");
    const auto pinned = call("pin_day_plan_tasks", R"({"planDate":"2027-01-16","taskIds":["t"]})");
    said(pinned);
    EXPECT_EQ(pinned->result->tool_result->changed_entity_ids, Names{"day_plan:2027-01-16"});
    EXPECT_EQ(pinned->result->tool_result->changed_tokens, (Names{"id:day_plan:2027-01-16", "key:DAY_PLAN"}));
}

TEST_F(Tools, an_agent_without_categories_finds_nothing_and_makes_nothing) {
    add_task("t", "gym");
    settle_agent("nobody", {}, all_capabilities());
    be("nobody");
    EXPECT_EQ(done("list_tasks_in_scope", "{}").bytes(), R"({"tasks":[],"hasMore":false})");
    const Traces before = traces();
    EXPECT_EQ(refused("create_task", R"({"title":"x"})"),
              "out_of_scope: categoryId: this agent has no category to work in");
    EXPECT_EQ(refused("set_task_language", R"({"taskId":"t","language":"de"})"),
              "out_of_scope: taskId: there is no task t in your categories");
    EXPECT_EQ(traces(), before);
}

TEST_F(Tools, the_same_operation_is_done_once_and_has_one_answer_whatever_crashes) {
    const std::string arguments = R"({"title":"x","categoryId":"gym"})";
    const Called first = call("create_task", arguments, "op");
    ASSERT_TRUE(first.ok());
    EXPECT_TRUE(first->is_new);
    crash();
    const Traces before = traces();
    for (int i = 0; i < 3; ++i) {
        const Called again = call("create_task", arguments, "op");
        ASSERT_TRUE(again.ok()) << again.error().message;
        EXPECT_FALSE(again->is_new);
        EXPECT_EQ(again->result->id, first->result->id);
        EXPECT_EQ(again->result->content, first->result->content);
    }
    EXPECT_EQ(traces(), before);
    EXPECT_EQ(messages_of("op"), 2U);
}

TEST_F(Tools, an_operation_is_of_one_call_only) {
    add_task("t", "gym");
    const auto reason_of = [&](const std::string& tool, const std::string& arguments) {
        return error_of(call(tool, arguments, "op")).reason;
    };
    said(call("add_multiple_checklist_items", R"({"taskId":"t","items":[{"title":"x"}]})", "op"));
    const Traces before = traces();
    EXPECT_EQ(reason_of("add_multiple_checklist_items", R"({"taskId":"t","items":[{"title":"y"}]})"),
              "operation_taken");
    EXPECT_EQ(reason_of("create_checklist", R"({"taskId":"t","items":[{"title":"x"}]})"), "operation_taken")
        << "the same arguments for another tool";
    EXPECT_EQ(traces(), before);
}

TEST_F(Tools, a_call_that_no_message_can_hold_is_refused_by_itself) {
    const auto refused_field = [&](const std::string& tool, const std::string& arguments,
                                   const std::string& operation) {
        return error_of(call(tool, arguments, operation)).field;
    };
    EXPECT_EQ(refused_field(std::string(300, 'x'), "{}", "a"), "action.tool_name");
    EXPECT_EQ(refused_field("create_task", "{}", std::string(300, 'x')), "action.operation_id");
    EXPECT_EQ(refused_field("create_task", R"({"title":")" + std::string(300'000, 'x') + R"("})", "b"), "content");
    EXPECT_EQ(refused("create_task", "{}"), "invalid_arguments: title must be given") << "and others go on";
}

TEST_F(Tools, an_answer_that_no_message_can_hold_is_a_refusal_and_nothing_is_done) {
    add_task("t", "gym");
    add_checklist("c", "t");
    std::vector<ports::AnyCommand> group;
    for (int i = 0; i < 1600; ++i) {
        const std::string id = std::to_string(i);
        auto item =
            creation(id + std::string(175 - id.size(), 'x'),
                     wish_of(model::ChecklistItem{"c", "item", false, i}, {"checklist_id", "title", "position"}));
        item->principal = model::house_principal();
        group.push_back(std::move(item));
    }
    const auto effects = engine_->step(now_, std::move(group));
    const Traces before = traces();
    EXPECT_EQ(refused("conclude_task_with_rollover", R"({"taskId":"t","previewOnly":true})"),
              "too_large: its answer would be longer than 262144 bytes: ask for less");
    EXPECT_EQ(traces(), before);
}

TEST_F(Tools, what_was_refused_once_is_refused_again_under_its_operation) {
    const std::string arguments = R"({"taskId":"t","priority":"p0"})";
    const std::string why = refusal_in(call("update_task_priority", arguments, "op"));
    add_task("t", "gym");
    EXPECT_EQ(refusal_in(call("update_task_priority", arguments, "op")), why);
    EXPECT_EQ(said(call("update_task_priority", arguments, "another")), said(call("update_task_priority", arguments)));
}

TEST_F(Tools, two_equal_actions_of_a_plan_are_two_and_each_is_done_once) {
    const ports::ToolWish wish{"create_task", model::RawJson::trusted(R"({"title":"x","categoryId":"gym"})")};
    const auto actions = plan({wish, wish});
    ASSERT_EQ(actions.size(), 2U);
    const std::string first = text_in(said(call_planned(actions[0].operation_id)), "task.taskId");
    crash();
    EXPECT_EQ(text_in(said(call_planned(actions[0].operation_id)), "task.taskId"), first);
    EXPECT_EQ(tasks(), 1U);
    EXPECT_NE(text_in(said(call_planned(actions[1].operation_id)), "task.taskId"), first);
    EXPECT_EQ(tasks(), 2U);
    const Called other = call("create_task", R"({"title":"y","categoryId":"gym"})", actions[1].operation_id);
    EXPECT_EQ(error_of(other).reason, "not_planned");
}

TEST_F(Tools, a_claim_that_is_lost_calls_nothing) {
    const model::Wake old = held();
    finish();
    auto command = std::make_unique<ports::CallTool>();
    command->id = old.id;
    command->fence = old.fence;
    command->operation_id = "op";
    command->call = ports::ToolWish{"create_task", model::RawJson::trusted(R"({"title":"x","categoryId":"gym"})")};
    EXPECT_EQ(error_of(try_to(std::move(command))).reason, "stale_claim");
    EXPECT_EQ(tasks(), 0U);
}

TEST_F(Tools, a_refusal_in_the_middle_leaves_no_trace_not_even_of_what_is_done_next) {
    add_task("t", "gym");
    add_checklist("c", "t");
    add_item("a", "c");
    const Traces before = traces();
    const std::string middle = R"({"items":[{"itemId":"a","checked":true},{"itemId":"nowhere","checked":true}]})";
    EXPECT_EQ(refused("update_checklist_items", middle),
              "out_of_scope: items[1].itemId: there is no checklist item nowhere in your categories");
    EXPECT_EQ(refused("create_checklist", R"({"taskId":"t","title":"new","items":[{"title":"x"},{"title":"\u202e"}]})"),
              "invalid_arguments: title must not have characters that nobody sees or that turn text around");
    EXPECT_EQ(traces(), before);
    // In one transaction with what goes well.
    done("create_checklist", R"({"taskId":"t","title":"new","items":[{"title":"x"}]})");
    const Traces after = traces();
    EXPECT_EQ(after.records.size(), before.records.size() + 2);
    EXPECT_EQ(after.changes.size(), before.changes.size() + 2);
    expect_terms();
    crash();
    EXPECT_EQ(traces(), after);
    EXPECT_EQ(record("a").revision, 1);
}

TEST_F(Tools, calls_of_one_transaction_do_not_undo_each_other) {
    add_task("t", "gym");
    std::vector<ports::AnyCommand> group;
    std::vector<ports::CallTool*> asked;
    const auto add = [&](const std::string& tool, const std::string& arguments) {
        auto command = std::make_unique<ports::CallTool>();
        command->principal = model::house_principal();
        command->id = held().id;
        command->fence = held().fence;
        command->operation_id = "g" + std::to_string(asked.size());
        command->call = ports::ToolWish{tool, model::RawJson::trusted(arguments)};
        asked.push_back(command.get());
        group.push_back(std::move(command));
    };
    add("update_task_priority", R"({"taskId":"t","priority":"p0"})");
    add("conclude_task_with_rollover", R"({"taskId":"t","previewOnly":true})");
    add("set_task_language", R"({"taskId":"t","language":"de"})");
    add("update_checklist_items", R"({"items":[{"itemId":"nowhere","checked":true}]})");
    add("update_task_estimate", R"({"taskId":"t","estimateMinutes":5})");
    const auto effects = engine_->step(now_, std::move(group));
    for (const ports::CallTool* one : asked) ASSERT_TRUE(one->result().ok()) << one->result().error().message;
    const auto task = body<model::Task>("t");
    EXPECT_EQ(task.priority, model::TaskPriority::p0);
    EXPECT_EQ(task.language, "de");
    EXPECT_EQ(task.estimate_min, 5);
    EXPECT_EQ(task.status, model::TaskStatus::open);
    EXPECT_EQ(record("t").revision, 4);
    expect_terms();
}

TEST_F(Tools, a_preview_tells_what_would_change_and_changes_nothing) {
    add_task("t", "gym", "Old");
    add_checklist("c", "t", "Steps");
    add_item("a", "c");
    const Traces before = traces();
    const Called called = call("conclude_task_with_rollover", R"({"taskId":"t","previewOnly":true})");
    const model::RawJson told = said(called);
    EXPECT_EQ(text_in(told, "preview"), "true");
    EXPECT_EQ(text_in(told, "changeCount"), "5");
    EXPECT_EQ(text_in(told, "changes"),
              R"([{"change":"changed","kind":"checklist_item","id":"a","title":"item a"},)"
              R"({"change":"changed","kind":"task","id":"t","title":"Old"},)"
              R"({"change":"made","kind":"checklist","title":"Steps"},{"change":"made","kind":"link"},)"
              R"({"change":"made","kind":"task","title":"Old"}])");
    EXPECT_EQ(text_in(told, "result.task.status"), "done");
    EXPECT_TRUE(called->result->tool_result->changed_entity_ids.empty());
    EXPECT_TRUE(called->result->tool_result->changed_tokens.empty());
    EXPECT_EQ(traces(), before);
    crash();
    EXPECT_EQ(traces(), before);
}

TEST_F(Tools, what_was_seen_is_done_and_nothing_else) {
    add_task("t", "gym", "Old");
    add_task("u", "gym", "Other");
    const std::string arguments = R"({"taskId":"t","closeAs":"rejected"})";
    const std::string token = text_in(preview("conclude_task_with_rollover", arguments), "previewToken");
    const std::string told = R"("previewToken":")" + token + '"';
    const Traces before = traces();
    const std::string stale =
        "preview_required: previewToken: what it would change is not what the preview told: "
        "preview it again";
    EXPECT_EQ(refused("conclude_task_with_rollover", with(R"({"taskId":"u","closeAs":"rejected"})", told)), stale);
    EXPECT_EQ(refused("conclude_task_with_rollover", with(R"({"taskId":"t","closeAs":"done"})", told)), stale);
    EXPECT_EQ(refused("conclude_task_with_rollover", with(arguments, R"("previewToken":"0")")), stale);
    EXPECT_EQ(traces(), before);
    ASSERT_TRUE(alter("t", task_wish("Another title")).ok());
    EXPECT_EQ(refused("conclude_task_with_rollover", with(arguments, told)), stale);
    EXPECT_EQ(body<model::Task>("t").status, model::TaskStatus::open);
    // Arguments in another order are the same call.
    const std::string fresh = text_in(preview("conclude_task_with_rollover", arguments), "previewToken");
    crash();
    done("conclude_task_with_rollover", R"({"previewToken":")" + fresh + R"(","closeAs":"rejected","taskId":"t"})");
    EXPECT_EQ(body<model::Task>("t").status, model::TaskStatus::rejected);
}

TEST_F(Tools, an_argument_can_make_a_tool_one_of_high_risk) {
    add_task("t", "gym");
    done("update_task_fields", R"({"taskId":"t","title":"x"})");
    EXPECT_TRUE(refused("update_task_fields", R"({"taskId":"t","categoryId":"home"})").starts_with("preview_required"));
    EXPECT_EQ(record("t").category_id, "gym");
    done_after_preview("update_task_fields", R"({"taskId":"t","categoryId":"home"})");
    EXPECT_EQ(record("t").category_id, "home");
}

TEST_F(Tools, a_wake_that_is_begun_again_after_a_crash_does_nothing_twice) {
    const ports::ToolWish wish{"create_task", model::RawJson::trusted(R"({"title":"x","categoryId":"gym"})")};
    const auto actions = plan({wish});
    said(call_planned(actions[0].operation_id));
    crash();
    // The claim runs out; another worker goes on with the same run.
    const std::string run_key = held().run_key;
    live(base::limits::wake_lease_default + base::seconds(60));
    be("coach");
    auto granted = claim("coach");
    ASSERT_TRUE(granted);
    ASSERT_EQ(granted->wake.run_key, run_key);
    auto command = std::make_unique<ports::CallTool>();
    command->id = granted->wake.id;
    command->fence = granted->wake.fence;
    command->operation_id = actions[0].operation_id;
    EXPECT_FALSE(ask(std::move(command)).is_new);
    EXPECT_EQ(tasks(), 1U);
}

}  // namespace
}  // namespace belfry::sim
