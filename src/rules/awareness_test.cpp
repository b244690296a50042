#include "rules/awareness.hpp"

#include <gtest/gtest.h>

#include "base/limits.hpp"
#include "rules/model_tokens.hpp"

namespace belfry::rules {
namespace {

using model::DeliveryState;
using model::FactStatus;
using model::Notification;

std::vector<Notification> facts(int in_inbox, int in_session) {
    std::vector<Notification> rows;
    for (int i = 0; i < in_inbox + in_session; ++i) {
        Notification& one = rows.emplace_back();
        one.address = i < in_inbox ? model::Address::user : model::Address::session;
        one.text = "word " + std::to_string(i);
        one.fact = {10 + i, 1, FactStatus::seen, {}};
    }
    return rows;
}

FactCounts counts_of(const std::vector<Notification>& rows) {
    return {std::ssize(rows), std::ranges::count(rows, model::Address::user, &Notification::address), 0};
}

bool has(const std::string& line, std::string_view part) {
    return line.find(part) != std::string::npos;
}

TEST(Awareness, tells_each_as_a_fact_and_the_inbox_as_a_sentence) {
    const auto rows = facts(2, 1);
    const Awareness told = awareness_of(rows, counts_of(rows), 0);
    ASSERT_EQ(told.seen.size(), 3U);
    EXPECT_TRUE(has(told.seen.front(), "word 0")) << "oldest first";
    EXPECT_TRUE(has(told.digest, "shown 2 notifications")) << told.digest;
    EXPECT_EQ(told.last_told, 12);
    EXPECT_GT(told.model_tokens, 0);
    EXPECT_TRUE(awareness_of({}, {}, 0).is_empty());
}

TEST(Awareness, tells_the_oldest_and_counts_the_others) {
    const auto rows = facts(30, 0);
    const Awareness told = awareness_of(rows, {700, 650, 0}, 0);
    ASSERT_EQ(told.seen.size(), base::limits::seen_facts_max + 1);
    EXPECT_TRUE(has(told.seen[0], "word 0"));
    EXPECT_EQ(told.seen.back(), "… and 680 more, told in later turns");
    EXPECT_EQ(told.last_told, 29) << "the mark stops at the last fact that was told";
    EXPECT_TRUE(has(told.digest, "shown 650 notifications")) << told.digest;
}

TEST(Awareness, takes_half_of_the_budget_and_counts_the_others_whatever_it_is) {
    const auto rows = facts(4, 6);
    for (std::int64_t budget = 1; budget < 600; ++budget) {
        const Awareness told = awareness_of(rows, counts_of(rows), budget);
        constexpr std::int64_t count_tokens = 12;  // of the line that counts the others
        ASSERT_LE(told.model_tokens, budget / 2 + count_tokens);
        std::int64_t cost = told.digest.empty() ? 0 : estimate_model_tokens(told.digest);
        std::int64_t lines = 0;
        for (const std::string& line : told.seen) {
            cost += estimate_model_tokens(line);
            if (line.starts_with("[")) ++lines;
        }
        ASSERT_EQ(cost, told.model_tokens);
        ASSERT_EQ(told.last_told.has_value(), lines > 0);
        if (lines > 0) {
            ASSERT_EQ(*told.last_told, 9 + lines) << "no fact is passed over";
        }
        if (lines < 10) {
            ASSERT_EQ(told.seen.back(), "… and " + std::to_string(10 - lines) + " more, told in later turns");
        }
    }
    EXPECT_EQ(awareness_of(rows, counts_of(rows), 1).seen.size(), 1U) << "the count alone";
    EXPECT_EQ(awareness_of(rows, counts_of(rows), 599).seen.size(), 10U);
}

TEST(Awareness, shortens_the_oldest_fact_rather_than_never_telling_it) {
    auto rows = facts(0, 2);
    rows[0].text = std::string(250, 'x');
    const Awareness told = awareness_of(rows, counts_of(rows), 80);
    ASSERT_FALSE(told.seen.empty());
    EXPECT_TRUE(told.seen[0].ends_with("x…")) << told.seen[0];
    EXPECT_EQ(told.last_told, 10);
}

TEST(Awareness, leaves_out_the_date_where_a_small_budget_has_no_room_for_it) {
    auto rows = facts(0, 1);
    rows[0].fact.status = FactStatus::escalated;
    const Awareness told = awareness_of(rows, counts_of(rows), 40);
    ASSERT_EQ(told.seen.size(), 1U);
    EXPECT_EQ(told.seen[0], "[SHOWN, escalated] word 0");
    EXPECT_EQ(told.last_told, 10);
}

TEST(Awareness, counts_a_fact_in_one_digest_only) {
    const auto rows = facts(5, 0);
    const Awareness told = awareness_of(rows, {5, 2, 12}, 0);
    EXPECT_EQ(told.seen.size(), 5U);
    EXPECT_TRUE(has(told.digest, "shown 2 notifications (2 notice)")) << told.digest;
    EXPECT_TRUE(awareness_of(rows, {5, 0, 14}, 0).digest.empty());
}

TEST(Awareness, of_a_session_that_gets_another_user_begins_anew) {
    model::Session session;
    session.user_id = "owner";
    session.aware_no = 12;
    session.progress.digest_no = 12;
    session.progress.aware_next = 14;
    set_user(session, "owner");
    EXPECT_EQ(session.aware_no, 12);
    set_user(session, "mary");
    EXPECT_EQ(session.user_id, "mary");
    EXPECT_FALSE(session.aware_no);
    EXPECT_FALSE(session.progress.aware_next);
    EXPECT_EQ(session.progress.digest_no, 0);
}

TEST(Awareness, learns_a_version_and_a_status_once) {
    Notification row;
    EXPECT_TRUE(is_news(row, FactStatus::shown));
    row.fact = {1, 1, FactStatus::shown, {}};
    EXPECT_FALSE(is_news(row, FactStatus::shown));
    EXPECT_TRUE(is_news(row, FactStatus::escalated));
    EXPECT_TRUE(is_news(row, FactStatus::seen));
    row.fact.status = FactStatus::seen;
    EXPECT_FALSE(is_news(row, FactStatus::shown)) << "a status does not go back";
    row.version = 2;
    EXPECT_TRUE(is_news(row, FactStatus::shown)) << "a new text is a new fact";
    EXPECT_EQ(shown_status(row), FactStatus::shown);
    row.state = DeliveryState::escalated;
    EXPECT_EQ(shown_status(row), FactStatus::escalated);
}

TEST(Awareness, of_a_new_session_begins_a_day_before_it_whatever_the_clock_says_later) {
    model::Session session;
    session.created_at = base::Timestamp{} + base::days(10);
    EXPECT_EQ(first_facts_since(session, session.created_at + base::hours(5)), base::Timestamp{} + base::days(9));
    EXPECT_EQ(first_facts_since(session, base::Timestamp{} + base::days(3)), base::Timestamp{} + base::days(2));
}

}  // namespace
}  // namespace belfry::rules
