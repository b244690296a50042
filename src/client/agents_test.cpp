#include <gtest/gtest.h>

#include "client/client.hpp"
#include "client/scripted_server_test.hpp"
#include "client/tools.hpp"

namespace belfry::client {
namespace {

const std::string wake =
    R"({"id":7,"run_key":"k","agent_id":"a","reason":"manual","state":"running","fence":2,"run_id":3,"signals":1,)"
    R"("error":{"type":"lost","message":"m"},"ended_at":null})";
const std::string agent = R"({"id":"a/b","lifecycle":"active","workflow":{"kind":"worker"},)"
                          R"("state":{"sleep_until":"2026-11-14T12:00:00Z"},"runtime":{"failure_streak":2}})";

// The answers of one connection, and what was asked.
class Agents : public testing::Test {
protected:
    struct Answer {
        int status;
        std::string body;
    };
    Client& client_for(std::vector<Answer> answers) {
        server = std::make_unique<ScriptedServer>(
            std::vector<ScriptedServer::Script>{[this, answers = std::move(answers)](ServedConnection& connection) {
                for (const Answer& answer : answers) {
                    asked.push_back(connection.request());
                    connection.answer(answer.status, answer.body);
                }
            }});
        Options options;
        options.endpoint = server->endpoint();
        options.pauses = {base::milliseconds(1)};
        client = std::make_unique<Client>(options);
        return *client;
    }
    [[nodiscard]] std::string line(std::size_t i) const { return asked.at(i).substr(0, asked.at(i).find(" HTTP/1.1")); }
    [[nodiscard]] std::string body(std::size_t i) const { return asked.at(i).substr(asked.at(i).find("\r\n\r\n") + 4); }

    Requests asked;
    std::unique_ptr<ScriptedServer> server;
    std::unique_ptr<Client> client;
};

TEST_F(Agents, are_made_again_where_the_daemon_was_busy_and_read_with_what_they_have) {
    Client& client = client_for({{503, R"({"code":"unavailable","detail":"d"})"}, {201, agent}});
    AgentRequest request;
    request.id = "a/b";
    request.model_id = "m";
    const auto made = client.create_agent(request);
    ASSERT_TRUE(made.ok()) << made.error().message;
    EXPECT_EQ(body(1), R"({"id":"a/b","config":{"model_id":"m"}})");
    EXPECT_EQ(made->sleep_until, "2026-11-14T12:00:00Z");
    EXPECT_EQ(made->failure_streak, 2);
}

TEST_F(Agents, are_woken_again_only_under_a_name_of_the_callers) {
    Client& client = client_for({{503, R"({"code":"unavailable","detail":"d"})"}});
    EXPECT_EQ(client.wake_agent("a/b", {}).error().code, base::Code::unavailable);
    EXPECT_EQ(asked.size(), 1U);
    EXPECT_EQ(line(0), "POST /v1/agents/a%2Fb/wake");
    Client& again = client_for({{503, R"({"code":"unavailable","detail":"d"})"}, {200, wake}});
    WakeRequest request;
    request.session_id = "s";
    request.turn_id = "t";
    EXPECT_EQ(again.wake_agent("a", request)->error->type, "lost");
    EXPECT_EQ(body(2), R"({"reason":"user_initiated","session_id":"s","turn_id":"t"})");
}

TEST_F(Agents, have_timers_that_are_added_listed_changed_and_removed) {
    const std::string timer =
        R"({"id":"t1","agent_id":"a/b","user_id":"ada","name":"n","schedule":{"kind":"weekly","days":["mon"],)"
        R"("time":"07:00"},"zone":"UTC","active":true,"next_run_at":"2026-11-16T07:00:00Z","fault":null,)"
        R"("next":[{"at":"2026-11-16T07:00:00Z","local":"2026-11-16T07:00:00+00:00","note":null}]})";
    const std::string first = R"({"data":[)" + timer + R"(],"next":"5.t1","has_more":true})";
    const std::string last = R"({"data":[],"next":null,"has_more":false})";
    Client& client = client_for({{503, R"({"code":"unavailable","detail":"d"})"},
                                 {201, timer},
                                 {200, first},
                                 {200, last},
                                 {200, last},
                                 {200, timer},
                                 {200, timer},
                                 {204, ""}});
    TimerRequest request;
    request.name = "n";
    request.schedule.kind = "weekly";
    request.schedule.days = {"mon"};
    request.schedule.time = "07:00";
    request.zone = "UTC";
    request.dry_run = true;
    const auto added = client.add_timer("a/b", request);
    ASSERT_TRUE(added.ok()) << added.error().message;
    EXPECT_EQ(line(1), "POST /v1/agents/a%2Fb/timers");
    EXPECT_EQ(body(1), R"({"name":"n","schedule":{"kind":"weekly","days":["mon"],"time":"07:00"},"zone":"UTC",)"
                       R"("dry_run":true})");
    EXPECT_EQ(added->schedule, request.schedule);
    EXPECT_EQ(added->next.at(0).local, "2026-11-16T07:00:00+00:00");
    EXPECT_EQ(client.timers({"a/b", ""})->size(), 1U);
    EXPECT_EQ(line(3), "GET /v1/agents/a%2Fb/timers?after=5.t1&limit=1000");
    EXPECT_TRUE(client.timers({"", "ada"}).ok());
    EXPECT_EQ(line(4), "GET /v1/timers?user=ada&limit=1000");
    EXPECT_EQ(client.timer("a/b", "t1")->name, "n");
    EXPECT_TRUE(client.change_timer("a/b", "t1", model::RawJson::trusted(R"({"active":false})")).ok());
    EXPECT_EQ(line(6), "PATCH /v1/agents/a%2Fb/timers/t1");
    EXPECT_TRUE(client.remove_timer("a/b", "t1").ok());
    EXPECT_EQ(line(7), "DELETE /v1/agents/a%2Fb/timers/t1");
}

TEST_F(Agents, have_workers_who_claim_renew_and_end_each_once) {
    const std::string grant = R"({"wake":)" + wake + R"(,"agent":)" + agent +
                              R"(,"signals":[{"kind":"event","key":"e","body":{"type":"ci.failed"},"came_at":"t"}]})";
    const std::string stale = R"({"code":"conflict","reason":"stale_claim","detail":"not yours"})";
    Client& client = client_for({{200, grant}, {200, wake}, {409, stale}});
    const auto claimed = client.claim_wake({{"a"}, "me", base::seconds(9), base::seconds(5), 3});
    ASSERT_TRUE(claimed.ok() && *claimed);
    EXPECT_EQ(body(0), R"({"agents":["a"],"holder":"me","lease_s":9,"wait_s":5,"context_messages":3})");
    EXPECT_EQ((*claimed)->wake.fence, 2);
    EXPECT_EQ((*claimed)->signals.at(0).body.bytes(), R"({"type":"ci.failed"})");
    EXPECT_TRUE(client.renew_wake(7, 2, base::seconds(9)).ok());
    EXPECT_EQ(body(1), R"({"fence":2,"lease_s":9})");
    WakeOutcome outcome;
    outcome.error = model::RunError{"t", "m"};
    EXPECT_EQ(client.end_wake(7, 2, outcome).error().code, base::Code::conflict);
    EXPECT_EQ(body(2), R"({"fence":2,"error":{"type":"t","message":"m"}})");
}

TEST_F(Agents, call_tools_that_others_register_and_carry_out) {
    const std::string call = R"({"id":"c-1","tool_name":"mail","operation_id":"op","agent_id":"a","state":"claimed",)"
                             R"("fence":3,"attempts":2,"arguments":{"to":"bob"}})";
    Client& client =
        client_for({{200, R"({"name":"a/b","impact":"internal"})"}, {200, call}, {200, call}, {200, call}});
    Tools tools(client);
    ToolRequest request;
    request.name = "a/b";
    request.impact = model::Impact::internal;
    request.capabilities = std::vector<std::string>{};
    request.by = "webhook";
    request.url = "https://x/";
    request.timeout = base::seconds(5);
    ASSERT_TRUE(tools.put(request).ok());
    EXPECT_EQ(line(0), "PUT /v1/tools/a%2Fb");
    EXPECT_EQ(body(0), R"({"impact":"internal","capabilities":[],"execution":{"by":"webhook","url":"https://x/"},)"
                       R"("timeout_s":5})");
    const auto claimed = tools.claim({{"mail"}, "me", base::seconds(9), base::seconds(5)});
    ASSERT_TRUE(claimed.ok() && *claimed);
    EXPECT_EQ(body(1), R"({"tools":["mail"],"holder":"me","lease_s":9,"wait_s":5})");
    EXPECT_EQ((*claimed)->arguments.bytes(), R"({"to":"bob"})");
    EXPECT_TRUE(tools.renew(**claimed, base::seconds(9)).ok());
    EXPECT_EQ(line(2) + body(2), R"(POST /v1/tool-calls/c-1/renew{"fence":3,"lease_s":9})");
    ToolCallOutcome outcome;
    outcome.error_code = "full";
    outcome.error_message = "no room";
    EXPECT_TRUE(tools.end(**claimed, outcome).ok());
    EXPECT_EQ(body(3), R"({"fence":3,"error":{"code":"full","message":"no room"}})");
}

TEST_F(Agents, remember_what_their_workers_tell) {
    const std::string message = R"({"id":"m","thread_id":"t","kind":"action","created_at":"c","content":{"to":"ada"},)"
                                R"("content_entry_id":null,"action":{"action_type":"tool_call","tool_name":"mail"}})";
    Client& client = client_for({{201, R"({"data":[)" + message + R"(],"added":1})"},
                                 {201, R"({"run_key":"k","actions":[]})"},
                                 {200, R"({"data":[)" + message + R"(],"next":"m","has_more":true})"}});
    const auto added = client.append_agent_messages(7, 2, model::RawJson::trusted(R"([{"kind":"thought"}])"));
    ASSERT_TRUE(added.ok());
    EXPECT_EQ(added->at(0).tool_name, "mail");
    EXPECT_EQ(line(0), "POST /v1/wakes/7/messages");
    EXPECT_EQ(body(0), R"({"fence":2,"messages":[{"kind":"thought"}]})");
    EXPECT_TRUE(client.store_plan(7, 2, model::RawJson::trusted("[{}]"), 3).ok());
    EXPECT_EQ(line(1), "POST /v1/wakes/7/plan");
    EXPECT_EQ(body(1), R"({"fence":2,"round":3,"actions":[{}]})");
    const auto listed = client.agent_messages("a/b", {"t", "", 1});
    ASSERT_TRUE(listed.ok());
    EXPECT_TRUE(listed->more);
    EXPECT_EQ(listed->messages.at(0).content.bytes(), R"({"to":"ada"})");
    EXPECT_EQ(line(2), "GET /v1/agents/a%2Fb/messages?thread=t&limit=1");
}

TEST_F(Agents, call_tools_under_their_claim) {
    Client& client = client_for(
        {{200,
          R"({"action":{},"result":{"content":{"a":1},"tool_result":{"status":"success"}},"waits_for":null,"is_new":false})"},
         {200,
          R"({"action":{},"result":{"content":{},"tool_result":{"status":"error","error_code":"out_of_scope","error_message":"m"}},"waits_for":null,"is_new":true})"},
         {202, R"({"action":{},"result":null,"waits_for":{"whom":"person","id":"i"},"is_new":true})"}});
    const auto done = client.call_tool(7, 2, {"o", "make", model::RawJson::trusted(R"({"x":1})")});
    ASSERT_TRUE(done.ok());
    EXPECT_EQ(line(0), "POST /v1/wakes/7/call");
    EXPECT_EQ(body(0), R"({"fence":2,"operation_id":"o","tool_name":"make","arguments":{"x":1}})");
    EXPECT_EQ(done->status, "success");
    EXPECT_EQ(done->says.bytes(), R"({"a":1})");
    EXPECT_FALSE(done->is_new);
    const auto refused = client.call_tool(7, 2, {"o", "", {}});
    EXPECT_EQ(body(1), R"({"fence":2,"operation_id":"o"})");
    EXPECT_EQ(refused->error_code + refused->error_message, "out_of_scopem");
    const auto waits = client.call_tool(7, 2, {"o", "", {}});
    EXPECT_EQ(waits->status + waits->waits_for + waits->waits_for_id, "personi");
}

TEST_F(Agents, are_listed_page_by_page_and_wakes_up_to_a_limit) {
    Client& client = client_for({{200, R"({"data":[)" + agent + R"(],"next":"a/b","has_more":true})"},
                                 {200, R"({"data":[],"next":null,"has_more":false})"},
                                 {200, R"({"data":[)" + wake + R"(],"next":7,"has_more":true})"}});
    EXPECT_EQ(client.agents()->size(), 1U);
    EXPECT_EQ(line(1), "GET /v1/agents?after=a%2Fb&limit=1000");
    WakeQuestion question;
    question.agent_id = "a";
    question.open = true;
    question.limit = 1;
    const auto wakes = client.wakes(question);
    EXPECT_EQ(line(2), "GET /v1/wakes?agent=a&open=true&limit=1");
    EXPECT_TRUE(wakes->more);
}

}  // namespace
}  // namespace belfry::client
