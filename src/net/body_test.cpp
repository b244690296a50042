#include <gtest/gtest.h>
#include <vector>

#include "net/test_talk.hpp"

namespace belfry::net::test {
namespace {

class Body : public Talk {};

TEST_F(Body, with_a_name_that_is_not_known_is_refused_whatever_its_value) {
    const std::vector<std::vector<std::string>> routes{
        {"POST", "/v1/tokens", "admin"},
        {"PUT", "/v1/sessions/s1", "agent"},
        {"POST", "/v1/sessions/s1/messages", "agent"},
        {"POST", "/v1/sessions/s1/turns", "agent"},
        {"POST", "/v1/sessions/s1/tool-calls", "agent"},
        {"POST", "/v1/sessions/s1/notify-self", "agent"},
        {"POST", "/v1/sessions/s1/pull", "agent"},
        {"POST", "/v1/sessions/s1/acknowledge", "agent"},
        {"POST", "/v1/sessions/s1/heartbeat", "agent"},
        {"POST", "/v1/sessions/s1/interactions", "agent"},
        {"POST", "/v1/notifications", "agent"},
        {"POST", "/v1/runs", "agent"},
        {"POST", "/v1/runs/7/cancel", "agent"},
        {"POST", "/v1/runs/7/finish", "agent"},
        {"POST", "/v1/runs/7/events", "agent"},
        {"PUT", "/v1/tools/grep", "admin"},
        {"PUT", "/v1/users/ada/settings", "admin"},
    };
    for (const auto& route : routes) {
        for (const char* value : {"null", "1"}) {
            const Got got = ask(route[0], route[1], R"({"nope":)" + std::string(value) + "}", route[2]);
            EXPECT_EQ(refusal(got), "422 invalid nope: is not known") << route[0] << ' ' << route[1];
        }
    }
    EXPECT_EQ(refusal(ask("POST", "/v1/tokens", R"({"role":"agent","bounds":{"nope":null}})", "admin")),
              "422 invalid bounds.nope: is not known");
    EXPECT_EQ(refusal(ask("POST", "/v1/runs", R"({"caller":{"agent_type":"worker","nope":null}})")),
              "422 invalid caller.nope: is not known");
}

TEST_F(Body, takes_null_for_a_name_that_is_known_as_left_out) {
    EXPECT_EQ(ask("PUT", "/v1/sessions/s1", R"({"title":null,"metadata":null,"budget":null,"agent_id":"a"})").status,
              200);
    EXPECT_EQ(of_last<ports::PutSession>([](const auto& put) { return put.agent_id.value_or(""); }), "a");
    EXPECT_EQ(ask("POST", "/v1/runs/7/finish", R"({"error":null,"result":null,"state":"completed"})").status, 200);
    EXPECT_FALSE(of_last<ports::FinishRun>([](const auto& finish) { return finish.result.has_value(); }));
    EXPECT_EQ(refusal(ask("POST", "/v1/runs/7/finish", R"({"state":null})")), "422 invalid state: must be given");
}

}  // namespace
}  // namespace belfry::net::test
