#include "rules/fold.hpp"

#include <array>
#include <gtest/gtest.h>

#include "base/summary_limits.hpp"
#include "rules/memory_messages_test.hpp"

namespace belfry::rules {
namespace {

namespace limits = base::limits;
using model::AgentMessage;
using model::FoldFault;
using model::FoldJob;
using model::FoldState;
using model::Summarizer;

std::size_t folded(std::vector<std::int64_t> costs, std::int64_t budget) {
    return choose_fold(costs, budget);
}

TEST(Folding, takes_the_oldest_until_the_rest_fits_and_the_newest_stays) {
    EXPECT_EQ(folded({40, 40, 15, 30}, 50), 2U);
    EXPECT_EQ(folded({10, 999}, 50), 1U);
    EXPECT_EQ(folded({}, 50), 0U);
    EXPECT_EQ(folded({999}, 50), 0U);
    EXPECT_EQ(folded({20, 30}, 50), 0U);
    EXPECT_EQ(folded({20, 31}, 50), 1U);
    EXPECT_EQ(folded({0, 0, 50}, 50), 0U);
    EXPECT_EQ(folded({1, 0, 51}, 50), 2U);
}

TEST(Folding, is_behind_where_more_waits_than_a_context_reads) {
    model::AgentThread thread;
    model::MemorySettings settings;
    settings.hot_messages = 10;
    thread.hot_messages = 10 + static_cast<std::int64_t>(limits::unsummarized_read_max);
    EXPECT_FALSE(is_summary_behind(thread, settings));
    ++thread.hot_messages;
    EXPECT_TRUE(is_summary_behind(thread, settings));
}

constexpr base::Timestamp now = base::Timestamp{} + base::hours(100);

model::AgentThread thread_of(std::span<const AgentMessage> hot) {
    model::AgentThread thread;
    thread.thread_id = "coach:session:s";
    thread.hot_messages = static_cast<std::int64_t>(hot.size());
    for (const AgentMessage& message : hot) thread.hot_tokens += message.tokens_approx;
    thread.last_at = now;
    return thread;
}

std::vector<AgentMessage> messages_of(std::size_t count, std::int64_t tokens = 10) {
    std::vector<AgentMessage> hot;
    for (std::size_t i = 0; i < count; ++i) {
        hot.push_back(said(i + 1, "x"));
        hot.back().tokens_approx = tokens;
    }
    return hot;
}

std::size_t span_of(const std::vector<AgentMessage>& hot, const model::MemorySettings& settings = {}) {
    return choose_span(hot, thread_of(hot), settings, now);
}

TEST(AFold, is_due_when_too_much_is_hot_or_nothing_more_comes) {
    model::MemorySettings settings;
    settings.hot_messages = 10;
    settings.hot_tokens = 100;
    model::AgentThread thread = thread_of(messages_of(10));
    EXPECT_FALSE(is_fold_due(thread, settings, now));
    thread.hot_messages = 11;
    EXPECT_TRUE(is_fold_due(thread, settings, now));
    thread.hot_messages = 2;
    thread.hot_tokens = 101;
    EXPECT_TRUE(is_fold_due(thread, settings, now));
    thread.hot_messages = 1;
    EXPECT_FALSE(is_fold_due(thread, settings, now)) << "the newest stays";
    thread.is_closed = true;
    EXPECT_TRUE(is_fold_due(thread, settings, now));
    EXPECT_EQ(fold_due_at(thread), thread.last_at);
    thread.is_closed = false;
    EXPECT_EQ(fold_due_at(thread), thread.last_at + limits::thread_idle_before_fold);
    EXPECT_FALSE(is_fold_due(thread, settings, *fold_due_at(thread) - base::microseconds(1)));
    EXPECT_TRUE(is_fold_due(thread, settings, *fold_due_at(thread)));
    thread.hot_messages = 0;
    EXPECT_FALSE(is_fold_due(thread, settings, *fold_due_at(thread_of(messages_of(1)))));
    EXPECT_EQ(fold_due_at(thread), std::nullopt);
}

TEST(ASpan, leaves_half_of_what_is_wanted_hot) {
    EXPECT_EQ(span_of(messages_of(50)), 0U);
    EXPECT_EQ(span_of(messages_of(51)), 26U);
    EXPECT_EQ(span_of(messages_of(10, 1000)), 7U) << "3,000 of 6,000 tokens stay";
    EXPECT_EQ(span_of(messages_of(2, 9000)), 1U);
}

TEST(ASpan, of_a_thread_at_rest_is_all_of_it) {
    const std::vector<AgentMessage> hot = messages_of(3);
    model::AgentThread thread = thread_of(hot);
    EXPECT_EQ(choose_span(hot, thread, {}, now), 0U);
    EXPECT_EQ(choose_span(hot, thread, {}, now + limits::thread_idle_before_fold), 3U);
    thread.is_closed = true;
    EXPECT_EQ(choose_span(hot, thread, {}, now), 3U);
}

TEST(ASpan, is_no_longer_than_one_fold_takes) {
    const std::vector<AgentMessage> hot = messages_of(limits::fold_messages_max + 100);
    EXPECT_EQ(span_of(hot), limits::fold_messages_max);
    const std::vector<AgentMessage> first(hot.begin(), hot.begin() + std::ptrdiff_t{limits::fold_messages_max});
    EXPECT_EQ(choose_span(first, thread_of(hot), {}, now), limits::fold_messages_max) << "the newest is not here";
    EXPECT_EQ(span_of(messages_of(100, 1000)), 60U) << "60,000 tokens";
    EXPECT_EQ(span_of(messages_of(60, limits::fold_tokens_max * 2)), 1U) << "one at least";
}

TEST(ASpan, does_not_end_between_an_action_and_its_result) {
    std::vector<AgentMessage> hot = messages_of(60);
    ASSERT_EQ(span_of(hot), 35U);
    hot[34] = done(35, "a");
    hot[35] = answered(36, 35);
    EXPECT_EQ(span_of(hot), 34U);
    hot[30] = done(31, "a");
    hot[34] = answered(35, 31);
    hot[35] = answered(36, 35);  // of something else
    EXPECT_EQ(span_of(hot), 35U);
    hot[0] = done(1, "a");
    hot[40] = answered(41, 1);
    EXPECT_EQ(span_of(hot), 41U) << "nothing could be folded before it";
    hot[59] = answered(60, 1);
    hot[40] = said(41, "x");
    EXPECT_EQ(span_of(hot), 35U) << "or else it would never be folded";
}

TEST(Summaries, are_folded_from_the_oldest_when_there_are_too_many) {
    std::vector<model::SummaryPlace> places(limits::summaries_kept_max);
    EXPECT_EQ(choose_summaries(places), 0U);
    places.resize(limits::summaries_kept_max + 1);
    EXPECT_EQ(choose_summaries(places), 5U);
    for (model::SummaryPlace& place : places) place.tokens = limits::fold_tokens_max;
    EXPECT_EQ(choose_summaries(places), limits::summaries_fold_least);
    places.assign(100, {});
    EXPECT_EQ(choose_summaries(places), 16U);
}

TEST(SummaryIds, are_the_same_for_the_same_span_and_no_other) {
    const auto id = [](std::string_view agent, std::string_view thread, std::int64_t depth, int from, int to) {
        return summary_id(agent, thread, depth, numbered_id(static_cast<std::uint64_t>(from)),
                          numbered_id(static_cast<std::uint64_t>(to)));
    };
    const base::Uuid one = id("a", "b", 1, 2, 3);
    EXPECT_EQ(base::format_uuid(one), base::format_uuid(id("a", "b", 1, 2, 3)));
    EXPECT_EQ(one.bytes[6] >> 4U, 8U);
    EXPECT_EQ(one.bytes[8] >> 6U, 2U);
    EXPECT_NE(one, id("ab", "", 1, 2, 3));
    EXPECT_NE(one, id("a", "b", 2, 2, 3));
    EXPECT_NE(one, id("a", "b", 1, 3, 2));
    EXPECT_NE(one, id("a", "c", 1, 2, 3));
    // Devices of other versions must agree: this one never changes.
    EXPECT_EQ(base::format_uuid(one), "b9a6a934-fb0d-81a8-a84b-dbcf6f901d41");
}

TEST(Summarizers, are_the_model_where_there_is_one_and_something_to_summarize) {
    constexpr std::int64_t much = model_tokens_min;
    model::Agent agent;
    EXPECT_EQ(first_summarizer(agent, much), Summarizer::rules);
    agent.memory.summarizer = Summarizer::model;
    EXPECT_EQ(first_summarizer(agent, much), Summarizer::rules) << "there is nobody to ask";
    agent.memory.base_url = "http://x/v1";
    EXPECT_EQ(first_summarizer(agent, 1), Summarizer::model);
    agent.memory = {};
    agent.workflow = model::WorkflowKind::model;
    EXPECT_EQ(first_summarizer(agent, much), Summarizer::model);
    EXPECT_EQ(first_summarizer(agent, much - 1), Summarizer::rules);
    agent.memory.summarizer = Summarizer::rules;
    EXPECT_EQ(first_summarizer(agent, much), Summarizer::rules);
    EXPECT_EQ(memory_thread_of("coach"), "coach:memory");
}

FoldJob running(Summarizer summarizer, std::int64_t attempts) {
    FoldJob job;
    job.state = FoldState::running;
    job.summarizer = summarizer;
    job.attempts = attempts;
    job.lease_until = now;
    return job;
}

FoldJob failed(FoldJob job, FoldFault fault) {
    fail_fold(job, fault, "no\nanswer", now);
    return job;
}

TEST(AFailedFold, is_tried_again_later_then_by_rules_then_given_up) {
    FoldJob job = failed(running(Summarizer::model, 1), FoldFault::passing);
    EXPECT_EQ(job.state, FoldState::pending);
    EXPECT_EQ(job.summarizer, Summarizer::model);
    EXPECT_EQ(job.next_attempt_at, now + limits::fold_pause_first);
    EXPECT_EQ(job.lease_until, std::nullopt);
    EXPECT_EQ(job.updated_at, now);
    EXPECT_EQ(job.last_error, "no answer");
    job = failed(running(Summarizer::model, 2), FoldFault::invalid);
    EXPECT_EQ(job.summarizer, Summarizer::model);
    EXPECT_EQ(job.next_attempt_at, now + limits::fold_pause_first * 2);
    job = failed(running(Summarizer::model, 3), FoldFault::invalid);
    EXPECT_EQ(job.summarizer, Summarizer::rules);
    EXPECT_EQ(job.next_attempt_at, now);
    job = failed(running(Summarizer::rules, 4), FoldFault::passing);
    EXPECT_EQ(job.next_attempt_at, now + limits::fold_pause_first * 8);
    job = failed(running(Summarizer::rules, 6), FoldFault::passing);
    EXPECT_EQ(job.state, FoldState::failed_terminal);
}

TEST(AFailedFold, that_was_refused_for_budget_or_rate_goes_to_the_rules_at_once) {
    const FoldJob job = failed(running(Summarizer::model, 1), FoldFault::refused);
    EXPECT_EQ(job.summarizer, Summarizer::rules);
    EXPECT_EQ(job.next_attempt_at, now);
    EXPECT_EQ(job.state, FoldState::pending);
}

TEST(AFailedFold, whose_keeper_is_gone_does_not_wait_but_counts) {
    EXPECT_EQ(failed(running(Summarizer::model, 1), FoldFault::lost).next_attempt_at, now);
    EXPECT_EQ(failed(running(Summarizer::rules, 6), FoldFault::lost).state, FoldState::failed_terminal);
}

TEST(AFailedFold, of_a_model_is_never_given_up_before_rules_were_tried) {
    for (const FoldFault fault : {FoldFault::lost, FoldFault::passing, FoldFault::invalid}) {
        const FoldJob job = failed(running(Summarizer::model, 6), fault);
        EXPECT_EQ(job.state, FoldState::pending);
        EXPECT_EQ(job.summarizer, Summarizer::rules);
        EXPECT_EQ(job.next_attempt_at, now);
    }
}

TEST(AFailedFold, that_a_stop_cut_short_has_not_failed) {
    FoldJob before = running(Summarizer::model, 3);
    before.last_error = "slow down";
    const FoldJob job = failed(before, FoldFault::stopped);
    EXPECT_EQ(job.state, FoldState::pending);
    EXPECT_EQ(job.summarizer, Summarizer::model);
    EXPECT_EQ(job.attempts, 2);
    EXPECT_EQ(job.next_attempt_at, now);
    EXPECT_EQ(job.lease_until, std::nullopt);
    EXPECT_EQ(job.last_error, "slow down") << "what went wrong before stays told";
}

TEST(ASummary, must_say_something_within_its_limits) {
    model::MemorySummary summary;
    const auto field = [&summary] {
        const auto checked = check_memory_summary(summary);
        return checked.ok() ? std::string("none") : base::Result<void>(checked).error().field;
    };
    EXPECT_EQ(field(), "text");
    summary.text = " \n";
    EXPECT_EQ(field(), "text");
    summary.text = "fine";
    EXPECT_EQ(field(), "none");
    summary.text.assign(limits::summary_text_bytes_max + 1, 'x');
    EXPECT_EQ(field(), "text");
    summary.text = "fine";
    summary.decisions.assign(limits::summary_items_max + 1, {"d", {}});
    EXPECT_EQ(field(), "decisions");
    summary.decisions.assign(2, {"d", {}});
    summary.decisions[1].text.assign(limits::summary_item_bytes_max + 1, 'x');
    EXPECT_EQ(field(), "decisions[1]");
    summary.decisions[1].text.clear();
    EXPECT_EQ(field(), "decisions[1]");
    summary.decisions.clear();
    summary.errors.assign(limits::summary_events_max + 1, {"e", 1, {}});
    EXPECT_EQ(field(), "errors");
    summary.errors.clear();
    summary.counts["user"] = -1;
    EXPECT_EQ(field(), "counts.user");
    summary.counts.clear();
    summary.counts["stranger"] = 1;
    EXPECT_EQ(field(), "counts.stranger") << "it is no kind of messages";
    summary.counts.clear();
    summary.from = summary.to + base::seconds(1);
    EXPECT_EQ(field(), "to");
    summary.from = summary.to;
    const model::MemoryItem big{std::string(limits::summary_item_bytes_max, 'x'), {}};
    summary.goals.assign(limits::summary_items_max, big);
    summary.open_loops = summary.goals;
    EXPECT_EQ(field(), "summary");
}

}  // namespace
}  // namespace belfry::rules
