#include "rules/journal_check.hpp"

#include <gtest/gtest.h>

#include "base/journal_limits.hpp"

namespace belfry::rules {
namespace {

namespace limits = base::limits;
using model::JournalRecord;

template <class T>
JournalRecord record_of(T body) {
    JournalRecord record;
    record.id = "r";
    record.category_id = "general";
    record.body = std::move(body);
    if (const std::string made = made_id(record.body); !made.empty()) record.id = made;
    return record;
}

// The field that is refused; empty: nothing is.
std::string fault(const JournalRecord& record) {
    const auto checked = check_record(record);
    return checked.ok() ? "" : checked.error().field;
}
template <class T, class Change>
std::string fault(T body, Change change) {
    change(body);
    return fault(record_of(std::move(body)));
}

model::Task task() {
    model::Task task;
    task.title = "x";
    return task;
}
model::PlanBlock block(std::string id, std::int64_t start) {
    return {std::move(id), "general", base::Timestamp{start}, base::Timestamp{start + 10}, "", ""};
}
model::DayPlan plan() {
    model::DayPlan plan;
    plan.plan_date = "2026-11-16";
    return plan;
}

TEST(JournalCheck, texts_have_their_limits) {
    EXPECT_EQ(fault(record_of(task())), "");
    EXPECT_EQ(fault(task(), [](auto& it) { it.title.clear(); }), "title");
    EXPECT_EQ(fault(task(), [](auto& it) { it.title = std::string(limits::journal_title_bytes_max, 'x'); }), "");
    EXPECT_EQ(fault(task(), [](auto& it) { it.title = std::string(limits::journal_title_bytes_max + 1, 'x'); }),
              "title");
    EXPECT_EQ(fault(task(), [](auto& it) { it.title = "two\nlines"; }), "title");
    EXPECT_EQ(fault(task(), [](auto& it) { it.text = "two\n\tlines\r\n"; }), "");
    EXPECT_EQ(fault(task(), [](auto& it) { it.text = "bell\a"; }), "text");
    EXPECT_EQ(fault(task(), [](auto& it) { it.text = "turned \xE2\x80\xAE around"; }), "text");
    EXPECT_EQ(fault(task(), [](auto& it) { it.text = std::string(limits::journal_text_bytes_max + 1, 'x'); }), "text");
}

TEST(JournalCheck, a_list_that_devices_have_merged_beyond_the_limit_hinders_no_other_change) {
    JournalRecord merged = record_of(task());
    auto& labels = std::get<model::Task>(merged.body).label_ids;
    for (std::size_t i = 0; i < limits::journal_list_max + 20; ++i) labels.push_back("l" + std::to_string(i));
    EXPECT_EQ(fault(merged), "label_ids") << "nobody writes it like this";
    JournalRecord renamed = merged;
    std::get<model::Task>(renamed.body).title = "y";
    EXPECT_TRUE(check_record(renamed, &merged).ok());
    std::get<model::Task>(renamed.body).label_ids.pop_back();
    const auto shorter = check_record(renamed, &merged);
    ASSERT_FALSE(shorter.ok()) << "a change of the list brings it below the limit";
    EXPECT_EQ(shorter.error().field, "label_ids");
    JournalRecord day = record_of(plan());
    auto& blocks = std::get<model::DayPlan>(day.body).blocks;
    for (std::size_t i = 0; i < limits::journal_blocks_max + 1; ++i) {
        blocks.push_back(block("b" + std::to_string(i), static_cast<std::int64_t>(i)));
    }
    EXPECT_EQ(fault(day), "blocks");
    EXPECT_TRUE(check_record(day, &day).ok());
}

TEST(JournalCheck, dates_colours_languages_and_numbers_are_what_they_claim_to_be) {
    for (const char* date : {"2026-11-16", "", "2024-02-29"}) {
        EXPECT_EQ(fault(task(), [&](auto& it) { it.due_date = date; }), "") << date;
    }
    for (const char* date : {"2026-02-30", "tomorrow", "2026-1-1"}) {
        EXPECT_EQ(fault(task(), [&](auto& it) { it.due_date = date; }), "due_date") << date;
    }
    for (const char* tag : {"de", "pt-BR", "zh-Hant-TW", "sl-rozaj-1994", ""}) {
        EXPECT_EQ(fault(task(), [&](auto& it) { it.language = tag; }), "") << tag;
    }
    for (const char* tag : {"d", "de-", "-de", "de_DE", "12", "abcdefghi"}) {
        EXPECT_EQ(fault(task(), [&](auto& it) { it.language = tag; }), "language") << tag;
    }
    for (const char* color : {"#3366cc", "#ABCDEF", ""}) EXPECT_EQ(fault(record_of(model::Label{"l", color})), "");
    for (const char* color : {"red", "#36c", "#3366cg", "3366cc"}) {
        EXPECT_EQ(fault(record_of(model::Label{"l", color})), "color") << color;
    }
    EXPECT_EQ(fault(task(), [](auto& it) { it.estimate_min = -1; }), "estimate_min");
    EXPECT_EQ(fault(task(), [](auto& it) { it.estimate_min = 1'000'000; }), "");
    EXPECT_EQ(fault(task(), [](auto& it) { it.estimate_min = 1'000'001; }), "estimate_min");
    for (const std::int64_t score : {0, 6}) {
        EXPECT_EQ(fault(record_of(model::Rating{model::RatingTarget::day, "2026-11-16", score, ""})), "score");
    }
}

TEST(JournalCheck, lists_name_each_only_once_and_not_too_many) {
    EXPECT_EQ(fault(task(), [](auto& it) { it.label_ids = {"a", "b"}; }), "");
    EXPECT_EQ(fault(task(), [](auto& it) { it.label_ids = {"a", "b", "a"}; }), "label_ids");
    EXPECT_EQ(fault(task(), [](auto& it) { it.label_ids = {""}; }), "label_ids");
    EXPECT_EQ(fault(task(),
                    [](auto& it) {
                        for (std::size_t i = 0; i <= limits::journal_list_max; ++i) {
                            it.label_ids.push_back(std::to_string(i));
                        }
                    }),
              "label_ids");
}

TEST(JournalCheck, an_entry_has_the_members_of_its_type) {
    using enum model::EntryType;
    const auto of = [](model::EntryType type, auto change) {
        model::Entry entry;
        entry.type = type;
        return fault(entry, change);
    };
    const auto uri = [](auto& it) { it.audio_uri = "file:a"; };
    const auto seconds = [](auto& it) { it.duration_s = 5; };
    const auto workout_type = [](auto& it) { it.workout_type = "running"; };
    const auto prompt = [](auto& it) { it.prompt = "why?"; };
    EXPECT_EQ(of(audio, uri), "");
    EXPECT_EQ(of(text, uri), "audio_uri");
    EXPECT_EQ(of(audio, seconds), "");
    EXPECT_EQ(of(workout, seconds), "");
    EXPECT_EQ(of(text, seconds), "duration_s");
    EXPECT_EQ(of(workout, workout_type), "");
    EXPECT_EQ(of(audio, workout_type), "workout_type");
    EXPECT_EQ(of(ai_response, prompt), "");
    EXPECT_EQ(of(workout, prompt), "prompt");
    EXPECT_EQ(of(ai_response, [](auto& it) { it.distance_m = 1; }), "distance_m");
    EXPECT_EQ(of(text,
                 [](auto& it) {
                     it.started_at = base::Timestamp{2};
                     it.ended_at = base::Timestamp{1};
                 }),
              "ended_at");
}

TEST(JournalCheck, time_does_not_end_before_it_begins) {
    model::TimeEntry time;
    time.started_at = base::Timestamp{5};
    EXPECT_EQ(fault(record_of(time)), "");
    time.ended_at = base::Timestamp{5};
    EXPECT_EQ(fault(record_of(time)), "");
    time.ended_at = base::Timestamp{4};
    EXPECT_EQ(fault(record_of(time)), "ended_at");
}

TEST(JournalCheck, blocks_stand_in_their_order_and_have_ids_of_their_own) {
    EXPECT_EQ(fault(plan(), [](auto& it) { it.blocks = {block("a", 1), block("b", 1), block("c", 9)}; }), "");
    EXPECT_EQ(fault(plan(), [](auto& it) { it.blocks = {block("a", 2), block("b", 1)}; }), "blocks");
    EXPECT_EQ(fault(plan(), [](auto& it) { it.blocks = {block("a", 1), block("a", 2)}; }), "blocks.id");
    EXPECT_EQ(fault(plan(), [](auto& it) { it.blocks = {block("", 1)}; }), "blocks.id");
    EXPECT_EQ(fault(plan(),
                    [](auto& it) {
                        it.blocks = {block("a", 1)};
                        it.blocks[0].end_at = base::Timestamp{0};
                    }),
              "blocks.end_at");
    EXPECT_EQ(fault(plan(),
                    [](auto& it) {
                        for (std::size_t i = 0; i <= limits::journal_blocks_max; ++i) {
                            it.blocks.push_back(block(std::to_string(i), 1));
                        }
                    }),
              "blocks");
}

TEST(JournalCheck, ids_are_as_they_must_be) {
    JournalRecord record = record_of(task());
    record.id = std::string(limits::journal_id_bytes_max + 1, 'x');
    EXPECT_EQ(fault(record), "id");
    record.id = "";
    EXPECT_EQ(fault(record), "id");
    record = record_of(plan());
    EXPECT_EQ(record.id, "day_plan:2026-11-16");
    EXPECT_EQ(fault(record), "");
    record.id = "mine";
    EXPECT_EQ(fault(record), "id");
    record = record_of(model::Rating{model::RatingTarget::session, "te-1", 3, ""});
    EXPECT_EQ(record.id, "rating:session:te-1");
    EXPECT_EQ(fault(record), "");
    record = record_of(model::Rating{model::RatingTarget::day, "te-1", 3, ""});
    EXPECT_EQ(fault(record), "target_id");
    record = record_of(model::Category{"Gym", ""});
    EXPECT_EQ(fault(record), "category_id") << "a category is its own";
    record.category_id = record.id;
    EXPECT_EQ(fault(record), "");
}

TEST(JournalCheck, extensions_have_a_namespace) {
    JournalRecord record = record_of(task());
    record.extension = model::RawJson::trusted(R"({"acme.colour":1})");
    EXPECT_EQ(fault(record), "");
    record.extension = model::RawJson::trusted(R"({"colour":1})");
    EXPECT_EQ(fault(record), "extension");
    record.extension = model::RawJson::trusted("[]");
    EXPECT_EQ(fault(record), "extension");
    record.extension =
        model::RawJson::trusted(R"({"acme.x":")" + std::string(limits::journal_extension_bytes_max, 'x') + "\"}");
    EXPECT_EQ(fault(record), "extension");
}

TEST(JournalCheck, links_have_a_relation_that_is_nobody_elses_and_two_ends) {
    const auto link_fault = [](auto change) {
        model::Link link;
        link.relation = "blocked_by";
        link.from_id = "a";
        link.to_id = "b";
        change(link);
        const auto checked = check_link(link);
        return checked.ok() ? std::string() : checked.error().field;
    };
    EXPECT_EQ(link_fault([](auto&) {}), "");
    for (const char* name : {"", "Blocked", "9a", "_a", "a-b", "agent_head", "tool_effect"}) {
        EXPECT_EQ(link_fault([&](auto& it) { it.relation = name; }), "relation") << name;
    }
    EXPECT_EQ(link_fault([](auto& it) { it.relation = std::string(64, 'a'); }), "");
    EXPECT_EQ(link_fault([](auto& it) { it.relation = std::string(65, 'a'); }), "relation");
    EXPECT_EQ(link_fault([](auto& it) { it.to_id = "a"; }), "to_id");
    EXPECT_EQ(link_fault([](auto& it) { it.from_id = ""; }), "from_id");
    EXPECT_EQ(link_fault([](auto& it) { it.metadata = model::RawJson::trusted("1"); }), "metadata");
    EXPECT_EQ(link_fault([](auto& it) {
                  it.metadata = model::RawJson::trusted("{\"x\":\"" + std::string(4096, 'x') + "\"}");
              }),
              "metadata");
}

}  // namespace
}  // namespace belfry::rules
