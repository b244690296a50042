#include <gtest/gtest.h>

#include "rules/monitor.hpp"

namespace belfry::rules {
namespace {

using base::Timestamp;
using model::Progress;

constexpr Timestamp start{1'000'000'000'000};

// Each letter is an action of its own, `every` apart. What was told: `place:pattern×repetitions`, separated by spaces.
std::string told(Progress& progress, std::string_view letters, base::Duration every = base::milliseconds(100),
                 const MonitorOptions& options = {}, Timestamp first = start) {
    std::string log;
    for (std::size_t i = 0; i < letters.size(); ++i) {
        const std::string name(1, letters[i]);
        const auto found =
            note_action(progress, {name, name, "", first + every * static_cast<std::int64_t>(i)}, options);
        if (!found) continue;
        EXPECT_EQ(found->type, "agent.loop.detected");
        if (!log.empty()) log += ' ';
        log += std::to_string(i + 1) + ':' + found->payload.member("pattern")->as_text() + "×" +
               found->payload.member("repetitions")->as_text();
    }
    return log;
}

std::string told(std::string_view letters, base::Duration every = base::milliseconds(100)) {
    Progress progress;
    return told(progress, letters, every);
}

TEST(Loop, the_same_pattern_of_one_to_five_actions_three_times_is_told_once) {
    EXPECT_EQ(told("aaa"), "3:a×3");
    EXPECT_EQ(told("aaaaaaaa"), "3:a×3");
    EXPECT_EQ(told("ababab"), "6:a → b×3");
    EXPECT_EQ(told("abcabcabcabc"), "9:a → b → c×3");
    EXPECT_EQ(told("abcdabcdabcd"), "12:a → b → c → d×3");
    EXPECT_EQ(told("abcdeabcdeabcdeabcde"), "15:a → b → c → d → e×3");
    EXPECT_EQ(told("xyzababab"), "9:a → b×3");
}

TEST(Loop, legitimate_sequences_are_none) {
    for (const char* letters : {"", "a", "aa", "abab", "aabbccaabbcc", "abcdefghij", "abacadaeaf", "aabaab", "abcabcab",
                                "abcdefabcdefabcdef", "aabbaabb", "abcbabcd"}) {
        EXPECT_EQ(told(letters), "") << letters;
    }
}

TEST(Loop, the_same_circle_is_not_told_again_wherever_one_looks_into_it) {
    EXPECT_EQ(told("abababababababab"), "6:a → b×3");
    EXPECT_EQ(told("abcabcabcabcxbcabcabcabca"), "9:a → b → c×3");
    EXPECT_EQ(told("abcabcabcacbacbacb"), "9:a → b → c×3 18:a → c → b×3");
}

TEST(Loop, a_circle_that_holds_another_does_not_tell_both_without_end) {
    EXPECT_EQ(told("aaabaaabaaabaaabaaabaaab"), "3:a×3 12:a → a → a → b×3");
}

TEST(Loop, is_told_again_when_it_goes_on_after_a_window) {
    Progress progress;
    const std::string long_loop(130, 'a');
    EXPECT_EQ(told(progress, long_loop, base::seconds(1)), "3:a×3 63:a×61 123:a×61");
}

TEST(Loop, repetitions_further_apart_than_the_window_are_none) {
    EXPECT_EQ(told("aaaaaa", base::milliseconds(30'001)), "");
    EXPECT_EQ(told("aaa", base::seconds(30)), "3:a×3");
    EXPECT_EQ(told("ababab", base::seconds(13)), "");
    EXPECT_EQ(told("ababab", base::seconds(12)), "6:a → b×3");
}

TEST(Loop, the_same_tool_with_other_arguments_is_another_action) {
    Progress progress;
    for (int i = 0; i < 20; ++i) {
        const model::Action action{"read_file", "read_file#" + std::to_string(i), "", start + base::seconds(i)};
        EXPECT_FALSE(note_action(progress, action, {})) << i;
    }
}

TEST(Loop, a_call_that_is_reported_more_than_once_counts_once) {
    Progress progress;
    for (int i = 0; i < 10; ++i) EXPECT_FALSE(note_action(progress, {"a", "a", "call_1", start}, {})) << i;
    EXPECT_EQ(progress.actions.size(), 1U);
    EXPECT_FALSE(note_action(progress, {"a", "a", "call_2", start}, {}));
    EXPECT_FALSE(note_action(progress, {"a", "a", "call_1", start}, {}));
    EXPECT_TRUE(note_action(progress, {"a", "a", "call_3", start}, {}));
}

TEST(Loop, what_is_old_or_too_much_is_forgotten) {
    Progress progress;
    for (std::size_t i = 0; i < 3 * base::limits::loop_actions_max; ++i) {
        note_action(progress, {"a", std::to_string(i), "", start}, {});
    }
    EXPECT_EQ(progress.actions.size(), base::limits::loop_actions_max);
    EXPECT_EQ(progress.actions.back().signature, std::to_string(3 * base::limits::loop_actions_max - 1));
    note_action(progress, {"a", "x", "", start + base::limits::loop_window + base::microseconds(1)}, {});
    EXPECT_EQ(progress.actions.size(), 1U);
}

TEST(Loop, what_was_told_stays_small_however_many_circles_there_are) {
    Progress progress;
    for (int i = 0; i < 1000; ++i) {
        const std::string signature = std::to_string(i);
        for (int n = 0; n < 3; ++n) {
            const auto found = note_action(progress, {"a", signature, "", start}, {});
            EXPECT_EQ(found.has_value(), n == 2) << i;
        }
    }
    EXPECT_LT(progress.loop_pattern.size(), 200U);
}

TEST(Loop, thresholds_are_the_operators) {
    MonitorOptions options;
    options.loop_repetitions = 5;
    options.loop_window = base::seconds(10);
    Progress progress;
    EXPECT_EQ(told(progress, "aaaaa", base::seconds(1), options), "5:a×5");
    Progress slow;
    EXPECT_EQ(told(slow, "aaaaaaaa", base::seconds(3), options), "");
    options.loop_repetitions = 0;
    Progress careless;
    EXPECT_EQ(told(careless, "abb", base::seconds(1), options), "3:b×2");
}

TEST(Loop, the_window_is_told_in_seconds) {
    Progress progress;
    std::optional<Finding> found;
    for (int i = 0; i < 3; ++i) found = note_action(progress, {"say \"x\"", "s", "", start}, {});
    ASSERT_TRUE(found);
    EXPECT_EQ(found->payload.bytes(), R"({"pattern":"say \"x\"","repetitions":3,"window_seconds":60})");
}

}  // namespace
}  // namespace belfry::rules
