#include <gtest/gtest.h>

#include "rules/filter.hpp"
#include "rules/may.hpp"
#include "rules/may_wake.hpp"

// What a token may that is bound to one agent.
namespace belfry::rules {
namespace {

using model::Role;

model::Principal worker(std::vector<std::string> agents = {"a1"}) {
    model::Principal who;
    who.role = Role::agent;
    who.bounds.users = {"ada"};
    who.bounds.agents = std::move(agents);
    return who;
}

TEST(BoundToAnAgent, uses_what_is_its_agents_and_nothing_that_is_nobodys) {
    EXPECT_TRUE(is_confined(worker()));
    EXPECT_FALSE(is_confined(worker({})));
    EXPECT_TRUE(may_use_session(worker(), "s", "ada", "a1").ok());
    EXPECT_FALSE(may_use_session(worker(), "s", "ada", "b1").ok());
    EXPECT_FALSE(may_use_session(worker(), "s", "ada").ok()) << "whose it is was not asked";
    EXPECT_FALSE(may_use_session(worker(), "s", "bob", "a1").ok());
    EXPECT_TRUE(may_use_session(worker({}), "s", "ada").ok()) << "a token without the bound";
    EXPECT_TRUE(may_work_for(worker(), "ada", "a1").ok());
    EXPECT_FALSE(may_work_for(worker(), "ada", "b1").ok());
    EXPECT_FALSE(may_work_for(worker(), "ada").ok());
}

TEST(BoundToAnAgent, wakes_it_in_its_own_sessions_only) {
    model::Agent agent;
    agent.id = "a1";
    agent.user_id = "ada";
    WakePlace place;
    EXPECT_TRUE(may_wake(worker(), agent, place).ok()) << "in no session";
    place.session_id = "s";
    EXPECT_FALSE(may_wake(worker(), agent, place).ok()) << "nobody's";
    place.session_agent = "b1";
    EXPECT_FALSE(may_wake(worker(), agent, place).ok());
    EXPECT_TRUE(may_wake(worker({}), agent, place).ok()) << "a token without the bound";
    place.session_agent = "a1";
    EXPECT_TRUE(may_wake(worker(), agent, place).ok());
    agent.id = "b1";
    EXPECT_FALSE(may_wake(worker(), agent, place).ok());
}

TEST(BoundToAnAgent, lists_its_wakes_and_runs) {
    const auto wakes = [](const model::Principal& who, std::string agent = {}) {
        std::string user;
        const auto may = may_see_wakes(who, user, agent);
        return may.ok() ? user + "/" + agent : "no: " + may.error().field;
    };
    EXPECT_EQ(wakes(worker()), "ada/a1");
    EXPECT_EQ(wakes(worker(), "b1"), "no: agent");
    EXPECT_EQ(wakes(worker({"a1", "a2"})), "no: agent") << "it has to say which";
    EXPECT_EQ(wakes(worker({"a1", "a2"}), "a2"), "ada/a2");
    EXPECT_EQ(wakes(worker({}), "b1"), "ada/b1");
    std::string user;
    std::string session;
    std::string agent;
    EXPECT_TRUE(may_see_runs(worker(), user, session, agent).ok());
    EXPECT_EQ(agent, "a1");
    agent = "b1";
    EXPECT_FALSE(may_see_runs(worker(), user, session, agent).ok());
    EXPECT_FALSE(may_see_of(worker(), user).ok()) << "what is the user's is not the agent's";
}

TEST(BoundToAnAgent, follows_what_is_about_it) {
    const auto followed = [](std::string name, std::string owner, model::RetentionClass retention) {
        model::StreamInfo stream;
        stream.name = std::move(name);
        stream.owner = std::move(owner);
        stream.retention = retention;
        model::StreamFilter filter;
        const auto may = may_follow(worker(), stream, filter);
        return may.ok() ? filter.about_agents : std::vector<std::string>{"no"};
    };
    using model::RetentionClass;
    EXPECT_EQ(followed("agent:ada", "ada", RetentionClass::delivery), std::vector<std::string>{"a1"});
    for (const char* const name : {"inbox:ada", "changes:ada", "session:s"}) {
        EXPECT_EQ(followed(name, "ada", RetentionClass::delivery), std::vector<std::string>{"no"}) << name;
    }
    EXPECT_EQ(followed("run:7", "ada", RetentionClass::runs), std::vector<std::string>{"no"});
    EXPECT_EQ(followed("tree:7", "ada", RetentionClass::runs), std::vector<std::string>{"no"});
    EXPECT_EQ(followed("events", "", RetentionClass::events), std::vector<std::string>{"no"});
    EXPECT_EQ(followed("tool:x", "", RetentionClass::delivery), std::vector<std::string>{"no"});
}

TEST(BoundToAnAgent, is_told_by_the_agent_of_an_entry) {
    const std::vector<std::string> own{"a1"};
    EXPECT_TRUE(is_about_agent(R"({"type":"wake","ready":true,"wake":{"id":1,"agent_id":"a1"}})", own));
    EXPECT_FALSE(
        is_about_agent(R"({"type":"wake","ready":true,"wake":{"id":1,"agent_id":"b1"},"agent_id":"a1"})", own));
    EXPECT_TRUE(is_about_agent(R"({"type":"turn_requested","agent_id":"a1"})", own));
    EXPECT_FALSE(is_about_agent(R"({"type":"turn_requested","agent_id":null})", own));
    EXPECT_FALSE(is_about_agent(R"({"type":"turn_requested"})", own));
    EXPECT_FALSE(is_about_agent("", own)) << "it was erased";
}

TEST(BoundToAnAgent, speaks_for_no_other) {
    model::Event event;
    event.user_id = "ada";
    event.type = "ci.failed";
    EXPECT_TRUE(may_emit(worker(), event).ok());
    event.agent_id = "b1";
    EXPECT_EQ(may_emit(worker(), event).error().field, "agent_id");
    event.agent_id = "a1";
    EXPECT_TRUE(may_emit(worker(), event).ok());
    EXPECT_TRUE(may_notify(worker(), {"ada", "", ""}).ok());
    EXPECT_TRUE(may_notify(worker(), {"ada", "", "a1"}).ok());
    EXPECT_FALSE(may_notify(worker(), {"ada", "", "b1"}).ok());
    EXPECT_TRUE(may_direct(worker(), {"ada", "", "a1"}).ok());
    EXPECT_FALSE(may_direct(worker(), {"ada", "", ""}).ok()) << "directions to whoever reads it";
    EXPECT_FALSE(may_direct(worker(), {"ada", "", "b1"}).ok());
}

TEST(BoundToAnAgent, is_a_visitor_in_sessions_of_other_agents) {
    model::Session session;
    session.agent_id = "b1";
    EXPECT_TRUE(is_visitor(worker(), session));
    EXPECT_FALSE(is_visitor(worker({"a1", "b1"}), session));
    EXPECT_FALSE(is_visitor(worker({}), session)) << "a token without the bound";
    session.agent_id.clear();
    EXPECT_FALSE(is_visitor(worker(), session)) << "nobody's session";
    EXPECT_TRUE(is_guest(worker(), session));
    EXPECT_FALSE(is_guest(worker({}), session)) << "a token without the bound";
}

TEST(BoundToAnAgent, makes_only_sessions_that_nobody_else_would_name) {
    const auto may = [](std::string_view id, std::string_view agent = "a1", const model::Principal& who = worker()) {
        const auto made = may_make_session(who, id, agent);
        return made.ok() ? std::string("yes") : made.error().field;
    };
    EXPECT_EQ(may("a1:morning"), "yes");
    EXPECT_EQ(may("morning"), "session_id");
    EXPECT_EQ(may("a1"), "session_id");
    EXPECT_EQ(may("a10:morning"), "session_id");
    EXPECT_EQ(may("a1:b:morning"), "session_id") << "a session of the agent a1:b";
    EXPECT_EQ(may("a1:b:morning", "a1:b", worker({"a1:b"})), "yes");
    EXPECT_EQ(may("b1:morning"), "session_id");
    EXPECT_EQ(may("b1:morning", "b1"), "agent_id");
    EXPECT_EQ(may("a1:morning", ""), "agent_id");
    EXPECT_EQ(may("0b0e1f6c-5d0c-4a52-9d6c-3f1b0a7c9e11"), "yes") << "version 4";
    EXPECT_EQ(may("01a1ef8a-f2be-7a4d-a111-785caf3ff660"), "yes") << "version 7";
    EXPECT_EQ(may("c91c4a3e-9f0d-5b3e-8d55-2f7f0c5a9b10"), "session_id") << "version 5 is made of a name";
    EXPECT_EQ(may("00000000-0000-0000-0000-000000000000"), "session_id");
    EXPECT_EQ(may("morning", "", worker({})), "yes") << "a token without the bound";
}

TEST(WorksIn, while_a_claimed_wake_is_for_the_session) {
    model::AgentRecord agent;
    agent.agent.user_id = "ada";
    agent.runtime.run_status = model::AgentRunStatus::running;
    agent.runtime.active_session_id = "s";
    model::Session session;
    session.id = "s";
    session.user_id = "ada";
    EXPECT_TRUE(works_in(agent, session));
    session.user_id = "bob";
    EXPECT_FALSE(works_in(agent, session)) << "it has become another user's";
    session = {};
    session.user_id = "ada";
    EXPECT_FALSE(works_in(agent, session));
    session.id = "s";
    agent.runtime.run_status = model::AgentRunStatus::idle;
    EXPECT_FALSE(works_in(agent, session));
}

}  // namespace
}  // namespace belfry::rules
