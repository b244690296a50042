#include "rules/may.hpp"

#include <gtest/gtest.h>

namespace belfry::rules {
namespace {

using model::Principal;
using model::Role;

Principal who(Role role) {
    Principal principal;
    principal.id = "token:x";
    principal.role = role;
    if (role == Role::user) principal.user_id = "ada";
    return principal;
}

model::Event event(std::string user = {}) {
    model::Event made;
    made.type = "ci.failed";
    made.severity = model::Severity::error;
    made.user_id = std::move(user);
    return made;
}

model::StreamInfo stream(model::RetentionClass retention = model::RetentionClass::events) {
    model::StreamInfo info;
    info.name = "events";
    info.retention = retention;
    return info;
}

TEST(MayEmit, a_user_token_emits_for_its_own_user_and_nobody_else) {
    model::Event his = event();
    ASSERT_TRUE(may_emit(who(Role::user), his).ok());
    EXPECT_EQ(his.user_id, "ada");
    model::Event hers = event("eve");
    EXPECT_EQ(may_emit(who(Role::user), hers).error().field, "user_id");
}

TEST(MayEmit, bounds_hold_for_every_role) {
    for (const Role role : {Role::admin, Role::service, Role::agent, Role::emitter}) {
        Principal bound = who(role);
        bound.bounds.users = {"ada"};
        bound.bounds.type_prefixes = {"ci"};
        bound.bounds.severity_max = model::Severity::error;
        model::Event good = event("ada");
        EXPECT_TRUE(may_emit(bound, good).ok());
        model::Event other_user = event("eve");
        EXPECT_EQ(may_emit(bound, other_user).error().field, "user_id");
        model::Event no_user = event();
        EXPECT_EQ(may_emit(bound, no_user).error().field, "user_id");
        model::Event other_type = event("ada");
        other_type.type = "cinema.failed";
        EXPECT_EQ(may_emit(bound, other_type).error().field, "type");
        model::Event too_severe = event("ada");
        too_severe.severity = model::Severity::critical;
        EXPECT_EQ(may_emit(bound, too_severe).error().field, "severity");
    }
}

TEST(MaySpeakFor, an_agent_never_does_and_an_emitter_neither) {
    for (const Role role : {Role::agent, Role::emitter}) {
        model::Principal bound = who(role);
        bound.bounds.users = {"ada"};
        EXPECT_EQ(may_speak_for(bound, "ada", "s1").error().code, base::Code::forbidden);
    }
    for (const Role role : {Role::user, Role::service, Role::admin})
        EXPECT_TRUE(may_speak_for(who(role), "ada", "s1").ok());
    EXPECT_FALSE(may_speak_for(who(Role::user), "bob", "s1").ok());
}

TEST(MayDirect, an_agent_does_in_what_it_is_bound_to_and_an_emitter_never) {
    const model::Scope scope{"ada", "s1", ""};
    model::Principal agent = who(Role::agent);
    agent.bounds = {};
    EXPECT_FALSE(may_direct(agent, scope).ok());
    agent.bounds.sessions = {"s1"};
    EXPECT_TRUE(may_direct(agent, scope).ok());
    agent.bounds.sessions = {"s2"};
    EXPECT_FALSE(may_direct(agent, scope).ok());
    model::Principal emitter = who(Role::emitter);
    emitter.bounds.sessions = {"s1"};
    EXPECT_FALSE(may_direct(emitter, scope).ok());
    for (const Role role : {Role::user, Role::service, Role::admin}) EXPECT_TRUE(may_direct(who(role), scope).ok());
}

TEST(MayNotify, a_bound_by_severity_holds_for_the_priority_too) {
    model::Principal emitter = who(Role::emitter);
    emitter.bounds.severity_max = model::Severity::error;
    const model::Scope scope{"ada", "", ""};
    EXPECT_TRUE(may_notify(emitter, scope, model::Severity::info, model::Priority::high).ok());
    EXPECT_EQ(may_notify(emitter, scope, model::Severity::info, model::Priority::critical).error().field, "priority");
    emitter.bounds.severity_max = model::Severity::critical;
    EXPECT_TRUE(may_notify(emitter, scope, model::Severity::info, model::Priority::critical).ok());
}

TEST(MayFollow, an_emitter_reads_nothing) {
    model::StreamFilter filter;
    EXPECT_EQ(may_follow(who(Role::emitter), stream(), filter).error().code, base::Code::forbidden);
}

TEST(MayFollow, only_an_admin_reads_the_audit) {
    for (const Role role : {Role::service, Role::user, Role::agent, Role::emitter}) {
        model::StreamFilter filter;
        EXPECT_FALSE(may_follow(who(role), stream(model::RetentionClass::audit), filter).ok());
    }
    model::StreamFilter filter;
    EXPECT_TRUE(may_follow(who(Role::admin), stream(model::RetentionClass::audit), filter).ok());
}

TEST(MayFollow, a_user_sees_only_what_is_his) {
    model::StreamFilter filter;
    ASSERT_TRUE(may_follow(who(Role::user), stream(), filter).ok());
    EXPECT_EQ(filter.user_id, "ada");
    filter.user_id = "eve";
    EXPECT_FALSE(may_follow(who(Role::user), stream(), filter).ok());
}

TEST(MayFollow, a_token_with_bounds_must_choose_among_them) {
    Principal service = who(Role::service);
    service.bounds.users = {"ada", "bob"};
    model::StreamFilter filter;
    EXPECT_EQ(may_follow(service, stream(), filter).error().field, "user");
    filter.user_id = "bob";
    EXPECT_TRUE(may_follow(service, stream(), filter).ok());
    filter.user_id = "eve";
    EXPECT_FALSE(may_follow(service, stream(), filter).ok());
}

TEST(MayFollow, an_agent_without_bounds_reads_nothing) {
    model::StreamFilter filter;
    EXPECT_FALSE(may_follow(who(Role::agent), stream(), filter).ok());
    Principal agent = who(Role::agent);
    agent.bounds.sessions = {"s1"};
    ASSERT_TRUE(may_follow(agent, stream(), filter).ok());
    EXPECT_EQ(filter.session_id, "s1");
}

TEST(MayManageSinkCalls, only_an_admin_and_a_service_of_everybody) {
    EXPECT_TRUE(may_manage_sink_calls(who(Role::admin)).ok());
    Principal service = who(Role::service);
    EXPECT_TRUE(may_manage_sink_calls(service).ok());
    service.bounds.users = {"ada"};
    EXPECT_FALSE(may_manage_sink_calls(service).ok());
    for (const Role role : {Role::user, Role::agent, Role::emitter})
        EXPECT_FALSE(may_manage_sink_calls(who(role)).ok());
}

TEST(MaySeeDevices, other_devices_are_seen_by_those_who_see_everybody) {
    EXPECT_TRUE(may_see_devices(who(Role::admin)).ok());
    Principal service = who(Role::service);
    EXPECT_TRUE(may_see_devices(service).ok());
    service.bounds.users = {"ada"};
    EXPECT_FALSE(may_see_devices(service).ok()) << "what was merged has words of everybody";
    for (const Role role : {Role::user, Role::agent, Role::emitter}) {
        EXPECT_FALSE(may_see_devices(who(role)).ok());
    }
}

TEST(MayMint, a_service_makes_no_token_that_is_faster_than_itself) {
    Principal service = who(Role::service);
    TokenWish wish{Role::user, "ada", {}, base::seconds(60)};
    EXPECT_TRUE(may_mint(service, wish).ok());
    service.events_per_second = 10;
    EXPECT_EQ(may_mint(service, wish).error().field, "events_per_second");
    wish.events_per_second = 11;
    EXPECT_EQ(may_mint(service, wish).error().field, "events_per_second");
    wish.events_per_second = 10;
    EXPECT_TRUE(may_mint(service, wish).ok());
}

TEST(MayMint, a_service_makes_short_lived_user_tokens_inside_its_bounds) {
    Principal service = who(Role::service);
    service.bounds.users = {"ada"};
    TokenWish wish{Role::user, "ada", {}, base::seconds(3600)};
    EXPECT_TRUE(may_mint(service, wish).ok());
    wish.life = base::seconds(3601);
    EXPECT_EQ(may_mint(service, wish).error().field, "ttl_s");
    wish.life.reset();
    EXPECT_EQ(may_mint(service, wish).error().field, "ttl_s");
    wish.life = base::seconds(5);
    wish.user_id = "eve";
    EXPECT_EQ(may_mint(service, wish).error().field, "user_id");
    wish.role = Role::admin;
    EXPECT_EQ(may_mint(service, wish).error().field, "role");
}

TEST(MayMint, a_bounded_service_makes_no_token_that_may_more_than_it_may) {
    Principal service = who(Role::service);
    service.bounds.type_prefixes = {"ci"};
    service.bounds.severity_max = model::Severity::warning;
    TokenWish wish{Role::user, "ada", {}, base::seconds(60)};
    EXPECT_EQ(may_mint(service, wish).error().field, "bounds.type_prefixes");
    wish.bounds.type_prefixes = {"ci.build", "cinema"};
    EXPECT_EQ(may_mint(service, wish).error().field, "bounds.type_prefixes");
    wish.bounds.type_prefixes = {"ci.build", "ci.*"};
    EXPECT_EQ(may_mint(service, wish).error().field, "bounds.severity_max");
    wish.bounds.severity_max = model::Severity::error;
    EXPECT_EQ(may_mint(service, wish).error().field, "bounds.severity_max");
    wish.bounds.severity_max = model::Severity::info;
    EXPECT_TRUE(may_mint(service, wish).ok());
}

TEST(MayMint, a_service_of_some_sessions_makes_tokens_of_these_sessions_only) {
    Principal service = who(Role::service);
    service.bounds.sessions = {"s1", "s2"};
    TokenWish wish{Role::user, "ada", {}, base::seconds(60)};
    EXPECT_EQ(may_mint(service, wish).error().field, "bounds.sessions") << "a token of all sessions";
    wish.bounds.sessions = {"s1", "s3"};
    EXPECT_EQ(may_mint(service, wish).error().field, "bounds.sessions");
    wish.bounds.sessions = {"s2"};
    EXPECT_TRUE(may_mint(service, wish).ok());
}

TEST(MayMint, no_other_role_but_admin_makes_tokens) {
    const TokenWish wish{Role::emitter, "", {}, {}};
    EXPECT_TRUE(may_mint(who(Role::admin), wish).ok());
    for (const Role role : {Role::user, Role::agent, Role::emitter}) EXPECT_FALSE(may_mint(who(role), wish).ok());
}

TEST(MayAdminister, is_for_admins_alone) {
    EXPECT_TRUE(may_administer(who(Role::admin)).ok());
    EXPECT_TRUE(may_observe(who(Role::service)).ok());
    for (const Role role : {Role::service, Role::user, Role::agent, Role::emitter}) {
        EXPECT_FALSE(may_administer(who(role)).ok());
    }
    for (const Role role : {Role::user, Role::agent, Role::emitter}) EXPECT_FALSE(may_observe(who(role)).ok());
}

}  // namespace
}  // namespace belfry::rules
