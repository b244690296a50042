#include "rules/json_schema.hpp"
#include "sim/tools_world_test.hpp"
#include "tools/registry.hpp"

// The tools of tasks and of their checklists.
namespace belfry::sim {
namespace {

using model::Task;
using model::TaskStatus;

class TaskTools : public ToolsWorld {
protected:
    TaskTools() {
        for (const std::string id : {"red", "blue"}) make(id, wish_of(model::Label{id, ""}, {"name"}));
        Task task;
        task.title = "Build";
        task.label_ids = {"red", "blue"};
        make("t", wish_of(task, {"title", "label_ids"}), "gym");
    }
    // What a tool says fits what it says that it says.
    model::RawJson fitting(const std::string& tool, model::RawJson says) {
        const tools::Tool* const found = tools::find_tool(tool);
        EXPECT_NE(found, nullptr) << tool;
        if (found == nullptr) return says;
        const auto fits = rules::check_against(found->contract.output_schema.view(), says.view(), "answer");
        EXPECT_TRUE(fits.ok()) << fits.error().message;
        return says;
    }
    model::RawJson tell(const std::string& tool, const std::string& arguments) {
        return fitting(tool, done(tool, arguments));
    }
    model::RawJson tell_after_preview(const std::string& tool, const std::string& arguments) {
        return fitting(tool, done_after_preview(tool, arguments));
    }
    // Two checklists: in the first a is open, b checked and c open, in the second d is checked and e open.
    void add_checklists() {
        add_checklist("first", "t", "First");
        add_checklist("second", "t", "Second");
        add_item("c", "first", false, 2);
        add_item("b", "first", true, 1);
        add_item("a", "first", false, 0);
        add_item("d", "second", true);
        add_item("e", "second");
    }
    // Of all items that are there: in which checklist, checked or not.
    std::string where(const std::string& item) {
        const auto there = body<model::ChecklistItem>(item);
        return there.checklist_id + (there.checked ? " checked" : "");
    }
    std::vector<std::string> ids_in(const model::RawJson& says, const std::string& path, const std::string& name) {
        std::vector<std::string> ids;
        for (std::size_t i = 0;; ++i) {
            const std::string at = path + '.' + std::to_string(i);
            const std::string id = text_in(says, name.empty() ? at : at + '.' + name);
            if (id.empty()) return ids;
            ids.push_back(id);
        }
    }
};

TEST_F(TaskTools, a_field_of_a_task_is_set_and_taken_away) {
    EXPECT_EQ(text_in(tell("set_task_language", R"({"taskId":"t","language":"pt-BR"})"), "task.language"), "pt-BR");
    EXPECT_EQ(text_in(tell("update_task_estimate", R"({"taskId":"t","estimateMinutes":90})"), "task.estimateMinutes"),
              "90");
    EXPECT_EQ(text_in(tell("update_task_due_date", R"({"taskId":"t","dueDate":"2026-12-01"})"), "task.dueDate"),
              "2026-12-01");
    EXPECT_EQ(text_in(tell("update_task_priority", R"({"taskId":"t","priority":"p0"})"), "task.priority"), "p0");
    Task task = body<Task>("t");
    EXPECT_EQ(task.language, "pt-BR");
    EXPECT_EQ(task.estimate_min, 90);
    EXPECT_EQ(task.due_date, "2026-12-01");
    EXPECT_EQ(task.priority, model::TaskPriority::p0);
    EXPECT_EQ(task.title, "Build");
    tell("update_task_estimate", R"({"taskId":"t","estimateMinutes":null})");
    tell("update_task_due_date", R"({"taskId":"t","dueDate":null})");
    task = body<Task>("t");
    EXPECT_FALSE(task.estimate_min);
    EXPECT_EQ(task.due_date, "");
    EXPECT_EQ(record("t").revision, 7);
}

TEST_F(TaskTools, what_is_no_value_of_a_field_is_refused_by_its_name) {
    const Traces before = traces();
    EXPECT_EQ(refused("set_task_language", R"({"taskId":"t","language":"de_AT"})"),
              "invalid_arguments: language must be a language tag, such as pt-BR");
    EXPECT_EQ(refused("update_task_estimate", R"({"taskId":"t","estimateMinutes":-1})"),
              "invalid_arguments: estimateMinutes must be at least 0");
    EXPECT_EQ(refused("update_task_estimate", R"({"taskId":"t"})"), "invalid_arguments: estimateMinutes must be given");
    EXPECT_EQ(refused("update_task_due_date", R"({"taskId":"t","dueDate":"2026-02-30"})"),
              "invalid_arguments: dueDate must be a day such as 2026-11-16");
    EXPECT_EQ(refused("update_task_priority", R"({"taskId":"t","priority":"P0"})"),
              R"(invalid_arguments: priority must be one of ["p0","p1","p2","p3"])");
    EXPECT_EQ(refused("update_task_fields", R"({"taskId":"t"})"),
              "invalid_arguments: name at least one field that is to change");
    EXPECT_EQ(refused("assign_task_labels", R"({"taskId":"t","labelIds":["green"]})"),
              "invalid_arguments: labelIds: there is no label green");
    EXPECT_EQ(traces(), before);
}

TEST_F(TaskTools, labels_are_added_taken_away_and_replaced) {
    make("green", wish_of(model::Label{"green", ""}, {"name"}));
    const auto labels = [&](const std::string& mode, const std::string& ids) {
        const std::string arguments = R"({"taskId":"t","labelIds":)" + ids + mode + '}';
        return ids_in(tell("assign_task_labels", arguments), "task.labelIds", "");
    };
    EXPECT_EQ(labels("", R"(["green","red"])"), (Names{"red", "blue", "green"}));
    EXPECT_EQ(labels(R"(,"mode":"remove")", R"(["blue","nowhere"])"), (Names{"red", "green"}));
    EXPECT_EQ(labels(R"(,"mode":"replace")", R"(["blue"])"), Names{"blue"});
    EXPECT_EQ(labels(R"(,"mode":"replace")", "[]"), Names{});
    EXPECT_EQ(body<Task>("t").label_ids, Names{});
}

TEST_F(TaskTools, several_fields_are_changed_at_once) {
    const model::RawJson says =
        tell("update_task_fields",
             R"({"taskId":"t","title":"New","text":"Why","status":"blocked","priority":"p1","dueDate":"2026-12-01",)"
             R"("estimateMinutes":5,"language":"de","labelIds":["red"]})");
    EXPECT_EQ(text_in(says, "task.status"), "blocked");
    const Task task = body<Task>("t");
    EXPECT_EQ(task.title, "New");
    EXPECT_EQ(task.text, "Why");
    EXPECT_EQ(task.label_ids, Names{"red"});
    EXPECT_EQ(record("t").revision, 2);
}

TEST_F(TaskTools, a_move_takes_all_along_and_needs_both_sides) {
    add_checklists();
    for (const std::string to : {"secret", "nowhere"}) {
        EXPECT_EQ(refused("update_task_fields", R"({"taskId":"t","categoryId":")" + to + R"(","previewOnly":true})"),
                  "out_of_scope: categoryId: there is no category " + to + " in your categories");
    }
    add_task("s", "secret");
    EXPECT_EQ(refused("update_task_fields", R"({"taskId":"s","categoryId":"home","previewOnly":true})"),
              "out_of_scope: taskId: there is no task s in your categories");
    ASSERT_TRUE(remove(model::JournalKind::task, "s").ok());
    EXPECT_EQ(record("t").category_id, "gym");
    EXPECT_EQ(text_in(preview("update_task_fields", R"({"taskId":"t","categoryId":"home"})"), "changeCount"), "8");
    tell_after_preview("update_task_fields", R"({"taskId":"t","categoryId":"home"})");
    for (const std::string id : {"t", "first", "second", "a", "e"}) EXPECT_EQ(record(id).category_id, "home") << id;
    expect_terms();
}

TEST_F(TaskTools, what_belongs_to_a_task_and_lies_elsewhere_is_neither_moved_nor_told) {
    add_checklists();
    ASSERT_TRUE(move_to("a", model::ChecklistItem{}, "secret").ok());
    const model::RawJson told = preview("conclude_task_with_rollover", R"({"taskId":"t"})");
    EXPECT_EQ(told.bytes().find("\"a\""), std::string::npos);
    EXPECT_EQ(told.bytes().find("item a"), std::string::npos);
    const model::RawJson says = tell_after_preview("conclude_task_with_rollover", R"({"taskId":"t"})");
    EXPECT_EQ(ids_in(says, "movedItemIds", ""), (Names{"c", "e"}));
    EXPECT_EQ(where("a"), "first");
    EXPECT_EQ(record("a").revision, 2);
}

TEST_F(TaskTools, items_of_a_task_that_lies_elsewhere_do_not_tell_of_it) {
    add_checklists();
    ASSERT_TRUE(move_to("t", Task{}, "secret").ok());
    for (const std::string id : {"first", "a"}) {
        ASSERT_TRUE(
            move_to(id, id == "a" ? model::JournalBody(model::ChecklistItem{}) : model::Checklist{}, "gym").ok());
    }
    const Traces before = traces();
    EXPECT_EQ(refused("move_checklist_items_to_new_task", R"({"itemIds":["a"],"newTaskTitle":"x","previewOnly":true})"),
              "out_of_scope: what it would link is not all in your categories");
    EXPECT_EQ(traces(), before);
}

TEST_F(TaskTools, a_checklist_is_made_with_its_items_in_their_order) {
    const model::RawJson says = tell(
        "create_checklist",
        R"({"taskId":"t","title":"Steps","items":[{"title":"one"},{"title":"two","checked":true},{"title":"three"}]})");
    EXPECT_EQ(text_in(says, "checklist.taskId"), "t");
    EXPECT_EQ(ids_in(says, "checklist.items", "title"), (Names{"one", "two", "three"}));
    EXPECT_EQ(ids_in(says, "checklist.items", "checked"), (Names{"false", "true", "false"}));
    const std::string id = text_in(says, "checklist.checklistId");
    EXPECT_EQ(body<model::Checklist>(id).title, "Steps");
    const Names items = ids_in(says, "checklist.items", "itemId");
    for (std::size_t i = 0; i < 3; ++i) {
        const auto item = body<model::ChecklistItem>(items[i]);
        EXPECT_EQ(item.position, static_cast<std::int64_t>(i));
        EXPECT_EQ(item.checked, i == 1);
        EXPECT_EQ(item.checklist_id, id);
        EXPECT_EQ(record(items[i]).category_id, "gym");
    }
    const model::RawJson second = tell("create_checklist", R"({"taskId":"t","title":"More"})");
    EXPECT_EQ(body<model::Checklist>(text_in(second, "checklist.checklistId")).position, 1);
}

TEST_F(TaskTools, items_are_added_behind_the_others_of_the_first_checklist_which_is_made_where_there_is_none) {
    const auto add = [&](const std::string& to) {
        return tell("add_multiple_checklist_items", R"({)" + to + R"(,"items":[{"title":"x"},{"title":"y"}]})");
    };
    const model::RawJson made = add(R"("taskId":"t")");
    const std::string id = text_in(made, "checklist.checklistId");
    EXPECT_EQ(body<model::Checklist>(id).title, "Checklist");
    tell("create_checklist", R"({"taskId":"t","title":"Second"})");
    const model::RawJson again = add(R"("taskId":"t")");
    EXPECT_EQ(text_in(again, "checklist.checklistId"), id);
    EXPECT_EQ(ids_in(again, "checklist.items", "itemId").size(), 2U) << "the new ones only";
    EXPECT_EQ(body<model::ChecklistItem>(text_in(again, "checklist.items.1.itemId")).position, 3);
    EXPECT_EQ(text_in(add(R"("checklistId":")" + id + '"'), "checklist.checklistId"), id);
    const Traces before = traces();
    EXPECT_EQ(refused("add_multiple_checklist_items", R"({"items":[{"title":"x"}]})"),
              "invalid_arguments: taskId must be given, or a checklistId");
    EXPECT_EQ(refused("add_multiple_checklist_items",
                      R"({"taskId":"t","checklistId":")" + id + R"(","items":[{"title":"x"}]})"),
              "invalid_arguments: taskId does not go with a checklistId");
    EXPECT_EQ(refused("add_multiple_checklist_items", R"({"taskId":"t","items":[]})"),
              "invalid_arguments: items must have a number of entries of at least 1");
    EXPECT_EQ(traces(), before);
}

TEST_F(TaskTools, items_are_checked_and_named_anew) {
    add_checklists();
    const model::RawJson says =
        tell("update_checklist_items",
             R"({"items":[{"itemId":"a","checked":true},{"itemId":"b","checked":false,"title":"Bee"}]})");
    EXPECT_EQ(ids_in(says, "items", "checked"), (Names{"true", "false"}));
    EXPECT_EQ(where("a"), "first checked");
    EXPECT_EQ(body<model::ChecklistItem>("a").title, "item a");
    EXPECT_EQ(where("b"), "first");
    EXPECT_EQ(body<model::ChecklistItem>("b").title, "Bee");
    const Traces before = traces();
    EXPECT_EQ(refused("update_checklist_items", R"({"items":[{"itemId":"c","checked":true},{"itemId":"a"}]})"),
              "invalid_arguments: items[1].itemId is to have another title, or to be checked or not");
    EXPECT_EQ(traces(), before);
}

TEST_F(TaskTools, items_are_moved_behind_those_of_another_checklist) {
    add_checklists();
    const std::string arguments = R"({"itemIds":["c","b"],"fromChecklistId":"first","toChecklistId":"second"})";
    EXPECT_TRUE(refused("move_checklist_items", arguments).starts_with("preview_required"));
    const model::RawJson says = tell_after_preview("move_checklist_items", arguments);
    EXPECT_EQ(text_in(says, "checklist.checklistId"), "second");
    EXPECT_EQ(ids_in(says, "checklist.items", "itemId"), (Names{"c", "b"}));
    EXPECT_EQ(where("c"), "second");
    EXPECT_EQ(where("b"), "second checked");
    EXPECT_EQ(body<model::ChecklistItem>("c").position, 1);
    EXPECT_EQ(body<model::ChecklistItem>("b").position, 2);
    EXPECT_EQ(where("a"), "first");
    tell_after_preview("move_checklist_items", R"({"itemIds":["b"],"fromChecklistId":"second","toChecklistId":"first",)"
                                               R"("preserveCheckedState":false})");
    EXPECT_EQ(where("b"), "first");
}

TEST_F(TaskTools, items_go_to_another_category_only_where_both_are_allowed) {
    add_checklists();
    add_task("h", "home");
    add_checklist("there", "h");
    add_task("s", "secret");
    add_checklist("hidden", "s");
    add_item("s1", "hidden");
    const Traces before = traces();
    const auto move = [](const std::string& item, const std::string& from, const std::string& to) {
        return R"({"itemIds":[")" + item + R"("],"fromChecklistId":")" + from + R"(","toChecklistId":")" + to + R"("})";
    };
    for (const std::string id : {"hidden", "nowhere"}) {
        const std::string why = ": there is no checklist " + id + " in your categories";
        EXPECT_EQ(refused("move_checklist_items", move("a", "first", id)), "out_of_scope: toChecklistId" + why);
        EXPECT_EQ(refused("move_checklist_items", move("s1", id, "first")), "out_of_scope: fromChecklistId" + why);
    }
    for (const std::string id : {"s1", "nowhere"}) {
        EXPECT_EQ(refused("move_checklist_items", move(id, "first", "there")),
                  "out_of_scope: itemIds[0]: there is no checklist item " + id + " in your categories");
    }
    EXPECT_EQ(refused("move_checklist_items", move("e", "first", "there")),
              "invalid_arguments: itemIds[0] is not of fromChecklistId");
    EXPECT_EQ(refused("move_checklist_items", move("a", "first", "first")),
              "invalid_arguments: toChecklistId is where they are already");
    EXPECT_EQ(refused("move_checklist_items", move(R"(a","a)", "first", "there")),
              "invalid_arguments: itemIds[1] stands there twice");
    EXPECT_EQ(traces(), before);
    tell_after_preview("move_checklist_items", move("a", "first", "there"));
    EXPECT_EQ(where("a"), "there");
    EXPECT_EQ(record("a").category_id, "home");
    expect_terms();
}

TEST_F(TaskTools, items_become_a_task_that_follows_theirs) {
    add_checklists();
    const std::string arguments = R"({"itemIds":["e","b"],"newTaskTitle":"Rest"})";
    const Called seen = call("move_checklist_items_to_new_task", with(arguments, R"("previewOnly":true)"));
    const std::string token = text_in(said(seen), "previewToken");
    const Called called =
        call("move_checklist_items_to_new_task", with(arguments, R"("previewToken":")" + token + '"'));
    const model::RawJson says = fitting("move_checklist_items_to_new_task", said(called));
    const std::string task = text_in(says, "task.taskId");
    const std::string checklist = text_in(says, "checklist.checklistId");
    EXPECT_EQ(record(task).category_id, "gym");
    EXPECT_EQ(body<Task>(task).title, "Rest");
    EXPECT_EQ(body<model::Checklist>(checklist).task_id, task);
    EXPECT_EQ(body<model::Checklist>(checklist).title, "Second");
    EXPECT_EQ(where("e"), checklist);
    EXPECT_EQ(where("b"), checklist + " checked");
    EXPECT_TRUE(is_linked("follow_up", "t", task));
    EXPECT_EQ(called->result->tool_result->changed_entity_ids.size(), 5U);
    const Names& tokens = called->result->tool_result->changed_tokens;
    for (const std::string key : {"key:TASK", "key:CHECKLIST", "key:CHECKLIST_ITEM", "key:LINK"}) {
        EXPECT_NE(std::ranges::find(tokens, key), tokens.end()) << key;
    }
}

TEST_F(TaskTools, a_task_of_items_goes_to_a_category_that_is_allowed) {
    add_checklists();
    const Traces before = traces();
    EXPECT_EQ(refused("move_checklist_items_to_new_task",
                      R"({"itemIds":["a"],"newTaskTitle":"x","categoryId":"secret","previewOnly":true})"),
              "out_of_scope: categoryId: there is no category secret in your categories");
    EXPECT_EQ(traces(), before);
    const model::RawJson says = tell_after_preview("move_checklist_items_to_new_task",
                                                   R"({"itemIds":["a"],"newTaskTitle":"x","categoryId":"home"})");
    EXPECT_EQ(record(text_in(says, "task.taskId")).category_id, "home");
    EXPECT_EQ(record("a").category_id, "home");
}

TEST_F(TaskTools, a_task_is_followed_by_another_one) {
    add_checklists();
    const model::RawJson says =
        tell("create_follow_up_task", R"({"sourceTaskId":"t","newTaskTitle":"Next","closeSourceTaskAs":"DONE"})");
    const std::string next = text_in(says, "task.taskId");
    EXPECT_EQ(body<Task>(next).title, "Next");
    EXPECT_EQ(body<Task>(next).status, TaskStatus::open);
    EXPECT_EQ(body<Task>(next).label_ids, (Names{"red", "blue"}));
    EXPECT_EQ(record(next).category_id, "gym");
    EXPECT_EQ(body<Task>("t").status, TaskStatus::done);
    EXPECT_EQ(text_in(says, "sourceTask.status"), "done");
    EXPECT_EQ(text_in(says, "movedItemCount"), "0");
    EXPECT_TRUE(is_linked("follow_up", "t", next));
    EXPECT_EQ(where("a"), "first");
}

TEST_F(TaskTools, a_follow_up_takes_what_is_open_and_can_leave_category_and_labels) {
    add_checklists();
    EXPECT_TRUE(refused("create_follow_up_task",
                        R"({"sourceTaskId":"t","newTaskTitle":"Next","carryOverOpenChecklistItems":true})")
                    .starts_with("preview_required"));
    EXPECT_EQ(refused("create_follow_up_task",
                      R"({"sourceTaskId":"t","newTaskTitle":"Next","preserveCategoryAndLabels":false})"),
              "invalid_arguments: categoryId must be given: this agent works in more than one category");
    EXPECT_EQ(refused("create_follow_up_task", R"({"sourceTaskId":"t","newTaskTitle":"Next","categoryId":"home"})"),
              "invalid_arguments: categoryId goes only with preserveCategoryAndLabels false");
    const model::RawJson says = tell_after_preview(
        "create_follow_up_task", R"({"sourceTaskId":"t","newTaskTitle":"Next","carryOverOpenChecklistItems":true,)"
                                 R"("preserveCategoryAndLabels":false,"categoryId":"home"})");
    const std::string next = text_in(says, "task.taskId");
    EXPECT_EQ(text_in(says, "movedItemCount"), "3");
    EXPECT_EQ(record(next).category_id, "home");
    EXPECT_EQ(body<Task>(next).label_ids, Names{});
    EXPECT_EQ(record("a").category_id, "home");
    EXPECT_EQ(body<Task>("t").status, TaskStatus::open);
}

// Acceptance 21.
TEST_F(TaskTools, a_task_is_concluded_and_what_is_open_rolls_over) {
    add_checklists();
    const model::RawJson says =
        tell_after_preview("conclude_task_with_rollover", R"({"taskId":"t","followUpTitle":"Go on"})");
    const std::string next = text_in(says, "followUpTask.taskId");
    EXPECT_EQ(ids_in(says, "movedItemIds", ""), (Names{"a", "c", "e"}));
    EXPECT_EQ(body<Task>("t").status, TaskStatus::done);
    EXPECT_EQ(body<Task>(next).title, "Go on");
    EXPECT_EQ(body<Task>(next).status, TaskStatus::open);
    EXPECT_EQ(body<Task>(next).label_ids, (Names{"red", "blue"}));
    EXPECT_EQ(record(next).category_id, "gym");
    EXPECT_TRUE(is_linked("follow_up", "t", next));
    const auto checklist_of = [&](const std::string& item) {
        return body<model::Checklist>(body<model::ChecklistItem>(item).checklist_id);
    };
    for (const std::string item : {"a", "c", "e"}) EXPECT_EQ(checklist_of(item).task_id, next) << item;
    EXPECT_EQ(checklist_of("a").title, "First");
    EXPECT_EQ(checklist_of("e").title, "Second");
    EXPECT_EQ(checklist_of("e").position, 1);
    EXPECT_EQ(body<model::ChecklistItem>("c").position, 1) << "behind a";
    EXPECT_EQ(where("b"), "first checked");
    EXPECT_EQ(where("d"), "second checked");
    crash();
    expect_terms();
    EXPECT_EQ(body<Task>("t").status, TaskStatus::done);
}

TEST_F(TaskTools, a_rollover_keeps_labels_that_are_left) {
    add_checklists();
    ASSERT_TRUE(remove(model::JournalKind::label, "red").ok());
    const model::RawJson says = tell_after_preview("conclude_task_with_rollover", R"({"taskId":"t"})");
    EXPECT_EQ(body<Task>(text_in(says, "followUpTask.taskId")).label_ids, Names{"blue"});
    EXPECT_EQ(text_in(says, "followUpTask.title"), "Build");
}

TEST_F(TaskTools, a_task_with_nothing_open_is_only_closed_unless_a_follow_up_is_wished_for) {
    add_checklist("c", "t");
    add_item("i", "c", true);
    const std::size_t records = look().records.size();
    const model::RawJson says =
        tell_after_preview("conclude_task_with_rollover", R"({"taskId":"t","closeAs":"rejected"})");
    EXPECT_EQ(text_in(says, "followUpTask"), "null");
    EXPECT_EQ(body<Task>("t").status, TaskStatus::rejected);
    EXPECT_EQ(look().records.size(), records);
    add_item("open", "c");
    const model::RawJson left =
        tell_after_preview("conclude_task_with_rollover", R"({"taskId":"t","carryOverOpenItems":false})");
    EXPECT_EQ(text_in(left, "followUpTask"), "null");
    EXPECT_EQ(where("open"), "c");
    const model::RawJson followed = tell_after_preview(
        "conclude_task_with_rollover", R"({"taskId":"t","carryOverOpenItems":false,"followUpTitle":"Next"})");
    EXPECT_TRUE(is_linked("follow_up", "t", text_in(followed, "followUpTask.taskId")));
    EXPECT_EQ(where("open"), "c");
}

TEST_F(TaskTools, a_rollover_that_was_seen_is_done_once_whatever_crashes) {
    add_checklists();
    const std::string token = text_in(preview("conclude_task_with_rollover", R"({"taskId":"t"})"), "previewToken");
    const ports::ToolWish wish{"conclude_task_with_rollover",
                               model::RawJson::trusted(R"({"taskId":"t","previewToken":")" + token + R"("})")};
    const auto actions = plan({wish, wish});
    const model::RawJson first = said(call_planned(actions[0].operation_id));
    crash();
    const Traces after = traces();
    EXPECT_EQ(said(call_planned(actions[0].operation_id)), first);
    EXPECT_EQ(traces(), after);
    // The second one was seen before the first was done.
    EXPECT_TRUE(refusal_in(call_planned(actions[1].operation_id)).starts_with("preview_required"));
    EXPECT_EQ(traces(), after);
}

TEST_F(TaskTools, an_item_that_comes_after_the_preview_is_seen_before_it_is_moved) {
    add_checklists();
    const std::string token = text_in(preview("conclude_task_with_rollover", R"({"taskId":"t"})"), "previewToken");
    add_item("late", "second");
    EXPECT_TRUE(refused("conclude_task_with_rollover", R"({"taskId":"t","previewToken":")" + token + R"("})")
                    .starts_with("preview_required"));
    EXPECT_EQ(where("late"), "second");
}

TEST_F(TaskTools, each_needs_its_capabilities) {
    add_checklists();
    settle_agent("writer", {"gym"}, {"task_read", "task_write"});
    settle_agent("ticker", {"gym"}, {"checklist_write"});
    const Traces before = traces();
    be("writer");
    EXPECT_EQ(refused("create_checklist", R"({"taskId":"t","title":"x"})"),
              "not_permitted: create_checklist needs the capability checklist_write");
    EXPECT_EQ(refused("conclude_task_with_rollover", R"({"taskId":"t","previewOnly":true})"),
              "not_permitted: conclude_task_with_rollover needs the capability checklist_write");
    EXPECT_EQ(refused("move_checklist_items_to_new_task", R"({"itemIds":["a"],"newTaskTitle":"x"})"),
              "not_permitted: move_checklist_items_to_new_task needs the capability checklist_write");
    be("ticker");
    EXPECT_EQ(refused("move_checklist_items_to_new_task", R"({"itemIds":["a"],"newTaskTitle":"x"})"),
              "not_permitted: move_checklist_items_to_new_task needs the capability task_write");
    EXPECT_EQ(refused("update_task_fields", R"({"taskId":"t","title":"x"})"),
              "not_permitted: update_task_fields needs the capability task_write");
    EXPECT_EQ(traces(), before);
    tell("update_checklist_items", R"({"items":[{"itemId":"a","checked":true}]})");
    EXPECT_EQ(where("a"), "first checked");
}

TEST_F(TaskTools, none_of_them_tells_what_is_elsewhere_from_what_is_nowhere) {
    make("elsewhere", task_wish("Secret"), "secret");
    const std::vector<std::pair<std::string, std::string>> calls{
        {"set_task_language", R"("taskId":"?","language":"de")"},
        {"update_task_estimate", R"("taskId":"?","estimateMinutes":1)"},
        {"update_task_due_date", R"("taskId":"?","dueDate":null)"},
        {"update_task_priority", R"("taskId":"?","priority":"p0")"},
        {"assign_task_labels", R"("taskId":"?","labelIds":["red"])"},
        {"update_task_fields", R"("taskId":"?","title":"x")"},
        {"create_follow_up_task", R"("sourceTaskId":"?","newTaskTitle":"x")"},
        {"conclude_task_with_rollover", R"("taskId":"?")"},
        {"create_checklist", R"("taskId":"?","title":"x")"},
        {"add_multiple_checklist_items", R"("taskId":"?","items":[{"title":"x"}])"},
        {"add_multiple_checklist_items", R"("checklistId":"?","items":[{"title":"x"}])"},
        {"update_checklist_items", R"("items":[{"itemId":"?","checked":true}])"},
        {"move_checklist_items_to_new_task", R"("itemIds":["?"],"newTaskTitle":"x")"},
    };
    const Traces before = traces();
    for (const auto& [tool, arguments] : calls) {
        const auto why = [&](const std::string& id) {
            std::string named = '{' + arguments + '}';
            named.replace(named.find('?'), 1, id);
            std::string text = refused(tool, named);
            if (const auto at = text.find(id); at != std::string::npos) text.replace(at, id.size(), "?");
            return text;
        };
        EXPECT_TRUE(why("nowhere").starts_with("out_of_scope: ")) << tool;
        EXPECT_EQ(why("elsewhere"), why("nowhere")) << tool;
    }
    EXPECT_EQ(traces(), before);
}

}  // namespace
}  // namespace belfry::sim
