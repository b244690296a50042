#include <gtest/gtest.h>

#include "rules/may.hpp"

namespace belfry::rules {
namespace {

using model::Principal;
using model::Role;

struct Bound {
    std::vector<std::string> users;
    std::vector<std::string> sessions;
};

Principal who(Role role, Bound bound = {}) {
    Principal principal;
    principal.role = role;
    if (role == Role::user) principal.user_id = "ada";
    principal.bounds.users = std::move(bound.users);
    principal.bounds.sessions = std::move(bound.sessions);
    return principal;
}

// `ok`, or the field of the refusal (`-` where it has none).
std::string outcome(const base::Result<void>& result) {
    if (result.ok()) return "ok";
    EXPECT_EQ(result.error().code, base::Code::forbidden);
    EXPECT_FALSE(result.error().message.empty());
    return result.error().field.empty() ? "-" : result.error().field;
}

TEST(MayUseSession, is_for_its_user_and_for_who_is_bound_to_it) {
    const struct {
        Principal principal;
        const char* session;
        const char* user;
        const char* expected;
    } table[] = {
        {who(Role::admin), "s1", "ada", "ok"},
        {who(Role::admin, {{"eve"}, {"s9"}}), "s1", "ada", "ok"},
        {who(Role::user), "s1", "ada", "ok"},
        {who(Role::user), "s1", "eve", "user_id"},
        {who(Role::user, {{"eve"}, {}}), "s1", "ada", "user_id"},
        {who(Role::user, {{}, {"s1"}}), "s1", "ada", "ok"},
        {who(Role::user, {{}, {"s1"}}), "s2", "ada", "session_id"},
        {who(Role::service), "s1", "ada", "ok"},
        {who(Role::service, {{"ada", "bob"}, {}}), "s1", "bob", "ok"},
        {who(Role::service, {{"ada", "bob"}, {}}), "s1", "eve", "user_id"},
        {who(Role::service, {{}, {"s1"}}), "s1", "eve", "ok"},
        {who(Role::service, {{}, {"s1"}}), "s2", "eve", "session_id"},
        {who(Role::service, {{"ada"}, {"s1"}}), "s2", "ada", "session_id"},
        {who(Role::agent), "s1", "ada", "-"},
        {who(Role::agent, {{}, {"s1"}}), "s1", "ada", "ok"},
        {who(Role::agent, {{}, {"s1"}}), "s2", "ada", "session_id"},
        {who(Role::agent, {{"ada"}, {}}), "s2", "ada", "ok"},
        {who(Role::agent, {{"ada"}, {}}), "s2", "eve", "user_id"},
        {who(Role::agent, {{"ada"}, {"s1"}}), "s1", "eve", "user_id"},
        {who(Role::emitter), "s1", "ada", "-"},
        {who(Role::emitter, {{"ada"}, {"s1"}}), "s1", "ada", "-"},
    };
    for (const auto& [principal, session, user, expected] : table) {
        EXPECT_EQ(outcome(may_use_session(principal, session, user)), expected)
            << model::role_name(principal.role) << ' ' << session << ' ' << user;
    }
}

TEST(MaySeeOf, narrows_to_whom_one_may_see) {
    const struct {
        Principal principal;
        const char* wanted;
        const char* expected;
        const char* narrowed;
    } table[] = {
        {who(Role::admin), "", "ok", ""},
        {who(Role::admin), "eve", "ok", "eve"},
        {who(Role::service), "", "ok", ""},
        {who(Role::service, {{"ada"}, {}}), "", "ok", "ada"},
        {who(Role::service, {{"ada", "bob"}, {}}), "", "user", ""},
        {who(Role::service, {{"ada", "bob"}, {}}), "bob", "ok", "bob"},
        {who(Role::service, {{"ada", "bob"}, {}}), "eve", "user", "eve"},
        {who(Role::service, {{}, {"s1"}}), "", "session", ""},
        {who(Role::user), "", "ok", "ada"},
        {who(Role::user), "ada", "ok", "ada"},
        {who(Role::user), "eve", "user", "eve"},
        {who(Role::user, {{}, {"s1"}}), "", "session", "ada"},
        {who(Role::agent), "ada", "-", "ada"},
        {who(Role::agent, {{"ada"}, {}}), "", "ok", "ada"},
        {who(Role::agent, {{"ada"}, {}}), "eve", "user", "eve"},
        {who(Role::agent, {{}, {"s1"}}), "ada", "session", "ada"},
        {who(Role::emitter), "ada", "-", "ada"},
    };
    for (const auto& [principal, wanted, expected, narrowed] : table) {
        std::string user = wanted;
        EXPECT_EQ(outcome(may_see_of(principal, user)), expected) << model::role_name(principal.role) << ' ' << wanted;
        EXPECT_EQ(user, narrowed) << model::role_name(principal.role) << ' ' << wanted;
    }
}

TEST(MaySetFor, a_users_choices_are_his_and_theirs_who_act_for_him) {
    EXPECT_EQ(outcome(may_set_for(who(Role::admin), "ada")), "ok");
    EXPECT_EQ(outcome(may_set_for(who(Role::user), "ada")), "ok");
    EXPECT_EQ(outcome(may_set_for(who(Role::user), "eve")), "user_id");
    EXPECT_EQ(outcome(may_set_for(who(Role::service), "eve")), "ok");
    EXPECT_EQ(outcome(may_set_for(who(Role::service, {{"ada"}, {}}), "ada")), "ok");
    EXPECT_EQ(outcome(may_set_for(who(Role::service, {{"ada"}, {}}), "eve")), "user_id");
    for (const Role role : {Role::user, Role::service}) {
        EXPECT_EQ(outcome(may_set_for(who(role, {{}, {"s1"}}), "ada")), "-");
    }
    for (const Role role : {Role::agent, Role::emitter}) {
        EXPECT_EQ(outcome(may_set_for(who(role, {{"ada"}, {}}), "ada")), "-");
    }
}

TEST(DefaultUser, is_ones_own_then_the_only_one_bound_to_then_the_owner) {
    EXPECT_EQ(default_user(who(Role::user), "root"), "ada");
    EXPECT_EQ(default_user(who(Role::agent, {{"bob"}, {}}), "root"), "bob");
    EXPECT_EQ(default_user(who(Role::agent, {{"bob", "eve"}, {}}), "root"), "root");
    EXPECT_EQ(default_user(who(Role::service), "root"), "root");
    EXPECT_EQ(default_user(who(Role::admin), "root"), "root");
}

}  // namespace
}  // namespace belfry::rules
