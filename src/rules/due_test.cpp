#include "rules/due.hpp"

#include <gtest/gtest.h>
#include <string>

namespace belfry::rules {
namespace {

using model::InjectAt;
using model::Priority;

constexpr Priority priorities[] = {Priority::critical, Priority::high, Priority::normal, Priority::low};
constexpr InjectAt points[] = {InjectAt::immediate, InjectAt::turn_start, InjectAt::after_tool, InjectAt::turn_end};

// For each point of a turn and each priority: which of the four points asked for come out, in the order of `points`.
struct Line {
    InjectAt at;
    const char* critical;
    const char* high;
    const char* normal;
    const char* low;
};
constexpr Line table[] = {
    {InjectAt::immediate, "yyyy", "----", "----", "----"},
    {InjectAt::turn_start, "yyyy", "yyyy", "yy--", "yy--"},
    {InjectAt::after_tool, "yyyy", "yyyy", "y-y-", "y-y-"},
    {InjectAt::turn_end, "yyyy", "yyyy", "y-yy", "y-yy"},
};

TEST(Due, each_priority_and_point_comes_out_as_the_table_says) {
    for (const Line& line : table) {
        const char* const expected[] = {line.critical, line.high, line.normal, line.low};
        for (std::size_t p = 0; p < 4; ++p) {
            std::string got;
            for (const InjectAt point : points) got += is_due(line.at, priorities[p], point) ? 'y' : '-';
            EXPECT_EQ(got, expected[p]) << model::inject_at_name(line.at) << ' ' << model::priority_name(priorities[p]);
        }
    }
}

TEST(Due, classes_say_the_same_as_bits) {
    for (const InjectAt at : points) {
        std::uint32_t expected = 0;
        for (std::uint32_t p = 0; p < 4; ++p) {
            for (std::uint32_t i = 0; i < 4; ++i) {
                if (is_due(at, priorities[p], points[i])) expected |= 1U << (p * 4 + i);
            }
        }
        EXPECT_EQ(due_classes(at), expected) << model::inject_at_name(at);
    }
}

TEST(Due, low_context_waits_for_the_end_of_a_turn_and_nothing_else_does) {
    using model::Handler;
    using model::Target;
    EXPECT_TRUE(waits_for_turn_end(Priority::low, Target::agent, Handler::system));
    EXPECT_FALSE(waits_for_turn_end(Priority::low, Target::agent, Handler::agent));
    EXPECT_FALSE(waits_for_turn_end(Priority::low, Target::user, Handler::system));
    EXPECT_FALSE(waits_for_turn_end(Priority::low, Target::user, Handler::agent));
    EXPECT_FALSE(waits_for_turn_end(Priority::normal, Target::agent, Handler::system));
}

constexpr base::Timestamp started{2000};
constexpr base::Timestamp ended{1000};

TEST(LeftOver, what_missed_its_point_comes_out_when_the_next_turn_starts) {
    model::Session session;
    session.progress.turn = 2;
    session.progress.in_turn = true;
    session.last_turn_ended_at = ended;
    session.last_turn_started_at = started;
    EXPECT_EQ(left_over_before(InjectAt::turn_start, session), ended);
    for (const InjectAt at : {InjectAt::immediate, InjectAt::after_tool, InjectAt::turn_end}) {
        EXPECT_EQ(left_over_before(at, session), std::nullopt) << model::inject_at_name(at);
    }
}

TEST(LeftOver, nothing_is_left_over_in_a_sessions_first_turn) {
    model::Session session;
    EXPECT_EQ(left_over_before(InjectAt::turn_start, session), std::nullopt);
    session.progress.turn = 1;
    session.progress.in_turn = true;
    session.last_turn_started_at = started;
    EXPECT_EQ(left_over_before(InjectAt::turn_start, session), std::nullopt);
}

TEST(LeftOver, a_count_that_began_anew_does_not_make_it_the_first_turn) {
    model::Session session;
    session.progress.turn = 1;
    session.last_turn_ended_at = ended;
    session.last_turn_started_at = started;
    EXPECT_EQ(left_over_before(InjectAt::turn_start, session), ended);
}

TEST(LeftOver, of_a_runtime_that_reports_no_ends_is_what_was_there_when_the_turn_before_began) {
    model::Session session;
    begin_turn(session, started, {"token:a"});
    EXPECT_EQ(left_over_before(InjectAt::turn_start, session), std::nullopt);
    begin_turn(session, started + base::seconds(9), {"token:a"});
    EXPECT_EQ(left_over_before(InjectAt::turn_start, session), started);
    end_turn(session, started + base::seconds(10));
    begin_turn(session, started + base::seconds(20), {"token:a"});
    EXPECT_EQ(left_over_before(InjectAt::turn_start, session), started + base::seconds(10));
}

}  // namespace
}  // namespace belfry::rules
