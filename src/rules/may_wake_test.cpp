#include "rules/may_wake.hpp"

#include <gtest/gtest.h>

namespace belfry::rules {
namespace {

using model::Role;

model::Principal bound(Role role, std::vector<std::string> users, std::vector<std::string> sessions) {
    model::Principal who;
    who.role = role;
    who.bounds.users = std::move(users);
    who.bounds.sessions = std::move(sessions);
    return who;
}

// Of ada's agent a1, in a session that is nobody's.
base::Result<void> may_wake_in(const model::Principal& who, std::string_view session, bool is_named) {
    model::Agent agent;
    agent.id = "a1";
    agent.user_id = "ada";
    WakePlace place;
    place.session_id = session;
    place.is_named = is_named;
    return may_wake(who, agent, place);
}

TEST(MayWake, a_session_that_nobody_has_named_proves_nothing_to_whom_it_is_the_only_bound) {
    for (const Role role : {Role::agent, Role::service}) {
        const model::Principal alone = bound(role, {}, {"s"});
        EXPECT_FALSE(may_wake_in(alone, "s", false).ok());
        EXPECT_TRUE(may_wake_in(alone, "s", true).ok());
        EXPECT_FALSE(may_wake_in(alone, "", true).ok()) << "in no session at all";
        EXPECT_TRUE(may_wake_in(bound(role, {"ada"}, {"s"}), "s", false).ok());
        EXPECT_FALSE(may_wake_in(bound(role, {"bob"}, {"s"}), "s", false).ok());
    }
    EXPECT_TRUE(may_wake_in(bound(Role::service, {}, {}), "s", false).ok());
    EXPECT_FALSE(may_wake_in(bound(Role::agent, {}, {}), "s", false).ok());
    EXPECT_TRUE(may_wake_in(model::house_principal(), "s", false).ok());
}

TEST(MayName, who_is_bound_to_sessions_alone_does_not_say_whose_they_are) {
    for (const Role role : {Role::agent, Role::service, Role::emitter}) {
        EXPECT_FALSE(may_name_user(bound(role, {}, {"s"})).ok());
        EXPECT_TRUE(may_name_user(bound(role, {"ada"}, {"s"})).ok());
        EXPECT_TRUE(may_name_user(bound(role, {}, {})).ok());
    }
    EXPECT_TRUE(may_name_user(bound(Role::user, {}, {"s"})).ok()) << "his own";
    EXPECT_TRUE(may_name_user(model::house_principal()).ok());
}

TEST(MayWork, only_who_is_bound_to_the_user_and_to_no_session) {
    EXPECT_TRUE(may_work_for(bound(Role::agent, {"ada"}, {}), "ada").ok());
    EXPECT_FALSE(may_work_for(bound(Role::agent, {"bob"}, {}), "ada").ok());
    EXPECT_FALSE(may_work_for(bound(Role::agent, {}, {"s"}), "ada").ok());
    EXPECT_FALSE(may_work_for(bound(Role::agent, {"ada"}, {"s"}), "ada").ok());
    EXPECT_FALSE(may_work_for(bound(Role::emitter, {"ada"}, {}), "ada").ok());
}

}  // namespace
}  // namespace belfry::rules
