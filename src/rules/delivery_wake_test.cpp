#include "rules/delivery_wake.hpp"

#include <gtest/gtest.h>

#include "rules/step_reason.hpp"

namespace belfry::rules {
namespace {

using base::seconds;
using base::Timestamp;
using model::DeliveryState;
using model::Handler;
using model::Notification;
using model::Target;

constexpr Timestamp start{1'000'000'000'000};
constexpr base::Duration ttl = seconds(60);
constexpr base::Duration lease = seconds(900);

Notification fresh(Target target, Handler handler = Handler::agent) {
    Notification row;
    row.scope = {"ada", "", "robot"};
    row.content = row.text = "Look at build 7";
    row.created_at = start;
    row.address = model::Address::user;
    row.target = target;
    row.handler = handler;
    row.ttl = ttl;
    Steps steps;
    born(row, "token:emitter", steps);
    return row;
}

Notification held(Target target) {
    Notification row = fresh(target);
    Steps steps;
    EXPECT_EQ(claim(row, start, "belfry", lease, steps), Refusal::none);
    return row;
}

TEST(DeliveryWake, a_row_waits_for_an_agent_until_it_is_narrated_escalated_or_ended) {
    for (const Target target : {Target::user, Target::agent}) {
        EXPECT_TRUE(waits_for_agent(fresh(target)));
        EXPECT_TRUE(waits_for_agent(held(target)));
        EXPECT_FALSE(waits_for_agent(fresh(target, Handler::system)));
        Notification escalated = held(target);
        Steps steps;
        EXPECT_TRUE(give_to_user(escalated, start, "", steps));
        EXPECT_FALSE(waits_for_agent(escalated));
        Notification ended = held(target);
        EXPECT_EQ(tell_with(ended, start, "agent:robot", steps), Refusal::none);
        EXPECT_FALSE(waits_for_agent(ended));
    }
}

TEST(DeliveryWake, a_row_for_the_agents_decision_becomes_the_users_once) {
    Notification row = held(Target::agent);
    Steps steps;
    EXPECT_TRUE(raise_to_user(row, start, "agent:robot", steps));
    EXPECT_EQ(row.target, Target::user);
    ASSERT_EQ(steps.size(), 1U);
    EXPECT_EQ(steps[0].reason, step_reason::promoted);
    EXPECT_FALSE(raise_to_user(row, start, "agent:robot", steps));
    Notification shown = fresh(Target::user, Handler::system);
    EXPECT_FALSE(raise_to_user(shown, start, "agent:robot", steps));
}

TEST(DeliveryWake, a_row_that_is_told_with_another_is_delivered_from_every_open_state) {
    for (Notification row : {fresh(Target::user), held(Target::user), fresh(Target::agent)}) {
        Steps steps;
        EXPECT_EQ(tell_with(row, start, "agent:robot", steps), Refusal::none);
        EXPECT_EQ(row.state, DeliveryState::delivered);
        EXPECT_EQ(steps.back().reason, step_reason::told_with);
        EXPECT_EQ(tell_with(row, start, "agent:robot", steps), Refusal::terminal);
    }
    Notification shown = fresh(Target::user, Handler::system);
    Steps steps;
    EXPECT_EQ(tell_with(shown, start, "agent:robot", steps), Refusal::wrong_channel);
}

TEST(DeliveryWake, the_ttl_of_a_row_counts_again_after_a_failed_attempt) {
    for (const Target target : {Target::user, Target::agent}) {
        Notification row = held(target);
        EXPECT_EQ(row.deadline, start + lease);
        Steps steps;
        EXPECT_TRUE(release_to_ttl(row, start + seconds(5), steps));
        EXPECT_EQ(row.deadline, start + ttl);
        EXPECT_TRUE(is_free(row, start + seconds(5)));
        EXPECT_FALSE(release_to_ttl(row, start + seconds(5), steps));

        Notification late = held(target);
        EXPECT_TRUE(release_to_ttl(late, start + ttl, steps));
        EXPECT_EQ(late.state, DeliveryState::escalated);
        EXPECT_EQ(late.lease, 2);
    }
}

TEST(DeliveryWake, a_row_that_is_given_to_the_user_says_why) {
    for (Notification row : {fresh(Target::user), held(Target::user), fresh(Target::agent), held(Target::agent)}) {
        Steps steps;
        EXPECT_TRUE(give_to_user(row, start, "robot has failed", steps));
        EXPECT_EQ(row.state, DeliveryState::escalated);
        EXPECT_EQ(row.text, "Look at build 7 (robot has failed)");
        EXPECT_EQ(row.content, row.text);
        EXPECT_EQ(row.version, 2);
        EXPECT_EQ(row.lease, 2);
        EXPECT_EQ(steps.back().reason, step_reason::agent_failed);
        EXPECT_FALSE(give_to_user(row, start, "robot has failed", steps));
    }
    Notification plain = fresh(Target::agent);
    Steps steps;
    EXPECT_TRUE(give_to_user(plain, start, "", steps));
    EXPECT_EQ(plain.text, "Look at build 7");
    EXPECT_EQ(plain.version, 1);
    Notification passive = fresh(Target::agent, Handler::system);
    EXPECT_FALSE(give_to_user(passive, start, "", steps));
}

}  // namespace
}  // namespace belfry::rules
