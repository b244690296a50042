#include <gtest/gtest.h>

#include "rules/filter.hpp"
#include "rules/may.hpp"

namespace belfry::rules {
namespace {

using model::Role;

model::Principal somebody(Role role, std::vector<std::string> users = {}, std::vector<std::string> sessions = {}) {
    model::Principal who;
    who.role = role;
    if (role == Role::user) who.user_id = users.empty() ? "ada" : users.front();
    else who.bounds.users = std::move(users);
    who.bounds.sessions = std::move(sessions);
    return who;
}

TEST(MayFollowRuns, their_user_and_agents_that_are_bound_to_him_or_to_sessions) {
    for (const char* name : {"run:7", "tree:7"}) {
        model::StreamInfo stream;
        stream.name = name;
        stream.owner = "ada";
        stream.retention = model::RetentionClass::runs;
        const auto may = [&](const model::Principal& who) {
            model::StreamFilter filter;
            return may_follow(who, stream, filter).ok();
        };
        EXPECT_TRUE(may(somebody(Role::admin)));
        EXPECT_TRUE(may(somebody(Role::service)));
        EXPECT_TRUE(may(somebody(Role::user, {"ada"})));
        EXPECT_TRUE(may(somebody(Role::agent, {"ada"})));
        EXPECT_TRUE(may(somebody(Role::agent, {}, {"s"})));
        EXPECT_FALSE(may(somebody(Role::agent)));
        EXPECT_FALSE(may(somebody(Role::agent, {"bob"})));
        EXPECT_FALSE(may(somebody(Role::service, {"bob"})));
        EXPECT_FALSE(may(somebody(Role::user, {"bob"})));
        EXPECT_FALSE(may(somebody(Role::emitter)));
        model::StreamFilter narrowed;
        EXPECT_TRUE(may_follow(somebody(Role::agent, {}, {"s"}), stream, narrowed).ok());
        EXPECT_EQ(narrowed.session_id, "s") << "of a tree with other sessions only what is its own";
    }
}

TEST(MaySeeRuns, narrows_a_list_to_what_is_theirs) {
    const auto narrowed = [](const model::Principal& who, std::string user = {}, std::string session = {}) {
        std::string agent;
        const auto may = may_see_runs(who, user, session, agent);
        return may.ok() ? user + "/" + session : "no: " + may.error().field;
    };
    EXPECT_EQ(narrowed(somebody(Role::admin)), "/");
    EXPECT_EQ(narrowed(somebody(Role::user)), "ada/");
    EXPECT_EQ(narrowed(somebody(Role::user), "bob"), "no: user");
    EXPECT_EQ(narrowed(somebody(Role::agent, {"ada"})), "ada/");
    EXPECT_EQ(narrowed(somebody(Role::agent, {"ada", "bob"})), "no: user");
    EXPECT_EQ(narrowed(somebody(Role::agent, {}, {"s"})), "/s");
    EXPECT_EQ(narrowed(somebody(Role::agent, {}, {"s"}), "", "t"), "no: session");
    EXPECT_EQ(narrowed(somebody(Role::agent)), "no: ");
    EXPECT_EQ(narrowed(somebody(Role::emitter)), "no: ");
}

TEST(RunEventsOfAnAgent, are_told_by_their_source) {
    EXPECT_TRUE(is_from_agent(R"({"id":"x","source":{"agent_type":"worker","agent_id":"w\"1"},"data":{}})", "w\"1"));
    EXPECT_FALSE(is_from_agent(R"({"source":{"agent_id":"w1"},"data":{"source":{"agent_id":"w2"}}})", "w2"));
    EXPECT_FALSE(is_from_agent(R"({"source":null,"data":{}})", "w1"));
    EXPECT_FALSE(is_from_agent("", "w1"));
}

}  // namespace
}  // namespace belfry::rules
