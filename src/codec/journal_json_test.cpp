#include "codec/journal_json.hpp"

#include <gtest/gtest.h>

#include "base/journal_limits.hpp"
#include "codec/json.hpp"
#include "model/journal_fields.hpp"
#include "model/journal_json.hpp"

namespace belfry::codec {
namespace {

using model::JournalKind;

JournalInput create(JournalKind kind, std::string_view text) {
    auto input = parse_journal_input(text, kind, JournalPurpose::create);
    EXPECT_TRUE(input.ok()) << input.error().field << ": " << input.error().message;
    return input.ok() ? std::move(*input) : JournalInput{};
}

std::string refusal(const base::Error& error) {
    return error.field + ": " + error.message;
}
std::string create_refusal(JournalKind kind, std::string_view text) {
    const auto input = parse_journal_input(text, kind, JournalPurpose::create);
    EXPECT_FALSE(input.ok());
    return input.ok() ? "" : refusal(input.error());
}
std::string change_refusal(JournalKind kind, std::string_view text) {
    const auto input = parse_journal_input(text, kind, JournalPurpose::change);
    EXPECT_FALSE(input.ok());
    return input.ok() ? "" : refusal(input.error());
}
std::string item_refusal(std::string_view text) {
    const auto item = parse_journal_item(text);
    EXPECT_FALSE(item.ok());
    return item.ok() ? "" : refusal(item.error());
}

template <class T>
const T& body(const JournalInput& input) {
    return std::get<T>(input.wish.values);
}

std::string written(const model::JournalRecord& record) {
    std::string text;
    model::JsonWriter writer(text);
    model::append_record(writer, record);
    return text;
}

TEST(JournalInput, holds_what_was_named_and_says_which_fields_those_are) {
    const auto input =
        create(JournalKind::task, R"({"id":"t1","category_id":"gym","title":"Squats","status":"in_progress",
        "due_date":"2026-11-16","label_ids":["l1","l2"],"extension":{"acme.colour":"red"}})");
    EXPECT_EQ(input.id, "t1");
    EXPECT_EQ(input.wish.category_id, "gym");
    EXPECT_EQ(input.wish.extension->bytes(), R"({"acme.colour":"red"})");
    EXPECT_EQ(body<model::Task>(input).title, "Squats");
    EXPECT_EQ(body<model::Task>(input).status, model::TaskStatus::in_progress);
    EXPECT_EQ(body<model::Task>(input).label_ids, (std::vector<std::string>{"l1", "l2"}));
    EXPECT_EQ(input.wish.given, 0b10010101U) << "title, status, due_date and label_ids, in the order of describe";
    EXPECT_FALSE(input.revision.has_value());
}

TEST(JournalInput, null_takes_away_what_may_be_empty_and_is_refused_elsewhere) {
    const auto input = parse_journal_input(R"({"due_date":null,"text":null,"estimate_min":null,"label_ids":null})",
                                           JournalKind::task, JournalPurpose::change);
    ASSERT_TRUE(input.ok());
    EXPECT_EQ(input->wish.given, 0b10110010U);
    EXPECT_EQ(body<model::Task>(*input), model::Task{});
    EXPECT_EQ(change_refusal(JournalKind::task, R"({"title":null})"), "title: must be a string, not null");
    EXPECT_EQ(change_refusal(JournalKind::task, R"({"status":null})"), "status: must be a string, not null");
    EXPECT_EQ(change_refusal(JournalKind::checklist, R"({"task_id":null})"), "task_id: must be a string, not null");
    EXPECT_EQ(change_refusal(JournalKind::checklist_item, R"({"checked":null})"),
              "checked: must be true or false, not null");
}

TEST(JournalInput, an_unknown_member_is_refused_with_the_one_that_was_meant) {
    EXPECT_EQ(create_refusal(JournalKind::task, R"({"titel":"x"})"), "titel: is not known; did you mean title?");
    EXPECT_EQ(create_refusal(JournalKind::task, R"({"categoryid":"x"})"),
              "categoryid: is not known; did you mean category_id?");
    EXPECT_EQ(create_refusal(JournalKind::task, R"({"zebra":1})"), "zebra: is not known");
    EXPECT_EQ(create_refusal(JournalKind::task, R"({"title":"x","revision":1})"), "revision: is not known");
    EXPECT_EQ(change_refusal(JournalKind::task, R"({"id":"x"})"), "id: is not known");
    EXPECT_EQ(create_refusal(JournalKind::label, R"({"name":"x","status":"open"})"), "status: is not known");
}

TEST(JournalInput, each_refusal_names_the_field_and_its_limit) {
    const std::string long_name(base::limits::journal_name_bytes_max + 1, 'x');
    EXPECT_EQ(create_refusal(JournalKind::label, R"({"name":")" + long_name + R"("})"),
              "name: must have at most 200 bytes");
    EXPECT_EQ(create_refusal(JournalKind::label, R"({"name":""})"), "name: must not be empty");
    EXPECT_EQ(create_refusal(JournalKind::label, R"({"name":"a\nb"})"), "name: must not contain control characters");
    EXPECT_EQ(create_refusal(JournalKind::task, R"({"title":"x","status":"finished"})"),
              "status: must be open, groomed, in_progress, blocked, on_hold, done or rejected");
    EXPECT_EQ(create_refusal(JournalKind::task, R"({"title":"x","due_date":"2026-02-29"})"),
              "due_date: must be a date such as 2026-11-16");
    EXPECT_EQ(create_refusal(JournalKind::task, R"({"title":"x","estimate_min":-1})"),
              "estimate_min: must lie between 0 and 1000000");
    EXPECT_EQ(create_refusal(JournalKind::rating, R"({"target_id":"2026-11-16","score":6})"),
              "score: must lie between 1 and 5");
    EXPECT_EQ(create_refusal(JournalKind::time_entry, R"({"started_at":"now"})"),
              "started_at: must be an ISO 8601 time with an offset, from 1970 on, such as 2026-11-16T08:30:00Z");
    EXPECT_EQ(create_refusal(JournalKind::task, R"({"title":"x","label_ids":["a",""]})"),
              "label_ids[1]: must not be empty");
    EXPECT_EQ(create_refusal(JournalKind::task, R"({"title":"x","extension":[]})"), "extension: must be an object");
    std::string many = R"({"title":"x","label_ids":["l")";
    for (std::size_t i = 0; i < base::limits::journal_list_max; ++i) many += R"(,"l")";
    EXPECT_EQ(create_refusal(JournalKind::task, many + "]}"),
              "label_ids[100]: is one too many; at most 100 entries are allowed");
}

TEST(JournalInput, a_new_record_has_what_it_cannot_be_without) {
    EXPECT_EQ(create_refusal(JournalKind::task, "{}"), "title: must be given");
    EXPECT_EQ(create_refusal(JournalKind::checklist_item, R"({"title":"x"})"), "checklist_id: must be given");
    EXPECT_EQ(create_refusal(JournalKind::day_plan, "{}"), "plan_date: must be given");
    EXPECT_EQ(create_refusal(JournalKind::rating, R"({"target_id":"2026-11-16"})"), "score: must be given");
    EXPECT_EQ(create(JournalKind::entry, "{}").wish.given, 0U);
    EXPECT_TRUE(parse_journal_input("{}", JournalKind::task, JournalPurpose::change).ok());
}

TEST(JournalInput, reads_the_blocks_of_a_plan) {
    const auto input = create(JournalKind::day_plan, R"({"plan_date":"2026-11-16","blocks":[
        {"category_id":"gym","start_at":"2026-11-16T08:00:00Z","end_at":"2026-11-16T09:00:00Z","note":"legs"}]})");
    ASSERT_EQ(body<model::DayPlan>(input).blocks.size(), 1U);
    EXPECT_EQ(body<model::DayPlan>(input).blocks[0].note, "legs");
    const auto refused = [](const std::string& block) {
        return create_refusal(JournalKind::day_plan, R"({"plan_date":"2026-11-16","blocks":[)" + block + "]}");
    };
    EXPECT_EQ(refused(R"({"end_at":"2026-11-16T09:00:00Z"})"), "blocks[0]: must have a start_at");
    EXPECT_EQ(refused(R"({"start_at":"2026-11-16T09:00:00Z"})"), "blocks[0]: must have an end_at");
    EXPECT_EQ(refused(R"({"startat":"2026-11-16T09:00:00Z"})"),
              "blocks[0].startat: is not known; did you mean start_at?");
}

TEST(JournalInput, a_change_may_name_the_revision_that_it_is_meant_for) {
    const auto input =
        parse_journal_input(R"({"revision":3,"status":"done"})", JournalKind::task, JournalPurpose::change);
    ASSERT_TRUE(input.ok());
    EXPECT_EQ(input->revision, 3);
    EXPECT_EQ(change_refusal(JournalKind::task, R"({"revision":0})"), "revision: must be at least 1");
}

TEST(JournalInput, what_is_no_json_is_malformed) {
    for (const char* text : {"", "{", "[]x", R"({"title":"x"} trailing)"}) {
        const auto input = parse_journal_input(text, JournalKind::task, JournalPurpose::create);
        ASSERT_FALSE(input.ok()) << text;
        EXPECT_TRUE(input.error().code == base::Code::malformed || text[0] == '[') << text;
    }
}

TEST(JournalItem, a_record_that_was_written_is_read_back_the_same_whatever_its_kind) {
    for (std::size_t i = 0; i < model::journal_kind_count; ++i) {
        const auto kind = static_cast<JournalKind>(i);
        model::JournalRecord record;
        record.id = "r1";
        record.user_id = "ada";
        record.category_id = "gym";
        record.revision = 4;
        record.created_at = base::Timestamp{1'763'000'000'000'000};
        record.updated_at = base::Timestamp{1'763'000'000'000'001};
        if (i % 2 == 0) record.deleted_at = record.updated_at;
        record.extension = model::RawJson::trusted(R"({"acme.x":[1,2]})");
        record.body = model::empty_body(kind);
        if (auto* category = std::get_if<model::Category>(&record.body)) category->name = "Gym";
        if (auto* label = std::get_if<model::Label>(&record.body)) *label = {"red", "#ff0000"};
        if (auto* task = std::get_if<model::Task>(&record.body)) task->title = "Squats";
        if (auto* list = std::get_if<model::Checklist>(&record.body)) *list = {"t1", "Before", 2};
        if (auto* item = std::get_if<model::ChecklistItem>(&record.body)) *item = {"c1", "Warm up", true, 1};
        if (auto* plan = std::get_if<model::DayPlan>(&record.body)) {
            plan->plan_date = "2026-11-16";
            plan->blocks.push_back({"b1", "gym", record.created_at, record.updated_at, "two\nlines", "t1"});
            plan->pinned_task_ids = {"t1"};
        }
        if (auto* rating = std::get_if<model::Rating>(&record.body)) *rating = {model::RatingTarget::day, "x", 3, ""};
        const auto item = parse_journal_item(written(record));
        ASSERT_TRUE(item.ok()) << item.error().field << ": " << item.error().message;
        EXPECT_EQ(std::get<model::JournalRecord>(*item), record) << written(record);
    }
}

TEST(JournalItem, a_link_that_was_written_is_read_back_the_same) {
    model::Link link{"ada", "blocked_by", "a", "b", model::RawJson::trusted(R"({"why":"x"})"), true, 3, {1}, {2}, {}};
    std::string text;
    model::JsonWriter writer(text);
    model::append_link(writer, link);
    const auto item = parse_journal_item(text);
    ASSERT_TRUE(item.ok()) << item.error().message;
    EXPECT_EQ(std::get<model::Link>(*item), link);
}

TEST(JournalItem, a_line_is_whole_and_of_a_known_kind) {
    EXPECT_EQ(item_refusal("{}"), "kind: must be given");
    EXPECT_EQ(item_refusal(R"({"kind":"fish"})"), "kind: is no kind of record, and no link");
    EXPECT_EQ(item_refusal(R"({"kind":"label"})"), "id: must be given");
    EXPECT_EQ(item_refusal(R"({"kind":"label","id":"l","category_id":"general"})"), "revision: must be given");
    EXPECT_EQ(item_refusal(R"({"kind":"label","id":"l","category_id":"general","revision":1,
        "created_at":"2026-11-16T08:00:00Z","updated_at":"2026-11-16T08:00:00Z"})"),
              "name: must be given");
    EXPECT_EQ(item_refusal(R"({"kind":"link","relation":"x","from_id":"a"})"), "to_id: must be given");
    EXPECT_EQ(item_refusal(R"({"kind":"link","relaton":"x"})"), "relaton: is not known; did you mean relation?");
    EXPECT_EQ(item_refusal(R"({"kind":"label","nme":"x"})"), "nme: is not known; did you mean name?");
}

TEST(LinkInput, is_small_metadata_and_whether_it_is_hidden) {
    const auto input = parse_link_input(R"({"metadata":{ "a" : 1 },"hidden":true})");
    ASSERT_TRUE(input.ok());
    EXPECT_EQ(input->metadata.bytes(), R"({"a":1})");
    EXPECT_TRUE(input->hidden);
    const std::string large(base::limits::link_metadata_bytes_max, 'x');
    const auto refused = parse_link_input(R"({"metadata":{"a":")" + large + R"("}})");
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refusal(refused.error()), "metadata: must have at most 4096 bytes");
    EXPECT_FALSE(parse_link_input(R"({"hiden":true})").ok());
}

TEST(JournalId, is_one_to_two_hundred_bytes_that_can_be_seen) {
    EXPECT_EQ(journal_id_fault("day_plan:2026-11-16"), "");
    EXPECT_EQ(journal_id_fault(std::string(200, 'x')), "");
    EXPECT_EQ(journal_id_fault(std::string(201, 'x')), "must have at most 200 bytes");
    EXPECT_EQ(journal_id_fault(""), "must not be empty");
    EXPECT_EQ(journal_id_fault("a\nb"), "must not contain control characters");
    EXPECT_EQ(journal_id_fault("\xff"), "must be UTF-8");
}

}  // namespace
}  // namespace belfry::codec
