#include "daemon/token_counter.hpp"

#include <atomic>
#include <gtest/gtest.h>
#include <string>
#include <thread>
#include <vector>

namespace belfry::daemon {
namespace {

struct Counted {
    std::atomic<int> times = 0;
    TokenCounter counter{[this](std::string_view text) {
        ++times;
        return static_cast<std::int64_t>(text.size());
    }};
};

std::string long_text(int number) {
    return std::to_string(number) + std::string(TokenCounter::long_bytes_min, 'x');
}

TEST(TokenCounts, of_long_texts_are_made_once) {
    Counted counted;
    const std::string text = long_text(1);
    EXPECT_EQ(counted.counter.count(text), static_cast<std::int64_t>(text.size()));
    EXPECT_EQ(counted.counter.count(std::string(text)), static_cast<std::int64_t>(text.size()));
    EXPECT_EQ(counted.times, 1);
    EXPECT_EQ(counted.counter.count(text + "y"), static_cast<std::int64_t>(text.size()) + 1) << "another one";
    EXPECT_EQ(counted.times, 2);
}

TEST(TokenCounts, are_forgotten_with_what_was_counted) {
    Counted counted;
    (void)counted.counter.count(long_text(1));
    counted.counter.forget();
    (void)counted.counter.count(long_text(1));
    EXPECT_EQ(counted.times, 2);
}

TEST(TokenCounts, of_short_and_of_very_long_texts_are_not_kept) {
    Counted counted;
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(counted.counter.count("short"), 5);
        EXPECT_EQ(counted.counter.count(std::string(TokenCounter::long_bytes_max + 1, 'x')),
                  static_cast<std::int64_t>(TokenCounter::long_bytes_max) + 1);
    }
    EXPECT_EQ(counted.times, 6);
}

TEST(TokenCounts, are_kept_of_so_many_texts_and_no_more) {
    Counted counted;
    const int most = static_cast<int>(TokenCounter::remembered_max);
    for (int i = 0; i <= most; ++i) (void)counted.counter.count(long_text(i));
    EXPECT_EQ(counted.times, most + 1);
    EXPECT_EQ(counted.counter.count(long_text(0)), static_cast<std::int64_t>(long_text(0).size()));
    EXPECT_EQ(counted.times, most + 2) << "the first one had to go";
    (void)counted.counter.count(long_text(most));
    EXPECT_EQ(counted.times, most + 2) << "the last one is still there";
}

TEST(TokenCounts, are_the_same_for_all_threads) {
    Counted counted;
    std::atomic<int> wrong = 0;
    std::vector<std::thread> threads;
    for (int thread = 0; thread < 4; ++thread) {
        threads.emplace_back([&] {
            for (int i = 0; i < 1000; ++i) {
                const std::string text = long_text(i % 300);
                if (counted.counter.count(text) != static_cast<std::int64_t>(text.size())) ++wrong;
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(wrong, 0);
}

TEST(TokenCounts, need_a_file_that_can_be_read) {
    TokenCounter counter;
    EXPECT_FALSE(counter.read_ranks("/nowhere/ranks").ok());
    EXPECT_EQ(counter.count("hello"), rules::estimate_model_tokens("hello"));
}

}  // namespace
}  // namespace belfry::daemon
