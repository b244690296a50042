#include <atomic>
#include <gtest/gtest.h>

#include "client/client.hpp"
#include "client/scripted_server_test.hpp"

namespace belfry::client {
namespace {

const std::string report_answer =
    R"({"events":[{"id":"e1","sequence":5},{"id":"e2","sequence":6}],"progress":{"turn":4,"in_turn":true,)"
    R"("tokens_used":900,"context_tokens":12,"counting_since":"2026-01-01T00:00:00Z"},)"
    R"("budget":{"tokens":50000,"iterations":null,"timeout_s":null,"context_tokens":null}})";

Options options_for(const ScriptedServer& server) {
    Options options;
    options.endpoint = server.endpoint();
    options.token = "bf_a_b";
    options.pauses = {base::milliseconds(1)};
    return options;
}

std::string first_line(const std::string& request) {
    return request.substr(0, request.find("\r\n"));
}

std::string body_of(const std::string& request) {
    return request.substr(request.find("\r\n\r\n") + 4);
}

// A server that answers one request, and what it was asked.
class Once {
public:
    Once(int status, std::string answer)
        : server_({[this, status, answer = std::move(answer)](ServedConnection& connection) {
              seen = connection.request();
              connection.answer(status, answer);
          }}),
          client(options_for(server_)) {}

    std::string seen;

private:
    ScriptedServer server_;

public:
    Client client;
};

TEST(ClientSessions, a_session_is_put_with_what_is_given) {
    Once once(
        200, R"({"id":"s 1","user_id":"ada","agent_id":null,"title":"T","budget":{"tokens":7},"progress":{"turn":2}})");
    SessionRequest request;
    request.user_id = "ada";
    request.title = "";
    request.metadata = model::RawJson::trusted(R"({"k":1})");
    request.budget = model::Budget{7, 0, 60, 0};
    const auto session = once.client.put_session("s 1", request);
    ASSERT_TRUE(session.ok()) << session.error().message;
    EXPECT_EQ(first_line(once.seen), "PUT /v1/sessions/s%201 HTTP/1.1");
    EXPECT_EQ(body_of(once.seen),
              R"({"user_id":"ada","title":"","metadata":{"k":1},"budget":{"tokens":7,"timeout_s":60}})");
    EXPECT_EQ(session->id, "s 1");
    EXPECT_EQ(session->agent_id, "");
    EXPECT_EQ(session->budget.tokens, 7);
    EXPECT_EQ(session->progress.turn, 2);
}

TEST(ClientSessions, a_turn_is_reported) {
    Once once(201, report_answer);
    TurnReport report;
    report.edge = TurnReport::Edge::end;
    report.reason = "done";
    report.tool_calls = 2;
    report.tokens_used = 900;
    report.context_tokens = 0;
    const auto state = once.client.report_turn("s1", report);
    ASSERT_TRUE(state.ok()) << state.error().message;
    EXPECT_EQ(first_line(once.seen), "POST /v1/sessions/s1/turns HTTP/1.1");
    EXPECT_EQ(body_of(once.seen),
              R"({"event":"end","reason":"done","tool_calls":2,"tokens_used":900,"context_tokens":0})");
    ASSERT_EQ(state->events.size(), 2U);
    EXPECT_EQ(state->events[1].id, "e2");
    EXPECT_EQ(state->events[1].sequence, 6U);
    EXPECT_EQ(state->progress.turn, 4);
    EXPECT_TRUE(state->progress.in_turn);
    EXPECT_EQ(state->progress.tokens_used, 900);
    EXPECT_EQ(state->budget, (model::Budget{50000, 0, 0, 0}));
}

TEST(ClientSessions, a_tool_call_is_reported) {
    Once once(201, report_answer);
    ToolCallReport report;
    report.status = ToolCallReport::Status::failure;
    report.tool_name = "vault_search";
    report.call_id = "c1";
    report.arguments = model::RawJson::trusted(R"({"q":"x"})");
    report.error_type = "timeout";
    const auto state = once.client.report_tool_call("s1", report);
    ASSERT_TRUE(state.ok()) << state.error().message;
    EXPECT_EQ(first_line(once.seen), "POST /v1/sessions/s1/tool-calls HTTP/1.1");
    EXPECT_EQ(body_of(once.seen), R"({"status":"failure","tool_name":"vault_search","call_id":"c1",)"
                                  R"("arguments":{"q":"x"},"error_type":"timeout","error_message":""})");
}

TEST(ClientSessions, a_report_is_never_repeated) {
    std::atomic<int> asked = 0;
    const auto lose = [&](ServedConnection& connection) {
        connection.request();
        ++asked;
    };
    const ScriptedServer server({lose, lose});
    Client client(options_for(server));
    EXPECT_EQ(client.report_turn("s1", {}).error().code, base::Code::outcome_unknown);
    EXPECT_EQ(asked, 1);
}

TEST(ClientSessions, an_agent_notes_something_for_itself) {
    Once once(201, R"({"event_id":null,"reminder_id":"r1"})");
    SelfNote note;
    note.message = "look";
    note.priority = model::Priority::high;
    note.context_above = 0.8;
    const auto state = once.client.notify_self("s1", note);
    ASSERT_TRUE(state.ok()) << state.error().message;
    EXPECT_EQ(body_of(once.seen), R"({"message":"look","priority":"high","when":{"context_above":0.8}})");
    EXPECT_EQ(state->event_id, "");
    EXPECT_EQ(state->reminder_id, "r1");
}

TEST(ClientSessions, what_is_due_is_pulled_with_its_messages) {
    Once once(200, R"({"pull_id":"p1","items":[{"handle":"n7","id":"i7","lease":2,"subscriber":"tool_failure",)"
                   R"("priority":"high","severity":"error","content":"a\nb","text":"T","again":true,)"
                   R"("stands_for":["n6","n7"]}],"tokens":9,"waiting":1,"lease_until":"2026-01-01T00:00:00Z",)"
                   R"("acknowledged":3,"text":"<x>","messages":[{"role":"developer","content":"<x>"}]})");
    PullRequest request;
    request.point = model::InjectAt::after_tool;
    request.budget_tokens = 500;
    request.lease_s = 60;
    request.acknowledge = "p0";
    request.format = MessageFormat::openai;
    const auto pulled = once.client.pull("s1", request);
    ASSERT_TRUE(pulled.ok()) << pulled.error().message;
    EXPECT_EQ(first_line(once.seen), "POST /v1/sessions/s1/pull?format=openai HTTP/1.1");
    EXPECT_EQ(body_of(once.seen), R"({"point":"after_tool","budget_tokens":500,"lease_s":60,"acknowledge":"p0"})");
    EXPECT_EQ(pulled->pull_id, "p1");
    ASSERT_EQ(pulled->items.size(), 1U);
    EXPECT_EQ(pulled->items[0].handle, "n7");
    EXPECT_EQ(pulled->items[0].lease, 2);
    EXPECT_EQ(pulled->items[0].content, "a\nb");
    EXPECT_TRUE(pulled->items[0].again);
    EXPECT_EQ(pulled->items[0].stands_for, (std::vector<std::string>{"n6", "n7"}));
    EXPECT_EQ(pulled->waiting, 1);
    EXPECT_EQ(pulled->acknowledged, 3);
    EXPECT_EQ(pulled->text, "<x>");
    EXPECT_EQ(pulled->messages.bytes(), R"([{"role":"developer","content":"<x>"}])");
}

TEST(ClientSessions, an_empty_pull_has_neither_text_nor_messages) {
    Once once(200,
              R"({"pull_id":"p1","items":[],"tokens":0,"waiting":0,"lease_until":null,"acknowledged":0,"text":""})");
    const auto pulled = once.client.pull("s1", {});
    ASSERT_TRUE(pulled.ok()) << pulled.error().message;
    EXPECT_EQ(first_line(once.seen), "POST /v1/sessions/s1/pull HTTP/1.1");
    EXPECT_EQ(body_of(once.seen), R"({"point":"turn_start"})");
    EXPECT_TRUE(pulled->items.empty());
    EXPECT_EQ(pulled->messages.bytes(), "[]");
}

TEST(ClientSessions, an_acknowledgement_is_repeated_until_it_is_known) {
    std::vector<std::string> seen;
    const auto lose = [&](ServedConnection& connection) { seen.push_back(connection.request()); };
    const auto take = [&](ServedConnection& connection) {
        for (int i = 0; i < 2; ++i) {
            seen.push_back(connection.request());
            connection.answer(200, R"({"acknowledged":2})");
        }
    };
    const ScriptedServer server({lose, take});
    Client client(options_for(server));
    EXPECT_EQ(*client.acknowledge("s1", "p1"), 2);
    EXPECT_EQ(*client.acknowledge("s1", std::vector<ItemLease>{{"n7", 1}, {"n8", 3}}), 2);
    ASSERT_EQ(seen.size(), 3U);
    EXPECT_EQ(seen[1], seen[0]);
    EXPECT_EQ(body_of(seen[1]), R"({"pull_id":"p1"})");
    EXPECT_EQ(body_of(seen[2]), R"({"items":[{"id":"n7","lease":1},{"id":"n8","lease":3}]})");
}

TEST(ClientSessions, a_stale_lease_is_told) {
    Once once(409, R"({"code":"conflict","detail":"the lease is stale","field":"items"})");
    EXPECT_EQ(once.client.acknowledge("s1", "p1").error(),
              base::error(base::Code::conflict, "the lease is stale", "items"));
}

TEST(ClientSessions, an_answer_of_somebody_else_is_known_as_such) {
    const ScriptedServer server({[](ServedConnection& connection) {
        for (int i = 0; i < 5; ++i) {
            connection.request();
            connection.answer(200, "{}");
        }
    }});
    Client client(options_for(server));
    EXPECT_EQ(client.put_session("s", {}).error().code, base::Code::malformed);
    EXPECT_EQ(client.report_turn("s", {}).error().code, base::Code::malformed);
    EXPECT_EQ(client.notify_self("s", {}).error().code, base::Code::malformed);
    EXPECT_EQ(client.pull("s", {}).error().code, base::Code::malformed);
    EXPECT_EQ(client.acknowledge("s", "p").error().code, base::Code::malformed);
}

TEST(ClientSessions, a_turns_end_names_what_was_dealt_with) {
    Once once(201, report_answer);
    TurnReport report;
    report.edge = TurnReport::Edge::end;
    report.acknowledged = {"n7", {"n9", 2}};
    report.leases = {{"n8", 1}};
    report.lease_s = 60;
    ASSERT_TRUE(once.client.report_turn("s1", report).ok());
    EXPECT_EQ(body_of(once.seen), R"({"event":"end","acknowledged":["n7",{"id":"n9","lease":2}],)"
                                  R"("leases":[{"id":"n8","lease":1}],"lease_s":60})");
}

TEST(ClientSessions, a_call_names_the_notification_that_it_is_about) {
    Once once(201, report_answer);
    ToolCallReport report;
    report.status = ToolCallReport::Status::pending;
    report.tool_name = "mail";
    report.call_id = "c1";
    report.handling = "n7";
    ASSERT_TRUE(once.client.report_tool_call("s1", report).ok());
    EXPECT_EQ(body_of(once.seen), R"({"status":"pending","tool_name":"mail","call_id":"c1","handling":"n7"})");
}

TEST(ClientSessions, a_hand_over_tells_what_needs_an_answer_and_what_is_known) {
    Once once(200, R"({"pull_id":"p","items":[{"handle":"n7","needs_answer":true,"must_tell":true},{"handle":"n8"}],)"
                   R"("seen":["[SEEN] a","[SEEN] b"],"digest":"2 items","text":"t","messages":[1],"tools":[{"x":1}]})");
    const auto pulled = once.client.pull("s1", {});
    ASSERT_TRUE(pulled.ok()) << pulled.error().message;
    EXPECT_TRUE(pulled->items[0].needs_answer);
    EXPECT_FALSE(pulled->items[1].needs_answer);
    EXPECT_TRUE(pulled->items[0].must_tell);
    EXPECT_FALSE(pulled->items[1].must_tell);
    EXPECT_EQ(pulled->seen, (std::vector<std::string>{"[SEEN] a", "[SEEN] b"}));
    EXPECT_EQ(pulled->digest, "2 items");
    EXPECT_EQ(pulled->tools.bytes(), R"([{"x":1}])");
}

TEST(ClientSessions, a_turn_that_goes_on_says_so) {
    Once once(200, R"({"renewed":2,"lease_until":null})");
    EXPECT_EQ(*once.client.heartbeat("s 1", 60), 2);
    EXPECT_EQ(first_line(once.seen), "POST /v1/sessions/s%201/heartbeat HTTP/1.1");
    EXPECT_EQ(body_of(once.seen), R"({"lease_s":60})");
}

TEST(ClientSessions, an_agent_narrates_under_its_lease) {
    Once once(200, R"({"id":"x","ordinal":1,"state":"locked","narration":"Done."})");
    const auto said = once.client.narrate("s1", "n7", 2, "Done.");
    ASSERT_TRUE(said.ok()) << said.error().message;
    EXPECT_EQ(first_line(once.seen), "POST /v1/notifications/n7/narrate?session=s1 HTTP/1.1");
    EXPECT_EQ(body_of(once.seen), R"({"lease":2,"text":"Done."})");
    EXPECT_EQ(said->narration, "Done.");
}

TEST(ClientSessions, a_late_narration_is_refused_with_its_reason) {
    Once once(409,
              R"({"code":"conflict","detail":"another one has it by now","field":"lease","reason":"stale_lease"})");
    const auto late = once.client.narrate("s1", "n7", 1, "Done.");
    ASSERT_FALSE(late.ok());
    EXPECT_EQ(late.error().code, base::Code::conflict);
    EXPECT_EQ(late.error().reason, "stale_lease");
}

TEST(ClientSessions, a_session_is_removed) {
    Once once(204, "");
    EXPECT_TRUE(once.client.remove_session("s1").ok());
    EXPECT_EQ(first_line(once.seen), "DELETE /v1/sessions/s1 HTTP/1.1");
}

TEST(ClientSessions, a_look_at_what_is_due_changes_nothing) {
    Once once(200, R"({"items":[{"text":"one","content":"c"},{"text":"","content":"two"}],"tokens":3,"waiting":0,)"
                   R"("batched":4,"counted":5,"user_messages":[{"id":"m","content":"hi"}]})");
    const auto context = once.client.context("s 1", model::InjectAt::after_tool);
    ASSERT_TRUE(context.ok()) << context.error().message;
    EXPECT_EQ(first_line(once.seen), "GET /v1/sessions/s%201/context?point=after_tool HTTP/1.1");
    EXPECT_EQ(context->texts, (std::vector<std::string>{"one", "two"}));
    EXPECT_EQ(context->batched, 4);
    EXPECT_EQ(context->counted, 5);
    EXPECT_EQ(context->user_messages, std::vector<std::string>{"hi"});
}

TEST(ClientSessions, a_session_is_read) {
    Once once(200, R"({"id":"s1","user_id":"ada","progress":{"turn":2,"in_turn":true}})");
    const auto session = once.client.session("s1");
    ASSERT_TRUE(session.ok()) << session.error().message;
    EXPECT_EQ(first_line(once.seen), "GET /v1/sessions/s1 HTTP/1.1");
    EXPECT_TRUE(session->progress.in_turn);
    EXPECT_EQ(session->user_id, "ada");
}

TEST(ClientSessions, the_persons_word_comes_with_a_hand_over) {
    Once once(200, R"({"pull_id":"p","items":[],"user_messages":[{"id":"m1","content":"Stop","metadata":{},)"
                   R"("created_at":"2026-01-01T00:00:00Z"}]})");
    const auto pulled = once.client.pull("s1", {});
    ASSERT_TRUE(pulled.ok()) << pulled.error().message;
    ASSERT_EQ(pulled->user_messages.size(), 1U);
    EXPECT_EQ(pulled->user_messages[0].content, "Stop");
}

}  // namespace
}  // namespace belfry::client
