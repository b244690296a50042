#include "rules/read_context.hpp"

#include <algorithm>
#include <gtest/gtest.h>

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
        made.start_position = std::ranges::find_if(messages, its)->position;
        made.end_position = std::find_if(messages.rbegin(), messages.rend(), its)->position;
        return made;
    }
    ReadNewest read() {
        return [this](const std::string& thread, std::int64_t before, std::size_t rows) {
            std::vector<AgentMessage> found;
            for (auto one = messages.rbegin(); one != messages.rend() && found.size() < rows; ++one) {
                if (one->thread_id == thread && one->position < before) found.push_back(*one);
            }
            most_rows = std::max(most_rows, found.size());
            rows_read += found.size();
            return base::Result<std::vector<AgentMessage>>(std::move(found));
        };
    }

    std::vector<AgentMessage> messages;
    std::uint64_t position = 0;
    std::size_t most_rows = 0;
    std::size_t rows_read = 0;
};

TEST(TheMessagesOfAContext, are_read_in_pages_up_to_the_number_that_is_wanted) {
    Threads threads;
    threads.say("t", 450);
    model::AgentThread row;
    row.hot_messages = 350;
    row.folded_through = 100;
    MemorySource source;
    source.thread_id = "t";
    ASSERT_TRUE(read_newest(source, row, threads.read()).ok());
    ASSERT_EQ(source.newest.size(), 350U);
    EXPECT_EQ(source.newest.front().position, 450);
    EXPECT_EQ(source.newest.back().position, 101);
    EXPECT_EQ(source.unread, 0);
    EXPECT_EQ(threads.most_rows, 100U);
}

TEST(TheMessagesOfAContext, are_bounded_in_bytes_and_the_rest_is_counted) {
    Threads threads;
    threads.say("t", 550, 60'000);
    model::AgentThread row;
    row.hot_messages = 550;
    MemorySource source;
    source.thread_id = "t";
    ASSERT_TRUE(read_newest(source, row, threads.read()).ok());
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
    ASSERT_TRUE(read_provisional(source, jobs, threads.read()).ok());
    ASSERT_EQ(source.summaries.size(), 2U);
    EXPECT_EQ(source.summaries[0].thread_id, "new");
    EXPECT_EQ(source.summaries[0].summary.messages(), 150);
    EXPECT_EQ(source.summaries[1].thread_id, "long");
    EXPECT_EQ(source.summaries[1].summary.messages(), 350);
    EXPECT_EQ(source.summaries[1].summary.goals.back().text, "g410") << "its newest";
    EXPECT_EQ(source.summary_positions, (std::vector<std::int64_t>{560, 410}));
}

TEST(ProvisionalSummaries, are_bounded_in_bytes) {
    Threads threads;
    threads.say("old", 50, 60'000);
    threads.say("new", 50, 60'000);
    const std::vector jobs{threads.job("new"), threads.job("old")};
    MemorySource source;
    ASSERT_TRUE(read_provisional(source, jobs, threads.read()).ok());
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
    ASSERT_TRUE(read_provisional(source, std::vector{job}, threads.read()).ok());
    ASSERT_EQ(source.summaries.size(), 1U);
    EXPECT_EQ(source.summaries[0].summary.goals.front().text, "g3");
    EXPECT_EQ(source.summaries[0].summary.goals.back().text, "g7");
}

}  // namespace
}  // namespace belfry::rules
