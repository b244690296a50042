#include "cli/doctor_clock.hpp"

#include <gtest/gtest.h>

namespace belfry::cli {
namespace {

const base::Timestamp now = *base::parse_timestamp("2026-11-18T12:00:00Z");

store::ClockStep step(base::Duration ago, base::Duration set_back) {
    store::ClockStep made;
    made.noticed_at = now - ago;
    made.set_back = set_back;
    return made;
}

Finding found(const std::vector<store::ClockStep>& steps) {
    std::vector<Finding> findings;
    check_clock_steps(steps, now, findings);
    EXPECT_EQ(findings.size(), 1U);
    return findings.front();
}

TEST(DoctorClock, says_nothing_of_a_clock_that_was_never_set_back) {
    std::vector<Finding> findings;
    check_clock_steps({}, now, findings);
    EXPECT_TRUE(findings.empty());
}

TEST(DoctorClock, tells_the_largest_correction_of_the_last_days) {
    const Finding one = found({step(base::hours(1), base::milliseconds(1500)), step(base::hours(2), base::days(9)),
                               step(base::days(8), base::days(400))});
    EXPECT_EQ(one.state, Finding::State::warning);
    EXPECT_NE(one.detail.find("set back by 9d;"), std::string::npos) << one.detail;
    EXPECT_NE(one.detail.find("; 2 other corrections"), std::string::npos) << one.detail;
}

TEST(DoctorClock, does_not_warn_of_small_or_old_corrections) {
    EXPECT_EQ(found({step(base::hours(1), base::seconds(2))}).state, Finding::State::good);
    EXPECT_EQ(found({step(base::days(8), base::days(9))}).state, Finding::State::good);
}

}  // namespace
}  // namespace belfry::cli
