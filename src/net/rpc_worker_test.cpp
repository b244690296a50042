#include <future>
#include <gtest/gtest.h>

#include "base/wake_limits.hpp"
#include "net/test_socket.hpp"
#include "net/test_talk.hpp"

namespace belfry::net::test {
namespace {

std::string call(const std::string& method, const std::string& params, const std::string& id = "1") {
    return R"({"jsonrpc":"2.0",)" + (id.empty() ? "" : "\"id\":" + id + ",") + R"("method":")" + method +
           R"(","params":)" + params + "}";
}

// A worker at a WebSocket.
class Worker : public Socket {
public:
    explicit Worker(House& house) : Socket(house, "/v1/rpc", "agent") {}
    void tell(const std::string& method, const std::string& params, const std::string& id = "1") const {
        say(1, call(method, params, id));
    }
    std::string hear() {
        Frame got = frame();
        while (got.opcode == 9) got = frame();
        return got.payload;
    }
    std::string ask(const std::string& method, const std::string& params) {
        tell(method, params);
        return hear();
    }
    // "-32602 invalid field: message" of a refusal; the answer where it is none.
    std::string refusal(const std::string& method, const std::string& params) {
        const std::string got = ask(method, params);
        const auto json = codec::validate(got);
        const auto error = json.ok() ? json->member("error") : std::nullopt;
        if (!error) return got;
        const auto data = error->member("data");
        const auto word = [&](const char* name) {
            const auto found = data ? data->member(name) : std::nullopt;
            return found ? found->as_text() : std::string("-");
        };
        return error->member("code")->as_text() + " " + word("code") + " " + word("field") + ": " +
               error->member("message")->as_text();
    }
};

class WakeCalls : public Talk {
protected:
    void has_work(const std::string& agent) {
        house.on_network([&] { house.gateway.due.insert(agent); });
    }
    void settle() {
        for (int i = 0; i < 5; ++i) house.on_network([] {});
    }
    void hold() {
        house.on_network([&] { house.gateway.hold = true; });
    }
    void deliver() {
        house.on_network([&] {
            house.gateway.hold = false;
            house.gateway.deliver();
        });
    }
    void wait_for_commands(int count) {
        while (submitted() < count) house.on_network([] {});
    }
    void expect_released() {
        settle();
        ASSERT_EQ(submitted(), 2);
        EXPECT_TRUE(of_last<ports::EndWake>([](const auto& wish) { return wish.id == 7 && wish.release; }));
    }
    static constexpr const char* waiting = R"({"agents":["a"],"wait_s":60})";
    static constexpr const char* endless = R"({"agents":["a"],"until_granted":true})";
    const std::string nothing = R"({"jsonrpc":"2.0","id":1,"result":null})";
    const std::string grant = R"({"jsonrpc":"2.0","id":1,"result":{"wake":{"id":7,)";
};

TEST_F(WakeCalls, claim_what_is_due_or_are_answered_null) {
    Worker worker(house);
    EXPECT_EQ(worker.ask("wake/claim", R"({"agents":["a"]})"), nothing);
    has_work("a");
    const std::string got =
        worker.ask("wake/claim", R"({"agents":["a"],"holder":"me","lease_s":5,"context_messages":3})");
    EXPECT_TRUE(got.starts_with(grant)) << got;
    EXPECT_NE(got.find(R"("key":"e1")"), std::string::npos) << got;
    of_last<ports::ClaimWake>([](const ports::ClaimWake& wish) {
        EXPECT_EQ(wish.holder, "me");
        EXPECT_EQ(wish.lease, base::seconds(5));
        EXPECT_EQ(wish.context_messages, 3U);
        EXPECT_EQ(wish.principal.role, model::Role::agent);
        return 0;
    });
}

TEST_F(WakeCalls, are_refused_by_the_parameter_that_is_wrong) {
    Worker worker(house);
    EXPECT_EQ(worker.refusal("wake/claim", "{}"), "-32602 invalid agents: agents must be given");
    EXPECT_EQ(worker.refusal("wake/claim", "[1]"), "-32602 invalid params: params must be an object, not an array");
    EXPECT_EQ(worker.refusal("wake/claim", R"({"agents":["a"],"wait_s":61})"),
              "-32602 invalid wait_s: wait_s must lie between 0 and 60");
    EXPECT_EQ(worker.refusal("wake/claim", R"({"agents":["a"],"wait_s":1,"until_granted":true})"),
              "-32602 invalid wait_s: wait_s belongs to a claim that does not wait until it is granted");
    EXPECT_EQ(worker.refusal("wake/claim", R"({"agents":["a"],"fence":1})"),
              "-32602 invalid fence: fence is not known");
    EXPECT_EQ(worker.refusal("wake/renew", R"({"fence":1})"), "-32602 invalid wake_id: wake_id must be given");
    EXPECT_EQ(worker.refusal("wake/renew", R"({"wake_id":7})"), "-32602 invalid fence: fence must be given");
    EXPECT_EQ(worker.refusal("wake/renew", R"({"wake_id":0,"fence":1})"),
              "-32602 invalid wake_id: wake_id must lie between 1 and 9223372036854775807");
    EXPECT_EQ(worker.refusal("wake/messages", R"({"wake_id":7,"fence":1,"messages":[{}]})"),
              "-32602 invalid messages[0].kind: messages[0].kind must be given");
    EXPECT_EQ(worker.refusal("wake/plan", R"({"wake_id":7,"fence":1})"),
              "-32602 invalid actions: actions must be given");
    EXPECT_EQ(worker.refusal("wake/end", R"({"wake_id":7,"fence":1,"release":true,"result":1})"),
              "-32602 invalid release: release gives the wake back as it was: nothing goes with it");
    EXPECT_EQ(worker.refusal("wake/state", R"({"wake_id":7,"fence":1,"state":{"mood":1}})"),
              "-32602 invalid state.mood: state.mood is not known");
    EXPECT_EQ(worker.refusal("wake/cancel", "{}"), "-32601 - -: there is no method wake/cancel");
    EXPECT_EQ(submitted(), 0);
    EXPECT_EQ(refusal(ask("POST", "/v1/wakes/claim", endless)), "422 invalid until_granted: is not known");
    EXPECT_EQ(refusal(ask("POST", "/v1/wakes/7/renew", R"({"wake_id":7,"fence":1})")),
              "422 invalid wake_id: is not known");
}

TEST_F(WakeCalls, do_under_a_claim_what_requests_do) {
    Worker worker(house);
    const auto ok = [&](const std::string& method, const std::string& more) {
        const std::string got = worker.ask(method, R"({"wake_id":7,"fence":1)" + more + "}");
        EXPECT_TRUE(got.starts_with(R"({"jsonrpc":"2.0","id":1,"result":{)")) << got;
    };
    ok("wake/renew", R"(,"lease_s":9)");
    EXPECT_TRUE(of_last<ports::RenewWake>([](const auto& wish) {
        return wish.id == 7 && wish.fence == 1 && wish.lease == base::seconds(9) && wish.lane == ports::Lane::control;
    }));
    ok("wake/messages", R"(,"messages":[{"kind":"thought","content":"x"}])");
    EXPECT_EQ(of_last<ports::AppendAgentMessages>([](const auto& wish) { return wish.drafts.size(); }), 1U);
    ok("wake/plan", R"(,"actions":[{"tool_name":"t"}])");
    EXPECT_EQ(of_last<ports::StorePlan>([](const auto& wish) { return wish.actions.size(); }), 1U);
    ok("wake/state", R"(,"state":{"sleep_until":null})");
    EXPECT_TRUE(of_last<ports::ChangeOwnState>([](const auto& wish) {
        return wish.wake_id == 7 && wish.fence == 1 && wish.state.sleep_until && !*wish.state.sleep_until;
    }));
    ok("wake/end", R"(,"release":true)");
    EXPECT_TRUE(of_last<ports::EndWake>([](const auto& wish) { return wish.release && wish.fence == 1; }));
    EXPECT_EQ(of_last<ports::EndWake>([](const auto& wish) { return wish.principal.role; }), model::Role::agent);
    const std::string stale = worker.ask("wake/end", R"({"wake_id":9,"fence":1})");
    EXPECT_EQ(stale, R"({"jsonrpc":"2.0","id":1,"error":{"code":-32009,"message":"not yours",)"
                     R"("data":{"code":"conflict","reason":"stale_claim","field":"fence"}}})");
    house.on_network([&] { house.gateway.full = true; });
    EXPECT_NE(worker.ask("wake/renew", R"({"wake_id":7,"fence":1})").find("-32004"), std::string::npos);
    EXPECT_NE(worker.ask("wake/claim", endless).find("-32004"), std::string::npos);
}

TEST_F(WakeCalls, that_wait_are_answered_when_there_is_something_and_others_meanwhile) {
    house.on_network([&] { house.streams.knows_agents = true; });
    Worker worker(house);
    worker.tell("wake/claim", waiting);
    worker.tell("ping", "{}", "2");
    EXPECT_EQ(worker.hear(), R"({"jsonrpc":"2.0","id":2,"result":{"pong":true}})");
    wait_for_commands(2);  // at once, and when it listens
    settle();
    has_work("a");
    house.on_network([&] { house.streams.tell_of_agents(); });
    EXPECT_TRUE(worker.hear().starts_with(grant));
    worker.tell("wake/claim", waiting);
    wait_for_commands(5);
    settle();
    house.pass(base::seconds(61));
    EXPECT_EQ(worker.hear(), nothing);
}

TEST_F(WakeCalls, that_wait_until_they_are_granted_wait_on_and_end_with_the_server) {
    Worker worker(house);
    worker.tell("wake/claim", endless);
    wait_for_commands(1);
    settle();
    for (int i = 0; i < 20; ++i) {
        house.pass(base::seconds(10));
        worker.say(10, "");
        worker.tell("ping", "{}", "2");
        EXPECT_EQ(worker.hear(), R"({"jsonrpc":"2.0","id":2,"result":{"pong":true}})");
    }
    std::promise<void> stopped;
    house.server->stop([&] { stopped.set_value(); });
    EXPECT_EQ(worker.hear(), nothing);
    EXPECT_EQ(worker.frame().opcode, 8U);
    worker.half_close();
    stopped.get_future().wait();
}

TEST_F(WakeCalls, that_are_under_way_when_the_server_stops_bring_what_they_were_granted) {
    Worker worker(house);
    has_work("a");
    hold();
    worker.tell("wake/claim", waiting);
    wait_for_commands(1);
    std::promise<void> stopped;
    house.server->stop([&] { stopped.set_value(); });
    deliver();
    EXPECT_TRUE(worker.hear().starts_with(grant));
    EXPECT_EQ(worker.frame().opcode, 8U);
    worker.half_close();
    stopped.get_future().wait();
}

TEST_F(WakeCalls, of_a_peer_that_has_left_ask_for_nothing_more) {
    {
        Worker leaving(house);
        leaving.tell("wake/claim", endless);
        wait_for_commands(1);
    }
    settle();
    has_work("a");
    house.pass(base::seconds(2));
    settle();
    bool is_waiting = false;
    house.on_network([&] { is_waiting = house.gateway.due.contains("a"); });
    EXPECT_TRUE(is_waiting) << "nobody has taken it";
}

TEST_F(WakeCalls, of_a_peer_that_has_left_give_back_what_they_were_granted) {
    has_work("a");
    hold();
    {
        Worker leaving(house);
        leaving.tell("wake/claim", waiting);
        wait_for_commands(1);
    }
    settle();
    house.pass(base::seconds(2));
    deliver();
    expect_released();
}

TEST_F(WakeCalls, of_a_peer_that_has_said_its_last_word_give_back_what_they_were_granted) {
    has_work("a");
    hold();
    Worker worker(house);
    worker.tell("wake/claim", waiting);
    wait_for_commands(1);
    worker.ask("ping", "{}");  // so that nothing is unacknowledged, which would keep the next frame back
    worker.say(8, "\x03\xe8");
    settle();
    deliver();
    EXPECT_EQ(worker.hear(), nothing);
    EXPECT_EQ(worker.frame().opcode, 8U);
    expect_released();
}

TEST_F(WakeCalls, of_a_token_that_was_revoked_are_told_so_and_give_back_what_they_were_granted) {
    has_work("a");
    hold();
    Worker asking(house);
    asking.tell("wake/claim", waiting);
    wait_for_commands(1);
    house.on_network([&] { house.access.principals.erase("agent"); });
    deliver();
    EXPECT_NE(asking.hear().find(R"("error":{"code":-32001)"), std::string::npos);
    expect_released();
}

TEST_F(WakeCalls, that_wait_are_told_that_their_token_was_revoked_before_the_connection_ends) {
    Worker worker(house);
    worker.tell("wake/claim", endless);
    wait_for_commands(1);
    settle();
    house.on_network([&] {
        house.access.principals.erase("agent");
        ++house.access.generation_count;
    });
    house.pass(base::seconds(1));
    EXPECT_NE(worker.hear().find(R"("error":{"code":-32001)"), std::string::npos);
    EXPECT_EQ(worker.frame().opcode, 8U);
}

TEST_F(WakeCalls, claim_neither_as_a_notification_nor_waiting_in_a_batch) {
    has_work("a");
    Worker worker(house);
    worker.tell("wake/claim", R"({"agents":["a"]})", "");
    EXPECT_NE(
        worker.hear().find(R"("method":"client/rejected","params":{"code":-32600,"message":"a claim is answered)"),
        std::string::npos);
    worker.say(1, "[" + call("wake/claim", waiting) + "]");
    EXPECT_NE(worker.hear().find(R"("field":"wait_s")"), std::string::npos);
    worker.say(1, "[" + call("wake/claim", endless) + "]");
    EXPECT_NE(worker.hear().find(R"("field":"wait_s")"), std::string::npos);
    EXPECT_EQ(submitted(), 0);
    worker.say(1, "[" + call("wake/claim", R"({"agents":["a"]})") + "]");
    EXPECT_TRUE(worker.hear().starts_with("[" + grant));
}

TEST_F(WakeCalls, that_wait_are_so_many_at_a_connection_and_the_rest_is_heard) {
    Worker worker(house);
    for (std::size_t i = 0; i < base::limits::wake_waiters_per_link_max; ++i) worker.tell("wake/claim", endless);
    EXPECT_NE(worker.refusal("wake/claim", endless).find("-32000 rate_limited -: 64 claims of this connection wait"),
              std::string::npos);
    EXPECT_EQ(worker.ask("wake/claim", R"({"agents":["b"]})"), nothing) << "one that does not wait";
    has_work("a");
    house.pass(base::seconds(1));
    EXPECT_TRUE(worker.hear().starts_with(grant));
    worker.tell("wake/claim", endless);
    EXPECT_TRUE(worker.ask("ping", "{}").ends_with(R"("result":{"pong":true}})")) << "there is a place again";
}

TEST_F(WakeCalls, and_requests_for_the_same_agents_are_one_line) {
    house.on_network([&] { house.streams.knows_agents = true; });
    Worker worker(house);
    worker.tell("wake/claim", waiting);
    wait_for_commands(2);
    client.send(request("POST", "/v1/wakes/claim", "agent", "", waiting));
    wait_for_commands(4);
    settle();
    has_work("a");
    house.on_network([&] { house.streams.tell_of_agents(); });
    EXPECT_TRUE(worker.hear().starts_with(grant)) << "who came first";
    settle();
    EXPECT_EQ(submitted(), 6) << "the next one has asked, too";
    has_work("a");
    house.on_network([&] { house.streams.tell_of_agents(); });
    EXPECT_EQ(client.response().status, 200);
}

}  // namespace
}  // namespace belfry::net::test
