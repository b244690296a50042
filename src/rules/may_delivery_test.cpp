#include <gtest/gtest.h>

#include "rules/may.hpp"

namespace belfry::rules {
namespace {

using model::Principal;
using model::Role;
using List = std::vector<std::string>;

constexpr Role all_roles[] = {Role::admin, Role::service, Role::user, Role::agent, Role::emitter};

Principal who(Role role, List users = {}, List sessions = {}) {
    Principal principal;
    principal.id = "token:x";
    principal.role = role;
    if (role == Role::user) principal.user_id = "ada";
    principal.bounds.users = std::move(users);
    principal.bounds.sessions = std::move(sessions);
    return principal;
}

// "ok", or the field that is refused, or "-" for a refusal without one.
std::string outcome(const base::Result<void>& result) {
    if (result.ok()) return "ok";
    EXPECT_EQ(result.error().code, base::Code::forbidden);
    return result.error().field.empty() ? "-" : result.error().field;
}

TEST(MayNotify, everybody_inside_his_bounds_and_a_user_for_himself_alone) {
    for (const Role role : all_roles) {
        EXPECT_EQ(outcome(may_notify(who(role), {"ada", "s1", ""})), "ok");
        EXPECT_EQ(outcome(may_notify(who(role), {"eve", "s1", ""})), role == Role::user ? "user_id" : "ok");
        EXPECT_EQ(outcome(may_notify(who(role, {"ada"}), {"ada", "", ""})), "ok");
        EXPECT_EQ(outcome(may_notify(who(role, {"ada"}), {"eve", "", ""})), "user_id");
        EXPECT_EQ(outcome(may_notify(who(role, {"ada"}), {"", "", ""})), "user_id");
        EXPECT_EQ(outcome(may_notify(who(role, {}, {"s1"}), {"ada", "s1", ""})), "ok");
        EXPECT_EQ(outcome(may_notify(who(role, {}, {"s1"}), {"ada", "s2", ""})), "session_id");
        EXPECT_EQ(outcome(may_notify(who(role, {}, {"s1"}), {"ada", "", ""})), "session_id");
    }
}

TEST(MayNotify, bounds_on_events_are_not_passed_by_with_a_notification) {
    Principal bound = who(Role::emitter);
    bound.bounds.severity_max = model::Severity::warning;
    EXPECT_EQ(outcome(may_notify(bound, {"ada", "", ""}, model::Severity::warning)), "ok");
    EXPECT_EQ(outcome(may_notify(bound, {"ada", "", ""}, model::Severity::error)), "severity");
    bound.bounds.type_prefixes = {"ci."};
    EXPECT_EQ(outcome(may_notify(bound, {"ada", "", ""})), "-");
}

TEST(MayAnswerFor, is_for_the_person_and_those_who_act_for_him_and_never_for_an_agent) {
    EXPECT_EQ(outcome(may_answer_for(who(Role::admin), "eve")), "ok");
    EXPECT_EQ(outcome(may_answer_for(who(Role::user), "ada")), "ok");
    EXPECT_EQ(outcome(may_answer_for(who(Role::user), "eve")), "user_id");
    EXPECT_EQ(outcome(may_answer_for(who(Role::service), "eve")), "ok");
    EXPECT_EQ(outcome(may_answer_for(who(Role::service, {"ada"}), "ada")), "ok");
    EXPECT_EQ(outcome(may_answer_for(who(Role::service, {"ada"}), "eve")), "user_id");
    for (const Role role : {Role::agent, Role::emitter}) {
        EXPECT_EQ(outcome(may_answer_for(who(role), "ada")), "-");
        EXPECT_EQ(outcome(may_answer_for(who(role, {"ada"}, {"s1"}), "ada", "s1")), "-");
    }
    for (const Role role : {Role::user, Role::service}) {
        EXPECT_EQ(outcome(may_answer_for(who(role, {}, {"s1"}), "ada", "s1")), "ok");
        EXPECT_EQ(outcome(may_answer_for(who(role, {}, {"s1"}), "ada", "s2")), "session_id");
        EXPECT_EQ(outcome(may_answer_for(who(role, {}, {"s1"}), "ada")), "session_id");
    }
}

TEST(MayManageTools, is_for_admins_and_services_that_are_bound_to_nobody) {
    EXPECT_EQ(outcome(may_manage_tools(who(Role::admin))), "ok");
    EXPECT_EQ(outcome(may_manage_tools(who(Role::service))), "ok");
    EXPECT_EQ(outcome(may_manage_tools(who(Role::service, {"ada"}))), "-");
    EXPECT_EQ(outcome(may_manage_tools(who(Role::service, {}, {"s1"}))), "-");
    for (const Role role : {Role::user, Role::agent, Role::emitter}) {
        EXPECT_EQ(outcome(may_manage_tools(who(role))), "-");
    }
}

TEST(MayFollow, a_persons_stream_is_for_its_owner_and_those_who_act_for_him_and_its_requests_for_turns_for_agents) {
    const struct {
        Principal principal;
        const char* session;  // that the reader asks for
        const char* inbox;    // what becomes of it on inbox:ada
        const char* agent;    // and on agent:ada
        const char* narrowed;
    } table[] = {
        {who(Role::admin, {"eve"}), "", "ok", "ok", ""},
        {who(Role::service), "", "ok", "ok", ""},
        {who(Role::service, {"ada", "bob"}), "", "ok", "ok", ""},
        {who(Role::service, {"bob"}), "", "user", "user", ""},
        {who(Role::service, {}, {"s1"}), "", "ok", "ok", "s1"},
        {who(Role::service, {}, {"s1"}), "s2", "session", "session", "s2"},
        {who(Role::user), "", "ok", "ok", ""},
        {who(Role::user), "s1", "ok", "ok", "s1"},
        {who(Role::user, {}, {"s1"}), "", "ok", "ok", "s1"},
        {who(Role::agent), "", "-", "-", ""},
        {who(Role::agent, {"ada"}), "", "-", "ok", ""},
        {who(Role::agent, {"bob"}), "", "-", "user", ""},
        {who(Role::agent, {}, {"s1"}), "", "-", "ok", "s1"},
        {who(Role::agent, {}, {"s1", "s2"}), "", "-", "session", ""},
        {who(Role::agent, {}, {"s1", "s2"}), "s2", "-", "ok", "s2"},
        {who(Role::agent, {}, {"s1", "s2"}), "s3", "-", "session", "s3"},
        {who(Role::agent, {"ada"}, {"s1"}), "", "-", "ok", "s1"},
        {who(Role::emitter, {"ada"}), "", "-", "-", ""},
    };
    for (const auto& [principal, session, inbox, agent, narrowed] : table) {
        for (const bool is_inbox : {true, false}) {
            model::StreamInfo stream;
            stream.name = is_inbox ? "inbox:ada" : "agent:ada";
            stream.owner = "ada";
            stream.retention = model::RetentionClass::delivery;
            model::StreamFilter filter;
            filter.session_id = session;
            const std::string expected = is_inbox ? inbox : agent;
            EXPECT_EQ(outcome(may_follow(principal, stream, filter)), expected)
                << model::role_name(principal.role) << ' ' << stream.name << ' ' << session;
            if (expected == "ok") {
                EXPECT_EQ(filter.session_id, narrowed);
            }
        }
    }
}

TEST(MayFollow, nobody_reads_what_is_another_persons) {
    for (const char* name : {"inbox:eve", "agent:eve"}) {
        model::StreamInfo stream;
        stream.name = name;
        stream.owner = "eve";
        stream.retention = model::RetentionClass::delivery;
        model::StreamFilter filter;
        EXPECT_EQ(outcome(may_follow(who(Role::user), stream, filter)), "user");
        filter.user_id = "ada";  // saying that one wants one's own does not help
        EXPECT_EQ(outcome(may_follow(who(Role::user), stream, filter)), "user");
    }
}

}  // namespace
}  // namespace belfry::rules
