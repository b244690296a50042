#include "model/memory.hpp"

#include <gtest/gtest.h>

namespace belfry::model {
namespace {

base::Uuid id_of(std::uint8_t number) {
    base::Uuid id;
    id.bytes[15] = number;
    return id;
}

std::string json_of(const MemorySummary& summary) {
    std::string json;
    JsonWriter writer(json);
    append_memory_summary(writer, summary);
    return json;
}

MemorySummary full_summary() {
    MemorySummary summary;
    summary.by = Summarizer::model;
    summary.text = "It went \"well\".\nMostly.";
    summary.goals = {{"run a marathon", id_of(1), Summarizer::rules, base::Timestamp{1'500'000}},
                     {"sleep", id_of(2), Summarizer::model, base::Timestamp{2'000'000}}};
    summary.decisions = {{"trains on Mondays", id_of(3)}};
    summary.open_loops = {{"ask for the shoes", id_of(4)}};
    summary.closed_loops = {{"buy socks", id_of(7), Summarizer::rules, base::Timestamp{1'000'001}}};
    summary.errors = {{"create_task: out_of_scope", 3, id_of(5)}};
    summary.effects = {{"create_task", 1, id_of(6)}};
    summary.counts = {{"user", 4}, {"thought", 2}};
    summary.left_out = 7;
    summary.from = base::Timestamp{1'000'000};
    summary.to = base::Timestamp{2'500'000};
    return summary;
}

TEST(MemorySummaries, are_read_back_as_they_were_written) {
    const MemorySummary summary = full_summary();
    EXPECT_EQ(memory_summary_of({json_of(summary)}), summary);
    EXPECT_EQ(memory_summary_of({json_of({})}), MemorySummary{});
    EXPECT_EQ(summary.messages(), 6);
}

TEST(MemorySummaries, of_others_are_none) {
    for (const std::string json : {R"("a text")", "{}", "[]", "3", "null", R"({"text":"what I did","by":"me"})"}) {
        EXPECT_EQ(memory_summary_of({json}), std::nullopt) << json;
    }
    const std::string whole = json_of(full_summary());
    const auto with = [&whole](std::string_view old, std::string_view fresh) {
        std::string changed = whole;
        changed.replace(changed.find(old), old.size(), fresh);
        return changed;
    };
    EXPECT_EQ(memory_summary_of({with(R"("times":3)", R"("times":-3)")}), std::nullopt);
    EXPECT_EQ(memory_summary_of({with(R"("times":3)", R"("times":1e3)")}), std::nullopt);
    EXPECT_EQ(memory_summary_of({with(R"("user":4)", R"("user":9000000000000000000)")}), std::nullopt);
    EXPECT_EQ(memory_summary_of({with(R"("user":4)", R"("wizard":4)")}), std::nullopt);
    EXPECT_EQ(memory_summary_of({with(R"("goals":[)", R"("goals":[7,)")}), std::nullopt);
    EXPECT_EQ(memory_summary_of({with(R"("goals":[)", R"("goals":[{"text":"g"},)")}), std::nullopt);
    EXPECT_EQ(memory_summary_of({with(R"("goals":[)", R"("goals":{},"no":[)")}), std::nullopt);
    EXPECT_EQ(memory_summary_of({with(R"("closed_loops":[)", R"("closed_loops":[{},)")}), std::nullopt);
    EXPECT_EQ(memory_summary_of({with("1970-01-01T00:00:01.500Z", "at noon")}), std::nullopt);
    EXPECT_EQ(memory_summary_of({with("1970-01-01T00:00:01Z", "yesterday")}), std::nullopt);
    EXPECT_EQ(memory_summary_of({with("1970-01-01T00:00:01Z", "1970-01-01T00:00:09Z")}), std::nullopt);
    EXPECT_EQ(memory_summary_of({with(R"("left_out":7,)", "")}), std::nullopt) << "something is missing";
    EXPECT_EQ(memory_summary_of({with(R"("left_out":7,)", R"("text":"twice",)")}), std::nullopt);
    EXPECT_EQ(memory_summary_of({with("trains on Mondays", " ")}), std::nullopt);
    EXPECT_EQ(memory_summary_of({with("buy socks", "")}), std::nullopt);
}

TEST(MemorySummaries, of_before_items_had_a_time_have_that_of_their_end) {
    const auto summary = memory_summary_of(
        {R"({"by":"rules","text":"x","goals":[{"text":"win","message_id":"00000000-0000-0000-0000-000000000001"}],)"
         R"("decisions":[],"open_loops":[],"closed_loops":["buy socks"],"errors":[],"effects":[],"counts":{},)"
         R"("left_out":0,"from":"1970-01-01T00:00:01Z","to":"1970-01-01T00:00:09Z"})"});
    ASSERT_TRUE(summary);
    const base::Timestamp end{9'000'000};
    EXPECT_EQ(summary->goals, (std::vector<MemoryItem>{{"win", id_of(1), Summarizer::rules, end}}));
    EXPECT_EQ(summary->closed_loops, (std::vector<MemoryItem>{{"buy socks", {}, Summarizer::rules, end}}));
    EXPECT_EQ(memory_summary_of({json_of(*summary)}), summary) << "and are written as all others";
}

TEST(MemorySummaries, beyond_the_limits_are_none) {
    MemorySummary summary = full_summary();
    summary.text.assign(base::limits::summary_text_bytes_max, 'x');
    EXPECT_TRUE(memory_summary_of({json_of(summary)}));
    summary.text += 'x';
    EXPECT_FALSE(memory_summary_of({json_of(summary)}));
    summary = full_summary();
    summary.goals.assign(base::limits::summary_items_max, {"g", id_of(1)});
    EXPECT_TRUE(memory_summary_of({json_of(summary)}));
    summary.goals.push_back({"g", id_of(1)});
    EXPECT_FALSE(memory_summary_of({json_of(summary)}));
}

TEST(MemorySettings, are_read_back_as_they_were_written) {
    MemorySettings settings{900, 200, 7, Summarizer::rules, "http://x/v1", "small", "KEY"};
    std::string json;
    JsonWriter writer(json);
    append_memory_settings(writer, settings);
    EXPECT_EQ(memory_settings_of({json}), settings);
    std::string plain;
    JsonWriter other(plain);
    append_memory_settings(other, {});
    EXPECT_EQ(memory_settings_of({plain}), MemorySettings{});
    EXPECT_EQ(plain, R"({"budget_tokens":16000,"hot_tokens":6000,"hot_messages":50,"summarizer":null,"base_url":null,)"
                     R"("model":null,"key_env":null})");
}

TEST(FoldJobs, tell_when_they_are_tried_next_only_while_they_wait) {
    FoldJob job;
    job.agent_id = "coach";
    job.thread_id = "coach:memory";
    job.depth = 2;
    job.next_attempt_at = base::Timestamp{5'000'000};
    job.last_error = "no answer";
    const auto member = [&job](std::string_view name) {
        std::string json;
        JsonWriter writer(json);
        append_fold_job(writer, job);
        return JsonView{json}.member(name)->as_text();
    };
    EXPECT_EQ(member("next_attempt_at"), "1970-01-01T00:00:05Z");
    EXPECT_EQ(member("state"), "pending");
    EXPECT_EQ(member("last_error"), "no answer");
    EXPECT_EQ(member("summary_id"), "null");
    job.state = FoldState::failed_terminal;
    EXPECT_EQ(member("next_attempt_at"), "null");
    EXPECT_EQ(parse_fold_state(member("state")), FoldState::failed_terminal);
}

TEST(AnAssembledMemory, tells_its_choices_only_where_they_are_wanted) {
    AssembledMemory memory;
    memory.thread_id = "t";
    memory.goals = {{"win", id_of(1)}};
    memory.choices = {{MemoryChoice::Part::carried, id_of(1), "goal", 3, MemoryFate::included},
                      {MemoryChoice::Part::slots, {}, {}, 9, MemoryFate::over_budget}};
    memory.left_out = 1;
    std::string json;
    JsonWriter writer(json);
    append_assembled_memory(writer, memory, true);
    EXPECT_NE(json.find(R"({"part":"slots","id":null,"what":null,"tokens":9,"fate":"over_budget"})"), std::string::npos)
        << json;
    std::string short_json;
    JsonWriter other(short_json);
    append_assembled_memory(other, memory, false);
    EXPECT_EQ(short_json.find("choices"), std::string::npos);
    EXPECT_NE(short_json.find(R"("left_out":1)"), std::string::npos);
}

}  // namespace
}  // namespace belfry::model
