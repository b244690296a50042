#include "rules/merge_lists.hpp"

#include <algorithm>

#include "rules/merge_records_test.hpp"

namespace belfry::rules {
namespace {

using model::SyncRecord;

std::string day(std::string_view pins, std::string_view blocks = "[]") {
    return R"({"blocks":)" + std::string(blocks) + R"(,"created_at":5,"pinned_task_ids":)" + std::string(pins) + "}";
}

// A day that all know, written by one of them.
SyncRecord begun(std::string_view pins, std::string_view blocks = "[]") {
    return written(nothing_of("day_plan"), day(pins, blocks), "a", 1);
}

std::string pins_of(const SyncRecord& record) {
    return member(record, "pinned_task_ids");
}

void expect_alike(const SyncRecord& a, const SyncRecord& b, std::string_view pins) {
    EXPECT_EQ(pins_of(merged(a, b)), pins);
    EXPECT_EQ(merged(a, b), merged(b, a));
    EXPECT_TRUE(check_sync_record(merged(a, b)).ok());
}

TEST(MergeLists, what_two_devices_add_is_all_kept) {
    const SyncRecord all = begun(R"(["t0"])");
    const SyncRecord here = written(all, day(R"(["t0","t"])"), "a", 2);
    const SyncRecord there = written(all, day(R"(["t0","t2"])"), "b", 1);
    expect_alike(here, there, R"(["t0","t2","t"])");
    EXPECT_TRUE(merge_records(here, there).notes.empty()) << "nothing was lost";
}

TEST(MergeLists, what_was_removed_by_one_who_knew_it_is_gone) {
    const SyncRecord all = begun(R"(["t0","t1"])");
    const SyncRecord here = written(all, day(R"(["t1"])"), "a", 2);
    const SyncRecord there = written(all, day(R"(["t0","t1","t2"])"), "b", 1);
    expect_alike(here, there, R"(["t1","t2"])");
    const SyncRecord again = written(merged(here, there), day(R"(["t1","t2","t0"])"), "b", 2);
    expect_alike(again, here, R"(["t1","t2","t0"])");
}

TEST(MergeLists, what_was_added_elsewhere_meanwhile_is_not_removed) {
    const SyncRecord here = written(begun(R"(["t"])"), day("[]"), "a", 2);
    const SyncRecord there = written(nothing_of("day_plan"), day(R"(["t"])"), "b", 1);
    expect_alike(here, there, R"(["t"])");
}

TEST(MergeLists, a_block_that_was_changed_meanwhile_is_not_removed) {
    const SyncRecord all = begun("[]", R"([{"id":"x","start_at":5}])");
    const SyncRecord here = written(all, day("[]", "[]"), "a", 2);
    const SyncRecord there = written(all, day("[]", R"([{"id":"x","start_at":9}])"), "b", 1);
    EXPECT_EQ(member(merged(here, there), "blocks"), R"([{"id":"x","start_at":9}])");
    EXPECT_EQ(merged(here, there), merged(there, here));
}

TEST(MergeLists, of_two_changes_of_one_block_the_latest_is_shown_and_the_other_is_noted) {
    const SyncRecord all = begun("[]", R"([{"id":"x","start_at":5},{"id":"y","start_at":6}])");
    const SyncRecord here = written(all, day("[]", R"([{"id":"y","start_at":6},{"id":"x","start_at":7}])"), "a", 2);
    const SyncRecord there =
        written(all, day("[]", R"([{"id":"x","start_at":5,"note":"n"},{"id":"y","start_at":6}])"), "b", 1);
    const Merged both = merge_records(here, there);
    EXPECT_EQ(member(both.record, "blocks"), R"([{"id":"x","start_at":5,"note":"n"},{"id":"y","start_at":6}])");
    ASSERT_EQ(both.notes.size(), 1U);
    EXPECT_EQ(both.notes[0].field, "blocks/x");
    EXPECT_EQ(both.notes[0].rule, "elements");
    EXPECT_EQ(both.notes[0].lost_value, R"({"id":"x","start_at":7})");
    EXPECT_TRUE(check_sync_record(both.record).ok());
    const SyncRecord later = written(both.record, day("[]", R"([{"id":"y","start_at":6}])"), "b", 2);
    EXPECT_EQ(member(merged(later, here), "blocks"), R"([{"id":"y","start_at":6}])") << "both were known";
}

TEST(MergeLists, the_order_of_the_last_write_is_kept_and_the_other_one_is_noted) {
    const SyncRecord all = begun(R"(["a","b","c"])");
    const SyncRecord here = written(all, day(R"(["c","b","a"])"), "a", 2);
    const SyncRecord there = written(all, day(R"(["b","a","c","d"])"), "b", 1);
    expect_alike(here, there, R"(["b","a","c","d"])");
    const Merged both = merge_records(here, there);
    ASSERT_EQ(both.notes.size(), 1U);
    EXPECT_EQ(both.notes[0].field, "pinned_task_ids");
    EXPECT_EQ(both.notes[0].lost_value, R"(["c","b","a"])");
}

// What was written stands beside a list that shows more than that.
TEST(MergeLists, the_order_is_the_same_whoever_hears_of_it_first) {
    const SyncRecord all = begun(R"(["a","b"])");
    const SyncRecord x = written(all, day(R"(["b","x","a"])"), "x", 1);
    const SyncRecord y = written(all, day(R"(["y","a","b"])"), "y", 1);
    const SyncRecord z = written(all, day(R"(["a","z"])"), "z", 1);
    const SyncRecord end = merged(merged(x, y), z);
    EXPECT_EQ(pins_of(end), R"(["a","z","x","y"])") << "b was removed";
    EXPECT_EQ(end, merged(x, merged(z, y)));
    EXPECT_EQ(end, merged(merged(y, z), x));
    EXPECT_EQ(end, merged(end, x));
    EXPECT_TRUE(check_sync_record(end).ok());
}

TEST(MergeLists, elements_that_are_gone_leave_no_stamps) {
    SyncRecord record = begun("[]");
    for (int i = 0; i < 200; ++i) {
        const std::string pins = R"(["t)" + std::to_string(i) + R"("])";
        record = written(record, day(pins), "a", static_cast<std::uint64_t>(2 + i));
    }
    record = merged(record, written(record, day("[]"), "b", 1));
    EXPECT_LE(record.knowledge.stamps.size(), 3U) << knowledge_json(record);
    EXPECT_TRUE(record.knowledge.concurrent.empty());
}

TEST(MergeLists, the_stamp_of_a_whole_list_is_that_of_each_of_its_elements) {
    const SyncRecord here = record_of(
        "day_plan", R"({"a":2,"b":1})",
        R"({"s":{"blocks":[1,"a",1],"created_at":[1,"a",1],"pinned_task_ids":[2,"a",2]}})", day(R"(["t0","t"])"));
    const SyncRecord there = record_of(
        "day_plan", R"({"a":1,"b":2})",
        R"({"s":{"blocks":[1,"a",1],"created_at":[1,"a",1],"pinned_task_ids":[2,"b",2]}})", day(R"(["t0","t2"])"));
    expect_alike(here, there, R"(["t0","t2","t"])");
    const SyncRecord knew = written(here, day(R"(["t0"])"), "a", 3);
    expect_alike(knew, there, R"(["t0","t2"])");
    // Before, one of them had won: whoever knew both keeps to that.
    SyncRecord won = there;
    ASSERT_TRUE(won.knowledge.clock.raise("a", 2).ok());
    expect_alike(won, here, R"(["t0","t2"])");
}

TEST(MergeLists, of_a_time_without_stamps_the_record_that_has_seen_more_is_believed) {
    const SyncRecord early = record_of("day_plan", R"({"a":3})", "{}", day(R"(["t0","gone"])"));
    const SyncRecord late = record_of("day_plan", R"({"a":5})", "{}", day(R"(["t0","t1"])"));
    expect_alike(early, late, R"(["t0","t1"])");
    const SyncRecord here = written(early, day(R"(["t0","gone","h"])"), "b", 1);
    expect_alike(here, late, R"(["t0","h","t1"])");
    const SyncRecord there = written(late, day(R"(["t1"])"), "a", 6);
    expect_alike(here, there, R"(["h","t1"])");
}

TEST(MergeLists, that_cannot_be_are_refused) {
    const auto refused = [](std::string_view knowledge, std::string_view pins, std::string_view blocks = "[]") {
        const auto checked = check_sync_record(record_of("day_plan", R"({"a":2})", knowledge, day(pins, blocks)));
        return checked.ok() ? "" : checked.error().field + ' ' + checked.error().message;
    };
    const std::string_view plain = R"({"s":{"":[1,"a",1]}})";
    EXPECT_EQ(refused(plain, R"(["t"])", R"([{"id":"x","start_at":1}])"), "");
    EXPECT_NE(refused(plain, R"(["t","t"])"), "");
    EXPECT_NE(refused(plain, R"([""])"), "");
    EXPECT_NE(refused(plain, R"([7])"), "");
    EXPECT_NE(refused(plain, R"("t")"), "");
    EXPECT_NE(refused(plain, "null"), "");
    EXPECT_NE(refused(plain, "[]", R"([{"start_at":1}])"), "");
    EXPECT_NE(refused(plain, "[]", R"([{"id":"x","start_at":2},{"id":"y","start_at":1}])"), "");
    EXPECT_NE(refused(R"({"s":{"":[1,"a",1],"pinned_task_ids/u":[1,"a",1]}})", R"(["t"])"), "");
    EXPECT_NE(refused(R"({"s":{"":[1,"a",1],"pinned_task_ids/t":[1,"b",1]}})", R"(["t"])"), "");
    EXPECT_NE(refused(R"({"s":{"":[1,"a",1]},"c":{"pinned_task_ids":[[1,"a",1,["t"]]]}})", R"(["t"])"), "");
    EXPECT_NE(refused(R"({"s":{"":[1,"a",1]},"c":{"pinned_task_ids":[[1,"a",1,["u","t"]]]}})", R"(["t","u"])"), "");
    EXPECT_NE(refused(R"({"s":{"":[1,"a",1]},"c":{"pinned_task_ids":[[1,"a",1,[7]]]}})", R"(["t"])"), "");
    EXPECT_EQ(refused(R"({"s":{"":[1,"a",1]},"c":{"pinned_task_ids":[[1,"a",1,["u"]]]}})", R"(["t"])"), "");
    EXPECT_NE(refused(R"({"s":{"":[1,"a",1]},"c":{"pinned_task_ids/t":[[1,"a",1,"t"],[1,"a",2,"t"]]}})", R"(["t"])"),
              "");
    EXPECT_NE(refused(R"({"s":{"":[1,"a",1]},"c":{"pinned_task_ids/t":[[1,"a",1,"v"]]}})", R"(["t"])"), "");
}

std::string task(std::string_view labels, int created_at = 5, std::string_view title = "t") {
    return R"({"created_at":)" + std::to_string(created_at) + R"(,"label_ids":)" + std::string(labels) +
           R"(,"title":")" + std::string(title) + R"("})";
}

TEST(MergeLists, a_task_that_two_devices_created_has_the_labels_of_the_greater_host) {
    const SyncRecord small = written(nothing_of("task"), task(R"(["l1"])", 5, "small"), "a", 4);
    const SyncRecord great = written(nothing_of("task"), task(R"(["l2"])", 7, "great"), "b", 2);
    const Merged both = merge_records(small, great);
    EXPECT_EQ(both.record, merged(great, small));
    EXPECT_EQ(member(both.record, "label_ids"), R"(["l2"])");
    EXPECT_EQ(member(both.record, "title"), R"("great")");
    EXPECT_TRUE(check_sync_record(both.record).ok());
    const auto lost = std::ranges::find(both.notes, "label_ids", &model::MergeNote::field);
    ASSERT_NE(lost, both.notes.end());
    EXPECT_EQ(lost->lost_value, R"(["l1"])");
    EXPECT_EQ(merged(both.record, small), both.record) << "the labels do not come back";
    // What somebody adds to either of them later is no part of a creation.
    const SyncRecord labelled = written(small, task(R"(["l1","l3"])", 5, "small"), "a", 5);
    EXPECT_EQ(member(merged(labelled, great), "label_ids"), R"(["l3","l2"])");
    EXPECT_EQ(merged(merged(small, great), labelled), merged(great, labelled));
}

TEST(MergeLists, of_three_creations_the_greatest_is_kept_in_whichever_order_devices_meet) {
    const SyncRecord a = written(nothing_of("task"), task(R"(["la"])"), "a", 1);
    const SyncRecord b = written(nothing_of("task"), task(R"(["lb"])"), "b", 1);
    // Nothing of its creation is left but that it was created.
    const SyncRecord c = written(written(nothing_of("task"), task(R"(["lc"])"), "c", 1), task("[]", 5, "x"), "c", 2);
    const SyncRecord end = merged(merged(a, b), c);
    EXPECT_EQ(member(end, "label_ids"), "[]");
    EXPECT_EQ(end, merged(merged(a, c), b));
    EXPECT_EQ(end, merged(a, merged(c, b)));
    EXPECT_TRUE(check_sync_record(end).ok());
}

TEST(MergeLists, a_day_plan_that_two_devices_created_has_the_elements_of_both) {
    const SyncRecord here = written(nothing_of("day_plan"), day(R"(["t1"])", R"([{"id":"x","start_at":5}])"), "a", 1);
    const SyncRecord there = written(nothing_of("day_plan"), day(R"(["t2"])", R"([{"id":"y","start_at":6}])"), "b", 1);
    expect_alike(here, there, R"(["t2","t1"])");
    EXPECT_EQ(member(merged(here, there), "blocks"), R"([{"id":"x","start_at":5},{"id":"y","start_at":6}])");
}

TEST(MergeLists, agents_lists_stay_whole) {
    EXPECT_EQ(field_rule(model::agent_kind, "allowed_category_ids"), FieldRule::latest);
    EXPECT_EQ(field_rule(model::agent_kind, "capabilities"), FieldRule::latest);
    EXPECT_EQ(field_rule(model::agent_state_kind, "slot.open_loop_ids"), FieldRule::latest);
    EXPECT_FALSE(is_element_name(model::agent_state_kind, "slot.preference.a/b"));
}

}  // namespace
}  // namespace belfry::rules
