#include "rules/may_context.hpp"

#include <gtest/gtest.h>

namespace belfry::rules {
namespace {

using model::Principal;
using model::Role;
using List = std::vector<std::string>;

constexpr Role all_roles[] = {Role::admin, Role::service, Role::user, Role::agent, Role::emitter};

Principal who(Role role, List users = {}, List sessions = {}, List types = {}) {
    Principal principal;
    principal.role = role;
    if (role == Role::user) principal.user_id = "ada";
    principal.bounds.users = std::move(users);
    principal.bounds.sessions = std::move(sessions);
    principal.bounds.type_prefixes = std::move(types);
    return principal;
}

// "ok", or the field that is refused, or "-" for a refusal without one.
std::string outcome(const base::Result<void>& result) {
    if (result.ok()) return "ok";
    EXPECT_EQ(result.error().code, base::Code::forbidden);
    return result.error().field.empty() ? "-" : result.error().field;
}

std::string set(const Principal& principal, const std::string& user, const std::string& session = {},
                const std::string& name = "ci.progress") {
    return outcome(may_set_context(principal, {name, {user, session, "coder"}}));
}

std::string read(const Principal& principal, const std::string& user, const std::string& session = {},
                 const std::optional<std::string>& session_user = {}) {
    return outcome(may_read_context(principal, user, session, session_user));
}

TEST(MaySetContext, every_role_within_its_bounds_and_a_user_for_himself_alone) {
    for (const Role role : all_roles) {
        EXPECT_EQ(set(who(role), "ada"), "ok");
        EXPECT_EQ(set(who(role), "eve"), role == Role::user ? "user_id" : "ok");
        EXPECT_EQ(set(who(role, {"ada"}), "ada", "s1"), "ok");
        EXPECT_EQ(set(who(role, {"ada"}), "eve", "s1"), "user_id");
        EXPECT_EQ(set(who(role, {}, {"s1"}), "ada", "s1"), "ok");
        EXPECT_EQ(set(who(role, {}, {"s1"}), "ada", "s2"), "session_id");
        EXPECT_EQ(set(who(role, {}, {"s1"}), "ada"), "session_id") << "a value for all sessions";
    }
}

TEST(MaySetContext, the_name_is_judged_as_the_type_of_an_event) {
    const Principal bound = who(Role::emitter, {}, {}, {"ci.", "deploy"});
    EXPECT_EQ(set(bound, "ada", "", "ci.progress"), "ok");
    EXPECT_EQ(set(bound, "ada", "", "deploy.eu.progress"), "ok");
    EXPECT_EQ(set(bound, "ada", "", "cix.progress"), "name");
    EXPECT_EQ(set(bound, "ada", "", "mail.unread"), "name");
}

TEST(MayReadContext, emitters_and_agents_without_bounds_read_nothing) {
    for (const Role role : {Role::emitter, Role::agent}) {
        EXPECT_EQ(read(who(role), "ada"), "-");
        EXPECT_EQ(read(who(role), "ada", "s1", "ada"), "-");
    }
    EXPECT_EQ(read(who(Role::emitter, {"ada"}), "ada"), "-");
}

TEST(MayReadContext, the_others_read_their_users_and_sessions) {
    EXPECT_EQ(read(who(Role::admin), "eve"), "ok");
    EXPECT_EQ(read(who(Role::service), "eve"), "ok");
    EXPECT_EQ(read(who(Role::user), "ada"), "ok");
    EXPECT_EQ(read(who(Role::user), "eve"), "user");
    EXPECT_EQ(read(who(Role::user), "ada", "s1", "ada"), "ok");
    EXPECT_NE(read(who(Role::user), "ada", "s1", "eve"), "ok") << "a session of another user";
    EXPECT_EQ(read(who(Role::agent, {"ada"}), "ada"), "ok");
    EXPECT_EQ(read(who(Role::agent, {"ada"}), "eve"), "user");
    EXPECT_EQ(read(who(Role::agent, {"ada"}), "ada", "s1", "ada"), "ok");
    EXPECT_NE(read(who(Role::agent, {"ada"}), "eve", "s1", "ada"), "ok");
}

TEST(MayReadContext, a_token_that_is_bound_to_sessions_reads_what_belongs_to_their_users) {
    for (const Role role : {Role::agent, Role::service}) {
        const Principal bound = who(role, {}, {"s1"});
        EXPECT_EQ(read(bound, "ada", "s1", "ada"), "ok");
        EXPECT_EQ(read(bound, "eve", "s1", "ada"), "user") << "a value of another user for this session";
        EXPECT_EQ(read(bound, "ada", "s1"), "user") << "there is no such session yet";
        EXPECT_EQ(read(bound, "ada", "s2", "ada"), "session_id");
        EXPECT_EQ(read(bound, "ada"), "session") << "values for all sessions";
    }
}

TEST(MayContext, a_token_that_is_bound_to_an_agent_sets_values_of_this_agent_only_and_reads_with_pulls) {
    Principal worker = who(Role::agent, {"ada"});
    worker.bounds.agents = {"coder"};
    const auto set_of = [&](const std::string& agent) {
        return outcome(may_set_context(worker, {"ci.progress", {"ada", "", agent}}));
    };
    EXPECT_EQ(set_of("coder"), "ok");
    EXPECT_EQ(set_of("coach"), "agent_id");
    EXPECT_EQ(set_of(""), "agent_id");
    EXPECT_EQ(read(worker, "ada"), "-");
}

}  // namespace
}  // namespace belfry::rules
