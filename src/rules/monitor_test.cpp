#include "rules/monitor.hpp"

#include <gtest/gtest.h>
#include <limits>

#include "rules/known_types.hpp"

namespace belfry::rules {
namespace {

using base::Timestamp;
using model::Budget;
using model::Progress;

constexpr Timestamp start{1'000'000'000};

Timestamp at_s(std::int64_t s) {
    return start + base::seconds(s);
}

// `type payload` of each finding, one a line.
std::string told(const Budget& budget, Progress& progress, Timestamp now = start) {
    std::string lines;
    for (const Finding& finding : check_budget(budget, progress, now, {})) {
        lines += finding.type + ' ' + finding.payload.bytes() + '\n';
    }
    return lines;
}

TEST(Budget, thirty_iterations_warn_once_at_21_and_are_exceeded_once_at_30) {
    Budget budget;
    budget.iterations = 30;
    Progress progress;
    std::string log;
    for (progress.turn = 1; progress.turn <= 35; ++progress.turn) {
        const std::string now = told(budget, progress);
        if (!now.empty()) log += std::to_string(progress.turn) + ' ' + now;
    }
    EXPECT_EQ(log,
              "21 budget.iteration.warning "
              R"({"budget_type":"iteration","current":21,"limit":30,"percentage":70,"remaining":9})"
              "\n30 budget.iteration.exceeded "
              R"({"current":30,"limit":30})"
              "\n");
}

TEST(Budget, tokens_warn_at_80_percent) {
    Budget budget;
    budget.tokens = 50'000;
    Progress progress;
    progress.tokens_used = 39'999;
    EXPECT_EQ(told(budget, progress), "");
    progress.tokens_used = 42'999;
    EXPECT_EQ(told(budget, progress),
              "budget.token.warning "
              R"({"budget_type":"token","current":42999,"limit":50000,"percentage":85,"remaining":7001})"
              "\n");
    EXPECT_EQ(told(budget, progress), "");
    progress.tokens_used = 60'000;
    EXPECT_EQ(told(budget, progress), "budget.token.exceeded {\"current\":60000,\"limit\":50000}\n");
    EXPECT_EQ(told(budget, progress), "");
}

TEST(Budget, a_count_that_passes_warning_and_limit_at_once_is_told_as_exceeded_only) {
    Budget budget;
    budget.tokens = 100;
    Progress progress;
    progress.tokens_used = 100;
    EXPECT_EQ(told(budget, progress), "budget.token.exceeded {\"current\":100,\"limit\":100}\n");
    progress.tokens_used = 90;  // a runtime that corrects itself
    EXPECT_EQ(told(budget, progress), "");
}

TEST(Budget, small_limits_warn_at_the_first_count_that_is_enough) {
    Budget budget;
    Progress progress;
    budget.iterations = 3;  // 70 % of it is 2.1
    progress.turn = 2;
    EXPECT_EQ(told(budget, progress), "");
    progress.turn = 3;
    EXPECT_EQ(told(budget, progress), "budget.iteration.exceeded {\"current\":3,\"limit\":3}\n");
    budget.iterations = 1;
    Progress other;
    other.turn = 0;
    EXPECT_EQ(told(budget, other), "");
}

TEST(Budget, no_limit_is_never_used_up) {
    Progress progress;
    progress.turn = progress.tokens_used = progress.context_used = 1'000'000;
    progress.counting_since = start;
    EXPECT_EQ(told({}, progress, at_s(1'000'000)), "");
}

TEST(Budget, warnings_that_fall_together_are_told_together) {
    Budget budget{100, 10, 100, 1000};
    Progress progress;
    progress.turn = 7;
    progress.tokens_used = 80;
    progress.context_used = 850;
    progress.counting_since = start;
    EXPECT_EQ(check_budget(budget, progress, at_s(80), {}).size(), 4U);
    EXPECT_EQ(check_budget(budget, progress, at_s(99), {}).size(), 0U);
}

TEST(Budget, the_clock_alone_may_use_up_a_timeout) {
    Budget budget;
    budget.timeout_s = 600;
    Progress progress;
    EXPECT_EQ(timeout_due(budget, progress, {}), std::nullopt);
    progress.counting_since = start;
    EXPECT_EQ(timeout_due(budget, progress, {}), at_s(480));
    EXPECT_EQ(told(budget, progress, at_s(480) - base::microseconds(1)), "");
    EXPECT_EQ(told(budget, progress, at_s(480)),
              "budget.timeout.warning {\"elapsed_seconds\":480,\"limit_seconds\":600,\"remaining_seconds\":120}\n");
    EXPECT_EQ(timeout_due(budget, progress, {}), std::nullopt);
    EXPECT_EQ(told(budget, progress, at_s(700)), "");
}

TEST(Budget, a_short_timeout_is_told_in_tenths_of_a_second) {
    Budget budget;
    budget.timeout_s = 3;
    Progress progress;
    progress.counting_since = start;
    EXPECT_EQ(told(budget, progress, start + base::milliseconds(2430)),
              "budget.timeout.warning {\"elapsed_seconds\":2.4,\"limit_seconds\":3,\"remaining_seconds\":0.6}\n");
}

TEST(Budget, a_timeout_that_is_noticed_late_has_nothing_remaining) {
    Budget budget;
    budget.timeout_s = 600;
    Progress progress;
    progress.counting_since = start;
    EXPECT_EQ(told(budget, progress, at_s(900)),
              "budget.timeout.warning {\"elapsed_seconds\":900,\"limit_seconds\":600,\"remaining_seconds\":0}\n");
}

TEST(Budget, a_context_is_told_again_only_after_it_has_shrunk) {
    Budget budget;
    budget.context_tokens = 200'000;
    Progress progress;
    progress.context_used = 160'000;
    EXPECT_EQ(told(budget, progress),
              "context.approaching_limit "
              R"({"current_tokens":160000,"max_tokens":200000,"percent":80,"remaining_tokens":40000})"
              "\n");
    for (const std::int64_t swaying : {159'999, 160'001, 140'000, 180'000, 210'000}) {
        progress.context_used = swaying;
        EXPECT_EQ(told(budget, progress), "") << swaying;
    }
    progress.context_used = 139'999;
    EXPECT_EQ(told(budget, progress), "");
    progress.context_used = 210'000;
    EXPECT_EQ(told(budget, progress),
              "context.approaching_limit "
              R"({"current_tokens":210000,"max_tokens":200000,"percent":105,"remaining_tokens":0})"
              "\n");
}

TEST(Budget, the_greatest_numbers_do_no_harm) {
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    Budget budget{most, most, most, most};
    Progress progress;
    progress.counting_since = start;
    progress.tokens_used = most - 1;
    EXPECT_EQ(timeout_due(budget, progress, {}), std::nullopt);
    EXPECT_NE(told(budget, progress).find(R"("percentage":100,"remaining":1})"), std::string::npos);
    budget.context_tokens = 1;
    progress.context_used = most;
    EXPECT_NE(told(budget, progress), "");
}

TEST(Budget, every_finding_has_the_payload_that_its_type_demands) {
    std::vector<Finding> findings;
    for (const std::int64_t used : {90, 100}) {
        Progress progress;
        progress.turn = progress.tokens_used = progress.context_used = used;
        progress.counting_since = start;
        for (Finding& finding : check_budget({100, 100, 100, 100}, progress, at_s(90), {})) {
            findings.push_back(std::move(finding));
        }
    }
    Progress progress;
    for (const std::int64_t s : {1, 2, 3}) {
        if (auto loop = note_action(progress, {"a", "a", "", at_s(s)}, {})) findings.push_back(*loop);
    }
    EXPECT_EQ(findings.size(), 9U);
    for (const Finding& finding : findings) {
        const KnownType* known = find_known_type(finding.type);
        ASSERT_NE(known, nullptr) << finding.type;
        for (const PayloadField& field : known->fields) {
            const auto member = finding.payload.member(field.name);
            ASSERT_TRUE(member || !field.required) << finding.type << ' ' << field.name;
            const auto kind = field.kind == PayloadKind::text ? model::JsonKind::string : model::JsonKind::number;
            EXPECT_EQ(member->kind(), kind) << finding.type << ' ' << field.name;
        }
    }
}

}  // namespace
}  // namespace belfry::rules
