#include <future>
#include <gtest/gtest.h>

#include "net/test_talk.hpp"

namespace belfry::net::test {
namespace {

class Agents : public Talk {
protected:
    // Of agents' records only people and those above them have a word.
    Got ask_as_user(const std::string& method, const std::string& target, const std::string& body = "") {
        return ask(method, target, body, "user");
    }
    std::string refused(const std::string& target, const std::string& body) {
        return refusal(ask_as_user("POST", target, body));
    }
};

TEST_F(Agents, are_made_with_what_is_given_and_200_tells_that_one_was_there) {
    const Got made = ask_as_user(
        "POST", "/v1/agents",
        R"({"id":"fixer","user_id":"ada","kind":"k","display_name":"F","mode":"autonomous","capabilities":["b","a"],)"
        R"("allowed_category_ids":["c"],"config":{"model_id":"m","prompt_id":null,"extension":{"x.y":1}},)"
        R"("workflow":{"kind":"script","settings":{"t":1}}})");
    EXPECT_EQ(made.status, 201) << made.body;
    of_last<ports::CreateAgent>([](const ports::CreateAgent& wish) {
        EXPECT_EQ(wish.draft.id, "fixer");
        EXPECT_EQ(wish.draft.mode, model::AgentMode::autonomous);
        EXPECT_EQ(wish.draft.capabilities, (std::vector<std::string>{"b", "a"}));
        EXPECT_EQ(wish.draft.config.model_id, "m");
        EXPECT_EQ(wish.draft.config.extension.bytes(), R"({"x.y":1})");
        EXPECT_EQ(wish.draft.workflow, model::WorkflowKind::script);
        EXPECT_EQ(wish.draft.workflow_settings.bytes(), R"({"t":1})");
        return 0;
    });
    EXPECT_EQ(ask_as_user("POST", "/v1/agents", R"({"id":"again"})").status, 200);
    EXPECT_EQ(ask("POST", "/v1/agents", R"({"id":"x"})").status, 403) << "an agent makes no agents";
}

TEST_F(Agents, are_refused_by_the_field_that_is_wrong) {
    EXPECT_EQ(refused("/v1/agents", "{}"), "422 invalid id: must be given");
    EXPECT_EQ(refused("/v1/agents", R"({"id":"x","mode":"lazy"})"),
              "422 invalid mode: must be autonomous, interactive or hybrid");
    EXPECT_EQ(refused("/v1/agents", R"({"id":"x","what":1})"), "422 invalid what: is not known");
    for (const std::string& name : {std::string(), letters(201)}) {
        const std::string body = R"({"state":{"slots":{"preferences":{")" + name + R"(":"y"}}}})";
        EXPECT_EQ(ask_as_user("PATCH", "/v1/agents/a", body).status, 422) << body;
    }
    EXPECT_EQ(refused("/v1/agents/a/subscriptions", R"({"types":["a.b"],"window_ms":86400001})"),
              "422 invalid window_ms: must lie between 0 and 86400000");
    EXPECT_EQ(refused("/v1/agents/a/subscriptions", R"({"types":["a.b"],"severity":"loud"})"),
              "422 invalid severity: must be debug, info, warning, error or critical");
}

TEST_F(Agents, change_by_what_is_named_and_null_takes_a_time_away) {
    EXPECT_EQ(
        ask_as_user("PATCH", "/v1/agents/a%2Fb",
                    R"({"dormant":false,"state":{"revision":3,"sleep_until":null,"slots":{"preferences":{"x":"y"}}}})")
            .status,
        200);
    of_last<ports::ChangeAgent>([](const ports::ChangeAgent& wish) {
        EXPECT_EQ(wish.agent_id, "a/b");
        EXPECT_EQ(wish.patch.dormant, false);
        EXPECT_FALSE(wish.patch.mode);
        EXPECT_EQ(wish.state.revision, 3);
        EXPECT_TRUE(wish.state.sleep_until.has_value() && !wish.state.sleep_until->has_value());
        EXPECT_FALSE(wish.state.next_wake_at);
        EXPECT_EQ(wish.state.slots->preferences.at("x"), "y");
        return 0;
    });
}

TEST_F(Agents, are_subscribed_with_two_minutes_unless_told) {
    EXPECT_EQ(ask_as_user("POST", "/v1/agents/a/subscriptions", R"({"types":["ci.*"]})").status, 200);
    EXPECT_EQ(of_last<ports::PutWakeSubscription>([](const auto& wish) { return wish.draft.window; }),
              base::seconds(120));
    EXPECT_EQ(ask_as_user("DELETE", "/v1/agents/a/subscriptions/none").status, 404);
}

TEST_F(Agents, are_woken_under_a_name_that_is_made_where_none_is_given) {
    EXPECT_EQ(ask("POST", "/v1/agents/a/wake").status, 201);
    EXPECT_EQ(of_last<ports::WakeAgent>([](const auto& wish) { return wish.request_id; }).size(), 36U);
    EXPECT_EQ(ask("POST", "/v1/agents/a/wake", R"({"request_id":"again"})").status, 200);
    const auto of = [this](const std::string& body) { return refusal(ask("POST", "/v1/agents/a/wake", body)); };
    EXPECT_EQ(of(R"({"reason":"user_initiated"})"), "422 invalid session_id: must be given");
    EXPECT_EQ(of(R"({"reason":"timer"})"), "422 invalid reason: must be manual or user_initiated");
    EXPECT_EQ(of(R"({"turn_id":"t"})").substr(0, 20), "422 invalid turn_id:");
    EXPECT_EQ(ask("POST", "/v1/agents/a/wake", R"({"reason":"user_initiated","session_id":"s","turn_id":"t"})").status,
              201);
    EXPECT_EQ(of_last<ports::WakeAgent>([](const auto& wish) { return wish.session_id + wish.request_id; }), "st");
}

class Claims : public Talk {
protected:
    void has_work(const std::string& agent) {
        house.on_network([&] { house.gateway.due.insert(agent); });
    }
    static constexpr const char* waiting = R"({"agents":["a"],"wait_s":60})";
};

TEST_F(Claims, give_what_is_due_or_204) {
    EXPECT_EQ(ask("POST", "/v1/wakes/claim", R"({"agents":["a"]})").status, 204);
    has_work("a");
    const Got got = ask("POST", "/v1/wakes/claim", R"({"agents":["a"],"holder":"me","lease_s":5})");
    EXPECT_EQ(got.status, 200);
    EXPECT_NE(got.body.find(R"("key":"e1")"), std::string::npos) << got.body;
    of_last<ports::ClaimWake>([](const ports::ClaimWake& wish) {
        EXPECT_EQ(wish.holder, "me");
        EXPECT_EQ(wish.lease, base::seconds(5));
        EXPECT_EQ(wish.workflow, model::WorkflowKind::worker);
        return 0;
    });
}

TEST_F(Claims, are_refused_by_the_field_that_is_wrong) {
    const auto of = [this](const std::string& body) { return refusal(ask("POST", "/v1/wakes/claim", body)); };
    EXPECT_EQ(of("{}"), "422 invalid agents: must be given");
    EXPECT_EQ(of(R"({"agents":[]})"), "422 invalid agents: must be given");
    EXPECT_EQ(of(R"({"agents":["a"],"lease_s":601})"), "422 invalid lease_s: must lie between 1 and 600");
    EXPECT_EQ(of(R"({"agents":["a"],"wait_s":61})"), "422 invalid wait_s: must lie between 0 and 60");
}

TEST_F(Claims, that_wait_look_again_and_end_with_204_when_their_time_is_over) {
    client.send(request("POST", "/v1/wakes/claim", "agent", "", waiting));
    for (int i = 0; i < 5; ++i) house.on_network([] {});
    has_work("a");
    house.pass(base::seconds(1));
    EXPECT_EQ(client.response().status, 200);
    client.send(request("POST", "/v1/wakes/claim", "agent", "", waiting));
    for (int i = 0; i < 5; ++i) house.on_network([] {});
    house.pass(base::seconds(61));
    EXPECT_EQ(client.response().status, 204);
}

TEST_F(Claims, that_are_under_way_when_their_time_is_over_bring_what_they_were_granted) {
    has_work("a");
    house.on_network([&] { house.gateway.hold = true; });
    client.send(request("POST", "/v1/wakes/claim", "agent", "", waiting));
    while (submitted() == 0) house.on_network([] {});
    house.pass(base::seconds(61));
    house.on_network([&] {
        house.gateway.hold = false;
        house.gateway.deliver();
    });
    EXPECT_EQ(client.response().status, 200);
}

TEST_F(Claims, of_a_peer_that_has_left_ask_for_nothing_more) {
    {
        Client leaving(house.server->port());
        leaving.send(request("POST", "/v1/wakes/claim", "agent", "", waiting));
        while (submitted() == 0) house.on_network([] {});
    }
    for (int i = 0; i < 5; ++i) house.on_network([] {});  // its claim is answered, and its leaving is seen
    has_work("a");
    house.pass(base::seconds(2));
    bool is_waiting = false;
    house.on_network([&] { is_waiting = house.gateway.due.contains("a"); });
    EXPECT_TRUE(is_waiting) << "nobody has taken it";
}

TEST_F(Claims, of_a_peer_that_has_left_give_back_what_they_were_granted) {
    has_work("a");
    house.on_network([&] { house.gateway.hold = true; });
    {
        Client leaving(house.server->port());
        leaving.send(request("POST", "/v1/wakes/claim", "agent", "", waiting));
        while (submitted() == 0) house.on_network([] {});
    }
    // Its leaving is seen, and what is left of it is swept away, before the grant is known.
    for (int i = 0; i < 5; ++i) house.on_network([] {});
    house.pass(base::seconds(2));
    house.on_network([&] {
        house.gateway.hold = false;
        house.gateway.deliver();
    });
    while (submitted() == 1) house.on_network([] {});
    house.on_network([] {});
    of_last<ports::EndWake>([](const ports::EndWake& wish) {
        EXPECT_EQ(wish.id, 7);
        EXPECT_EQ(wish.fence, 1);
        EXPECT_TRUE(wish.release);
        return 0;
    });
    EXPECT_EQ(of_last<ports::EndWake>([](const auto& wish) { return wish.principal.role; }), model::Role::agent);
}

TEST_F(Claims, of_a_token_that_was_revoked_meanwhile_give_back_what_they_were_granted) {
    has_work("a");
    house.on_network([&] { house.gateway.hold = true; });
    client.send(request("POST", "/v1/wakes/claim", "agent", "", waiting));
    while (submitted() == 0) house.on_network([] {});
    house.on_network([&] {
        house.access.principals.erase("agent");
        house.gateway.hold = false;
        house.gateway.deliver();
    });
    EXPECT_EQ(client.response().status, 401);
    while (submitted() == 1) house.on_network([] {});
    house.on_network([] {});
    EXPECT_TRUE(of_last<ports::EndWake>([](const auto& wish) { return wish.release; }));
}

TEST_F(Claims, for_the_same_agents_ask_one_after_the_other_for_as_long_as_there_is_something) {
    house.on_network([&] { house.streams.knows_agents = true; });
    std::vector<std::unique_ptr<Client>> waiters;
    for (int i = 1; i <= 3; ++i) {
        waiters.push_back(std::make_unique<Client>(house.server->port()));
        waiters.back()->send(request("POST", "/v1/wakes/claim", "agent", "", waiting));
        while (submitted() < 2 * i) house.on_network([] {});  // at once, and when it listens
    }
    for (int i = 0; i < 5; ++i) house.on_network([] {});
    ASSERT_EQ(submitted(), 6);
    house.on_network([&] { house.streams.tell_of_agents(); });
    for (int i = 0; i < 5; ++i) house.on_network([] {});
    EXPECT_EQ(submitted(), 7) << "there was nothing, for none of them";
    has_work("a");
    house.on_network([&] { house.streams.tell_of_agents(); });
    EXPECT_EQ(waiters[0]->response().status, 200);
    for (int i = 0; i < 5; ++i) house.on_network([] {});
    EXPECT_EQ(submitted(), 9) << "the next one has asked, too";
    has_work("a");
    house.on_network([&] { house.streams.tell_of_agents(); });
    EXPECT_EQ(waiters[1]->response().status, 200);
}

TEST_F(Claims, that_are_stale_say_so_by_a_stable_word) {
    EXPECT_EQ(ask("POST", "/v1/wakes/7/renew", R"({"fence":1,"lease_s":9})").status, 200);
    EXPECT_EQ(ask("PATCH", "/v1/wakes/7/state", R"({"fence":1,"state":{"sleep_until":null}})").status, 200);
    EXPECT_EQ(refusal(ask("PATCH", "/v1/wakes/7/state", R"({"state":{}})")), "422 invalid fence: must be given");
    EXPECT_EQ(ask("POST", "/v1/wakes/7/end", R"({"fence":1,"result":[1]})").status, 200);
    const Got stale = ask("POST", "/v1/wakes/9/end", R"({"fence":1,"error":{"type":"t"}})");
    EXPECT_EQ(stale.status, 409);
    EXPECT_NE(stale.body.find(R"("reason":"stale_claim")"), std::string::npos);
    EXPECT_EQ(refusal(ask("POST", "/v1/wakes/7/end", "{}")), "422 invalid fence: must be given");
    EXPECT_EQ(ask("POST", "/v1/wakes/7/end", R"({"fence":1,"result":1,"error":{"type":"t"}})").status, 422);
    EXPECT_EQ(ask("POST", "/v1/wakes/seven/renew", R"({"fence":1})").status, 404);
}

TEST_F(Claims, leave_a_list_that_narrows) {
    EXPECT_EQ(get("/v1/wakes?user=ada&agent=a&state=running&open=true&after=12&limit=2").status, 200);
    EXPECT_EQ(house.queries.wake_filter.agent_id, "a");
    EXPECT_TRUE(house.queries.wake_filter.open);
    EXPECT_EQ(house.queries.wake_filter.limit, 3U);
    EXPECT_EQ(get("/v1/wakes?state=lazy").status, 422);
    EXPECT_EQ(get("/v1/wakes?open=no").status, 422);
    EXPECT_EQ(get("/v1/wakes/7?wait_s=61").status, 422);
}

TEST_F(Claims, that_wait_when_the_server_stops_end_with_204) {
    client.send(request("POST", "/v1/wakes/claim", "agent", "", waiting));
    while (submitted() == 0) house.on_network([] {});
    for (int i = 0; i < 5; ++i) house.on_network([] {});
    std::promise<void> stopped;
    house.server->stop([&] { stopped.set_value(); });
    EXPECT_EQ(client.response().status, 204);
    EXPECT_TRUE(client.is_closed());
    client.half_close();
    stopped.get_future().wait();
}

}  // namespace
}  // namespace belfry::net::test
