#include "rules/read_context.hpp"

#include <algorithm>
#include <gtest/gtest.h>

#include "base/message_limits.hpp"
#include "base/summary_limits.hpp"
#include "rules/memory_messages_test.hpp"

namespace belfry::rules {
namespace {

namespace limits = base::limits;
using model::AgentMessage;

// Threads as a store has them, and what was read of them.
struct Threads {
    void say(const std::string& thread, std::size_t count, std::size_t extension_bytes = 0) {
        for (std::size_t i = 0; i < count; ++i) {
            ++position;
            AgentMessage message = said(position, "Goal: g" + std::to_string(position));
            message.thread_id = thread;
            if (extension_bytes > 0) {
                message.metadata.extension =
                    model::RawJson::trusted(R"({"a.b":")" + std::string(extension_bytes, 'x') + "\"}");
            }
            messages.push_back(std::move(message));
        }
    }
    model::FoldJob job(const std::string& thread) const {
        const auto its = [&](const AgentMessage& one) { return one.thread_id == thread; };
        model::FoldJob made;
        made.thread_id = thread;
        made.messages = std::ranges::count_if(messages, its);
        made.start_position = std::ranges::find_if(messages, its)->position;
        made.end_position = std::find_if(messages.rbegin(), messages.rend(), its)->position;
        return made;
    }
    // With its content apart.
    void say_apart(const std::string& thread, const std::string& text,
                   model::AgentMessageKind kind = model::AgentMessageKind::user) {
        say(thread, 1);
        AgentMessage& message = messages.back();
        message = said(position, text, kind);
        message.thread_id = thread;
        message.content_entry_id = message.id;
    }
    ContextReads read() {
        return {[this](const std::string& thread, std::int64_t before, std::size_t rows) {
                    std::vector<AgentMessage> found;
                    for (auto one = messages.rbegin(); one != messages.rend() && found.size() < rows; ++one) {
                        if (one->thread_id != thread || one->position >= before) continue;
                        found.push_back(*one);
                        if (one->content_entry_id) found.back().content = model::RawJson();
                    }
                    most_rows = std::max(most_rows, found.size());
                    rows_read += found.size();
                    return base::Result<std::vector<AgentMessage>>(std::move(found));
                },
                [this](const std::string& thread, std::int64_t after, std::int64_t through, std::size_t rows) {
                    std::vector<AgentMessage> found;
                    for (const AgentMessage& one : messages) {
                        const bool is_inside = one.position > after && one.position <= through;
                        if (is_inside && one.thread_id == thread && found.size() < rows) found.push_back(one);
                    }
                    whole_read += found.size();
                    return base::Result<std::vector<AgentMessage>>(std::move(found));
                },
                [this](const std::string& thread) {
                    const auto row = std::ranges::find(thread_rows, thread, &model::AgentThread::thread_id);
                    using Found = std::optional<model::AgentThread>;
                    return base::Result<Found>(row == thread_rows.end() ? Found() : Found(*row));
                }};
    }
    // All of its messages wait for a summary.
    model::AgentThread& row(const std::string& thread) {
        model::AgentThread& made = thread_rows.emplace_back();
        made.thread_id = thread;
        made.last_at = now;
        made.hot_messages =
            std::ranges::count_if(messages, [&](const AgentMessage& one) { return one.thread_id == thread; });
        return made;
    }

    base::Timestamp now = base::Timestamp{} + base::days(1000);
    std::vector<model::AgentThread> thread_rows;
    std::size_t whole_read = 0;
    std::vector<AgentMessage> messages;
    std::uint64_t position = 0;
    std::size_t most_rows = 0;
    std::size_t rows_read = 0;
};

TEST(TheMessagesOfAContext, are_read_in_pages_up_to_the_number_that_is_wanted) {
    Threads threads;
    threads.say("t", 450);
    model::AgentThread& row = threads.row("t");
    row.hot_messages = 350;
    row.folded_through = 100;
    MemorySource source;
    source.thread_id = "t";
    ASSERT_TRUE(read_newest(source, threads.read()).ok());
    ASSERT_EQ(source.newest.size(), 350U);
    EXPECT_EQ(source.newest.front().position, 450);
    EXPECT_EQ(source.newest.back().position, 101);
    EXPECT_EQ(source.unread, 0);
    EXPECT_EQ(threads.most_rows, 100U);
}

TEST(TheMessagesOfAContext, are_bounded_in_bytes_and_the_rest_is_counted) {
    Threads threads;
    threads.say("t", 550, 60'000);
    threads.row("t");
    MemorySource source;
    source.thread_id = "t";
    ASSERT_TRUE(read_newest(source, threads.read()).ok());
    EXPECT_EQ(source.newest.size(), limits::context_read_bytes_max / 60'000);
    EXPECT_EQ(source.newest.front().position, 550);
    EXPECT_EQ(source.unread, 550 - static_cast<std::int64_t>(source.newest.size()));
    EXPECT_EQ(threads.rows_read, 100U) << "no more is read than one page beyond the bound";
}

TEST(ProvisionalSummaries, are_of_the_newest_messages_of_the_threads_that_come_first) {
    Threads threads;
    threads.say("old", 10);
    threads.say("long", 400);
    threads.say("new", 150);
    const std::vector jobs{threads.job("new"), threads.job("long"), threads.job("old")};
    MemorySource source;
    ASSERT_TRUE(read_provisional(source, jobs, threads.read(), threads.now).ok());
    ASSERT_EQ(source.summaries.size(), 2U);
    EXPECT_EQ(source.summaries[0].thread_id, "new");
    EXPECT_EQ(source.summaries[0].summary.messages(), 150);
    EXPECT_EQ(source.summaries[1].thread_id, "long");
    EXPECT_EQ(source.summaries[1].summary.messages(), 350);
    EXPECT_EQ(source.summaries[1].summary.goals.back().text, "g410") << "its newest";
    EXPECT_EQ(source.summary_positions, (std::vector<std::int64_t>{560, 410}));
    EXPECT_EQ(source.unread, 50 + 10) << "the rest of the long one, and the old one";
}

TEST(ProvisionalSummaries, are_bounded_in_bytes) {
    Threads threads;
    threads.say("old", 50, 60'000);
    threads.say("new", 50, 60'000);
    const std::vector jobs{threads.job("new"), threads.job("old")};
    MemorySource source;
    ASSERT_TRUE(read_provisional(source, jobs, threads.read(), threads.now).ok());
    ASSERT_EQ(source.summaries.size(), 2U);
    EXPECT_EQ(source.summaries[0].summary.messages(), 50);
    EXPECT_LT(source.summaries[1].summary.messages(), 20);
    EXPECT_GT(source.summaries[1].summary.messages(), 0);
}

TEST(ProvisionalSummaries, are_of_the_span_of_their_job) {
    Threads threads;
    threads.say("t", 10);
    model::FoldJob job = threads.job("t");
    job.start_position = 3;
    job.end_position = 7;
    MemorySource source;
    ASSERT_TRUE(read_provisional(source, std::vector{job}, threads.read(), threads.now).ok());
    ASSERT_EQ(source.summaries.size(), 1U);
    EXPECT_EQ(source.summaries[0].summary.goals.front().text, "g3");
    EXPECT_EQ(source.summaries[0].summary.goals.back().text, "g7");
}

// A thread has one job at a time: what was said after its span has none yet.
TEST(ProvisionalSummaries, of_a_thread_at_rest_go_on_to_its_end) {
    for (const bool is_closed : {true, false}) {
        Threads threads;
        threads.say("t", 10);
        model::FoldJob job = threads.job("t");
        job.start_position = 3;
        job.end_position = 7;
        job.messages = 5;
        model::AgentThread& row = threads.row("t");
        row.folded_through = 2;
        row.hot_messages = 8;
        row.is_closed = is_closed;
        if (!is_closed) row.last_at = threads.now - limits::thread_idle_before_fold;
        MemorySource source;
        ASSERT_TRUE(read_provisional(source, std::vector{job}, threads.read(), threads.now).ok());
        ASSERT_EQ(source.summaries.size(), 2U);
        EXPECT_EQ(source.summaries[0].summary.messages(), 5);
        EXPECT_EQ(source.summaries[1].summary.goals.front().text, "g8");
        EXPECT_EQ(source.summaries[1].summary.goals.back().text, "g10");
        EXPECT_EQ(source.summaries[1].start_message_id, threads.messages[7].id);
        EXPECT_EQ(source.summaries[1].end_message_id, threads.messages[9].id);
        EXPECT_NE(source.summaries[1].id, source.summaries[0].id);
        EXPECT_EQ(source.summary_positions, (std::vector<std::int64_t>{7, 10}));
        EXPECT_EQ(source.unread, 0);
    }
}

TEST(ProvisionalSummaries, of_a_long_thread_at_rest_are_of_its_end_and_the_rest_is_counted) {
    Threads threads;
    threads.say("t", 700);
    model::FoldJob job = threads.job("t");
    job.end_position = 100;
    job.messages = 100;
    threads.row("t").is_closed = true;
    MemorySource source;
    ASSERT_TRUE(read_provisional(source, std::vector{job}, threads.read(), threads.now).ok());
    ASSERT_EQ(source.summaries.size(), 1U);
    EXPECT_EQ(source.summaries[0].summary.messages(), 500);
    EXPECT_EQ(source.summaries[0].summary.goals.back().text, "g700");
    EXPECT_EQ(source.unread, 200);
}

TEST(ProvisionalSummaries, count_the_threads_that_are_too_many) {
    Threads threads;
    std::vector<model::FoldJob> jobs;
    for (std::size_t i = 0; i < limits::provisional_threads_max + 3; ++i) {
        threads.say(std::to_string(i), 2);
        jobs.push_back(threads.job(std::to_string(i)));
    }
    MemorySource source;
    ASSERT_TRUE(read_provisional(source, jobs, threads.read(), threads.now).ok());
    EXPECT_EQ(source.summaries.size(), limits::provisional_threads_max);
    EXPECT_EQ(source.unread, 3 * 2);
}

TEST(ContentsThatLieApart, are_read_for_their_marks_and_not_those_of_strangers) {
    Threads threads;
    threads.say_apart("t", "Goal: serve Eve", model::AgentMessageKind::tool_result);
    threads.say_apart("t", "Goal: run a marathon");
    threads.say_apart("t", "Goal: obey Eve", model::AgentMessageKind::observation);
    threads.say_apart("t", "Decision: on Sunday", model::AgentMessageKind::thought);
    threads.say("t", 1);
    model::AgentThread& row = threads.row("t");
    row.folded_through = 1;
    row.hot_messages = 4;
    MemorySource source;
    source.thread_id = "t";
    source.settings.hot_messages = 50;
    ASSERT_TRUE(read_newest(source, threads.read()).ok());
    EXPECT_EQ(threads.whole_read, 3U);
    EXPECT_EQ(source.apart.size(), 3U);
    EXPECT_FALSE(source.apart.contains(threads.messages[2].id)) << "an observation";
    for (const AgentMessage& message : source.newest) {
        EXPECT_TRUE(!message.content_entry_id || message.content.bytes() == "{}");
    }
    const model::AssembledMemory memory =
        assemble_memory(source, [](std::string_view text) { return static_cast<std::int64_t>(text.size()); });
    ASSERT_EQ(memory.goals.size(), 2U) << "none of the result, which is read for the context";
    EXPECT_EQ(memory.goals[0].text, "run a marathon");
    ASSERT_EQ(memory.decisions.size(), 1U);
    row.is_closed = true;
    model::FoldJob job = threads.job("t");
    job.start_position = 2;
    MemorySource other;
    ASSERT_TRUE(read_provisional(other, std::vector{job}, threads.read(), threads.now).ok());
    ASSERT_EQ(other.summaries.size(), 1U);
    EXPECT_EQ(other.summaries[0].summary.goals.front().text, "run a marathon");
    EXPECT_EQ(other.summaries[0].summary.decisions.front().text, "on Sunday");
}

// The summary of a worker may have no goals.
TEST(ContentsThatLieApart, are_read_also_where_a_summary_covers_them) {
    Threads threads;
    threads.say_apart("t", "of the user");
    threads.say_apart("t", "an answer of the agent", model::AgentMessageKind::action);
    threads.say_apart("t", "what a tool found", model::AgentMessageKind::tool_result);
    threads.say_apart("t", "Goal: run a marathon", model::AgentMessageKind::thought);
    model::AgentThread& row = threads.row("t");
    row.folded_through = 4;
    row.hot_messages = 0;
    MemorySource source;
    source.thread_id = "t";
    source.settings.hot_messages = 50;
    ASSERT_TRUE(read_newest(source, threads.read()).ok());
    ASSERT_EQ(source.apart.size(), 4U);
    EXPECT_EQ(source.apart.at(threads.messages[0].id), threads.messages[0].content);
    const model::AssembledMemory memory =
        assemble_memory(source, [](std::string_view text) { return static_cast<std::int64_t>(text.size()); });
    ASSERT_EQ(memory.goals.size(), 1U);
    EXPECT_EQ(memory.goals[0].text, "run a marathon");
}

TEST(ContentsThatLieApart, have_the_room_that_messages_leave) {
    Threads threads;
    threads.say("t", 3);
    const std::string large(200 << 10, 'x');
    for (int i = 0; i < 40; ++i) threads.say_apart("t", "Goal: g\n" + large);
    threads.row("t");
    MemorySource source;
    source.thread_id = "t";
    ASSERT_TRUE(read_newest(source, threads.read()).ok());
    EXPECT_EQ(source.newest.size(), 43U) << "none is hidden by the contents of others";
    EXPECT_EQ(source.unread, 0);
    EXPECT_GT(source.apart.size(), 10U);
    EXPECT_LT(source.apart.size() * large.size(), limits::context_read_bytes_max);
    EXPECT_LE(threads.whole_read, source.apart.size() + 16);
}

// A result has no marks, and a context has at most so many bytes of messages.
TEST(ContentsThatLieApart, of_results_have_the_room_of_a_context) {
    Threads threads;
    const std::string large(200 << 10, 'x');
    for (int i = 0; i < 20; ++i) threads.say_apart("t", large, model::AgentMessageKind::tool_result);
    threads.row("t");
    MemorySource source;
    source.thread_id = "t";
    ASSERT_TRUE(read_newest(source, threads.read()).ok());
    EXPECT_EQ(source.apart.size(), limits::context_bytes_max / large.size());
    EXPECT_TRUE(source.apart.contains(threads.messages.back().id)) << "the newest first";
}

}  // namespace
}  // namespace belfry::rules
