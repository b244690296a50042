#include "ports/commands/timers.hpp"

#include <gtest/gtest.h>

#include "net/test_talk.hpp"

namespace belfry::net::test {
namespace {

constexpr const char* a_timer = "/v1/agents/a/timers/018f0000-0000-7000-8000-000000000001";

class Timers : public Talk {
protected:
    Got ask_as_user(const std::string& method, const std::string& target, const std::string& body = "") {
        return ask(method, target, body, "user");
    }
    std::string refused(const std::string& method, const std::string& target, const std::string& body = "") {
        return refusal(ask_as_user(method, target, body));
    }
};

TEST_F(Timers, are_added_as_they_were_written_and_200_tells_that_one_was_there) {
    EXPECT_EQ(ask_as_user("POST", "/v1/agents/a%2Fb/timers",
                          R"({"name":"n","schedule":{"kind":"weekly","days":["mon","thu"],"time":"18:30"},)"
                          R"("zone":"Europe/Berlin","input":{"x":1},"priority":-3,"active":false})")
                  .status,
              201);
    of_last<ports::AddTimer>([](const ports::AddTimer& wish) {
        EXPECT_EQ(wish.agent_id, "a/b");
        EXPECT_EQ(wish.name, "n");
        EXPECT_EQ(wish.schedule.kind, "weekly");
        EXPECT_EQ(wish.schedule.days, (std::vector<std::string>{"mon", "thu"}));
        EXPECT_EQ(wish.schedule.time, "18:30");
        EXPECT_EQ(wish.zone, "Europe/Berlin");
        EXPECT_EQ(wish.input.bytes(), R"({"x":1})");
        EXPECT_EQ(wish.priority, -3);
        EXPECT_FALSE(wish.active);
        EXPECT_FALSE(wish.dry_run);
        return 0;
    });
    const std::string every = R"("schedule":{"kind":"every","interval":"90s","anchor":"1970-01-01T00:00:05Z"}})";
    EXPECT_EQ(ask_as_user("POST", "/v1/agents/a/timers", R"({"name":"again",)" + every).status, 200);
    EXPECT_EQ(of_last<ports::AddTimer>([](const auto& wish) { return wish.schedule.anchor; }),
              base::Timestamp{5'000'000});
    const Got rehearsed = ask_as_user("POST", "/v1/agents/a/timers", R"({"dry_run":true,"name":"n",)" + every);
    EXPECT_EQ(rehearsed.status, 200);
    EXPECT_TRUE(rehearsed.body.starts_with(R"({"id":null,)")) << rehearsed.body;
}

TEST_F(Timers, are_refused_by_the_field_that_is_wrong) {
    const auto of = [this](const std::string& body) { return refused("POST", "/v1/agents/a/timers", body); };
    EXPECT_EQ(of("{}"), "422 invalid name: must be given");
    EXPECT_EQ(of(R"({"name":"n"})"), "422 invalid schedule.kind: must be given");
    EXPECT_EQ(of(R"({"name":"n","schedule":{"kind":"at","what":1}})"), "422 invalid schedule.what: is not known");
    EXPECT_EQ(of(R"({"name":"n","priority":101})"), "422 invalid priority: must lie between -100 and 100");
    EXPECT_EQ(refused("PATCH", a_timer, R"({"dry_run":true})"), "422 invalid dry_run: is not known");
    EXPECT_EQ(ask_as_user("GET", "/v1/agents/a/timers/none").status, 404);
    EXPECT_EQ(ask_as_user("PATCH", "/v1/agents/a/timers/none", "{}").status, 404);
    EXPECT_EQ(ask_as_user("DELETE", "/v1/agents/a/timers/none").status, 404);
}

TEST_F(Timers, change_by_what_is_named) {
    EXPECT_EQ(ask_as_user("PATCH", a_timer, R"({"zone":"UTC","active":true})").status, 200);
    of_last<ports::ChangeTimer>([](const ports::ChangeTimer& wish) {
        EXPECT_EQ(wish.agent_id, "a");
        EXPECT_EQ(wish.zone, "UTC");
        EXPECT_EQ(wish.active, true);
        EXPECT_FALSE(wish.name || wish.schedule || wish.input || wish.priority);
        return 0;
    });
    EXPECT_EQ(ask_as_user("DELETE", a_timer).status, 204);
}

TEST_F(Timers, are_listed_page_by_page_to_the_last_that_does_not_fire_any_more) {
    const Got first = ask_as_user("GET", "/v1/timers?limit=1&user=ada");
    EXPECT_NE(first.body.find(R"("next":"5.)"), std::string::npos) << first.body;
    house.on_network([&] { EXPECT_EQ(house.queries.timer_filter.user_id, "ada"); });
    const Got second = ask_as_user("GET", "/v1/agents/a/timers?limit=2");
    EXPECT_NE(second.body.find(R"("next":"stopped.)"), std::string::npos) << second.body;
    const std::string id = "018f0000-0000-7000-8000-000000000001";
    EXPECT_EQ(ask_as_user("GET", "/v1/agents/a/timers?after=5." + id).status, 200);
    house.on_network([&] {
        EXPECT_EQ(house.queries.timer_filter.agent_id, "a");
        EXPECT_EQ(house.queries.timer_filter.after->next_run_at, base::Timestamp{5});
    });
    EXPECT_EQ(ask_as_user("GET", "/v1/timers?after=stopped." + id).status, 200);
    house.on_network([&] { EXPECT_EQ(house.queries.timer_filter.after->next_run_at, std::nullopt); });
    for (const std::string& after : {std::string("5"), "x." + id, std::string("5.none"), "." + id}) {
        EXPECT_EQ(refused("GET", "/v1/timers?after=" + after), "422 invalid after: must be `next` of the page before");
    }
    EXPECT_EQ(refused("GET", "/v1/agents/a/timers?user=ada"), "422 invalid user: there is no such parameter");
}

}  // namespace
}  // namespace belfry::net::test
