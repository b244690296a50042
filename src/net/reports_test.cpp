#include "base/limits.hpp"
#include "net/test_talk.hpp"

namespace belfry::net::test {
namespace {

namespace limits = base::limits;
using Reports = Talk;
using ports::NotifySelf;
using ports::ReportToolCall;
using ports::ReportTurn;

std::string call(const std::string& status, const std::string& more = "") {
    return R"({"status":")" + status + R"(","tool_name":"vault_search","call_id":"c1")" + more + "}";
}

TEST_F(Reports, a_turn_carries_what_was_told_and_answers_with_the_progress) {
    const Got got = ask("POST", "/v1/sessions/s1/turns",
                        R"({"event":"end","turn_number":4,"agent_id":"planner","reason":"done","tool_calls":2,)"
                        R"("tokens_used":900,"context_tokens":12000})");
    EXPECT_EQ(got.status, 201);
    EXPECT_EQ(
        got.body,
        R"({"events":[{"id":"018f0000-0000-7000-8000-000000000001","sequence":5}],)"
        R"("progress":{"turn":4,"in_turn":false,"tokens_used":0,"context_tokens":0,)"
        R"("counting_since":null},)"
        R"("budget":{"tokens":null,"iterations":null,"timeout_s":null,"context_tokens":null},"unknown":[],"stale":[]})");
    house.on_network([&] {
        const auto& turn = house.gateway.last_as<ReportTurn>();
        EXPECT_EQ(turn.session_id, "s1");
        EXPECT_EQ(turn.edge, ports::TurnEdge::end);
        EXPECT_EQ(turn.agent_id, "planner");
        EXPECT_EQ(turn.reason, "done");
        EXPECT_EQ(turn.tool_calls, 2);
        EXPECT_EQ(turn.tokens_used, 900);
        EXPECT_EQ(turn.context_tokens, 12000);
    });
    EXPECT_EQ(ask("POST", "/v1/sessions/s1/turns", R"({"event":"start"})").status, 201);
    house.on_network([&] {
        const auto& turn = house.gateway.last_as<ReportTurn>();
        EXPECT_EQ(turn.edge, ports::TurnEdge::start);
        EXPECT_FALSE(turn.turn_number || turn.context_tokens);
    });
}

TEST_F(Reports, a_turn_that_is_wrong_names_the_field_and_the_limit) {
    const auto turn = [&](const std::string& body) { return refusal(ask("POST", "/v1/sessions/s1/turns", body)); };
    EXPECT_EQ(turn("{}"), "422 invalid event: must be given");
    EXPECT_EQ(turn(R"({"event":"middle"})"), "422 invalid event: must be start or end");
    EXPECT_EQ(turn(R"({"event":"start","turn_number":0})"),
              "422 invalid turn_number: must lie between 1 and 1000000000000");
    EXPECT_EQ(turn(R"({"event":"end","tokens_used":-5})"),
              "422 invalid tokens_used: must lie between 0 and 1000000000000");
    EXPECT_EQ(turn(R"({"event":"end","tool_calls":1000000000001})"),
              "422 invalid tool_calls: must lie between 0 and 1000000000000");
    EXPECT_TRUE(turn(R"({"event":"end","context_tokens":1.5})").starts_with("422 invalid context_tokens: "));
    EXPECT_EQ(turn(R"({"event":"end","reason":")" + letters(501) + R"("})"),
              "422 invalid reason: must have at most 500 bytes");
    EXPECT_EQ(turn(R"({"event":"end","tokens":1})"), "422 invalid tokens: is not known");
    EXPECT_TRUE(turn(R"({"event":"end")").starts_with("400 malformed"));
    EXPECT_EQ(submitted(), 0);
}

TEST_F(Reports, a_call_becomes_the_payload_of_its_event) {
    const auto payload = [&](const std::string& body) {
        const Got got = ask("POST", "/v1/sessions/s1/tool-calls", body);
        EXPECT_EQ(got.status, 201) << got.body;
        return of_last<ReportToolCall>([](const ReportToolCall& report) { return report.payload.bytes(); });
    };
    EXPECT_EQ(payload(call("pending", R"(,"arguments":{ "q": "x" })")),
              R"({"tool_name":"vault_search","call_id":"c1","arguments":{"q":"x"}})");
    EXPECT_EQ(payload(call("success", R"(,"result_summary":[1, 2],"duration_ms":12.5,"arguments":{"q":"x"})")),
              R"({"tool_name":"vault_search","call_id":"c1","duration_ms":12.5,"result_summary":[1,2]})");
    EXPECT_EQ(payload(call("failure", R"(,"error_type":"timeout","error_message":"a\"b","retry_count":2)")),
              R"({"tool_name":"vault_search","call_id":"c1","error_type":"timeout","error_message":"a\"b",)"
              R"("retry_count":2})");
    EXPECT_EQ(payload(call("timeout", R"(,"timeout_ms":5000,"error_type":null)")),
              R"({"tool_name":"vault_search","call_id":"c1","timeout_ms":5000})");
}

TEST_F(Reports, a_call_carries_the_rest_beside_the_payload) {
    const Got got = ask("POST", "/v1/sessions/s1/tool-calls",
                        call("timeout", R"(,"timeout_ms":5,"agent_id":"a","source":"mcp","tokens_used":7)"));
    EXPECT_EQ(got.status, 201);
    EXPECT_EQ(
        got.body,
        R"({"events":[{"id":"018f0000-0000-7000-8000-000000000001","sequence":5},)"
        R"({"id":"018f0000-0000-7000-8000-000000000002","sequence":6}],)"
        R"("progress":{"turn":0,"in_turn":false,"tokens_used":7,"context_tokens":0,)"
        R"("counting_since":null},)"
        R"("budget":{"tokens":50000,"iterations":null,"timeout_s":null,"context_tokens":null},"unknown":[],"stale":[]})");
    house.on_network([&] {
        const auto& report = house.gateway.last_as<ReportToolCall>();
        EXPECT_EQ(report.session_id, "s1");
        EXPECT_EQ(report.status, ports::ToolCallStatus::timeout);
        EXPECT_EQ(report.agent_id, "a");
        EXPECT_EQ(report.source, "mcp");
        EXPECT_EQ(report.tool_name, "vault_search");
        EXPECT_EQ(report.call_id, "c1");
        EXPECT_EQ(report.arguments_fingerprint, "");
    });
    ask("POST", "/v1/sessions/s1/tool-calls", call("pending"));
    EXPECT_EQ(of_last<ReportToolCall>([](const ReportToolCall& report) { return report.source; }), "tool_executor");
}

TEST_F(Reports, calls_are_told_apart_by_their_arguments_however_they_are_spaced) {
    const auto fingerprint = [&](const std::string& arguments) {
        ask("POST", "/v1/sessions/s1/tool-calls", call("success", R"(,"duration_ms":1,"arguments":)" + arguments));
        return of_last<ReportToolCall>([](const ReportToolCall& report) { return report.arguments_fingerprint; });
    };
    const std::string first = fingerprint(R"({"q":"a","n":1})");
    EXPECT_EQ(first.size(), 16U);
    EXPECT_EQ(fingerprint(R"({ "q" : "a", "n" : 1 })"), first);
    EXPECT_NE(fingerprint(R"({"q":"b","n":1})"), first);
    EXPECT_NE(fingerprint("{}"), first);
}

TEST_F(Reports, a_call_that_is_wrong_names_the_field_and_the_limit) {
    const auto report = [&](const std::string& body) {
        return refusal(ask("POST", "/v1/sessions/s1/tool-calls", body));
    };
    EXPECT_EQ(report(R"({"tool_name":"t","call_id":"c"})"), "422 invalid status: must be given");
    EXPECT_EQ(report(R"({"status":"pending","call_id":"c"})"), "422 invalid tool_name: must be given");
    EXPECT_EQ(report(R"({"status":"pending","tool_name":"t"})"), "422 invalid call_id: must be given");
    EXPECT_EQ(report(call("done")), "422 invalid status: must be pending, success, failure or timeout");
    EXPECT_EQ(report(call("success")), "422 invalid duration_ms: must be given with status success");
    EXPECT_EQ(report(call("failure", R"(,"error_type":"x")")),
              "422 invalid error_message: must be given with status failure");
    EXPECT_EQ(report(call("timeout")), "422 invalid timeout_ms: must be given with status timeout");
    EXPECT_EQ(report(call("pending", R"(,"error_type":"x")")),
              "422 invalid error_type: does not belong to status pending");
    EXPECT_EQ(report(call("success", R"(,"duration_ms":"5")")), "422 invalid duration_ms: must be a number");
    EXPECT_EQ(report(call("success", R"(,"duration_ms":-5)")), "422 invalid duration_ms: must not be negative");
    EXPECT_EQ(report(call("failure", R"(,"error_type":5)")), "422 invalid error_type: must be a text");
    EXPECT_EQ(report(R"({"tool_name":"","status":"pending"})"), "422 invalid tool_name: must not be empty");
    EXPECT_EQ(report(R"({"tool_name":")" + letters(257) + R"("})"),
              "422 invalid tool_name: must have at most 256 bytes");
    EXPECT_EQ(report(R"({"call_id":")" + letters(257) + R"("})"), "422 invalid call_id: must have at most 256 bytes");
    EXPECT_EQ(report(call("pending", R"(,"source":")" + letters(257) + R"(")")),
              "422 invalid source: must have at most 256 bytes");
    EXPECT_EQ(report(call("pending", R"(,"result":1)")), "422 invalid result: is not known");
    EXPECT_EQ(report(call("pending", R"(,"arguments":")" + letters(limits::event_bytes_max) + R"(")")),
              "413 too_large -: an event has at most 1048576 bytes");
    EXPECT_EQ(submitted(), 0);
}

TEST_F(Reports, a_note_to_itself_is_told_now_or_later) {
    const auto note = [&](const std::string& body) {
        const Got got = ask("POST", "/v1/sessions/s1/notify-self", body);
        EXPECT_EQ(got.status, 201) << got.body;
        return got.body;
    };
    EXPECT_EQ(note(R"({"message":"look","priority":"high","category":"plan","deliver_at":"after_tool"})"),
              R"({"event_id":"018f0000-0000-7000-8000-000000000001","reminder_id":null})");
    house.on_network([&] {
        const auto& self = house.gateway.last_as<NotifySelf>();
        EXPECT_EQ(self.session_id, "s1");
        EXPECT_EQ(self.message, "look");
        EXPECT_EQ(self.priority, "high");
        EXPECT_EQ(self.category, "plan");
        EXPECT_EQ(self.deliver_at, "after_tool");
        EXPECT_EQ(self.after_turns, 0);
        EXPECT_EQ(self.context_above, 0);
    });
    EXPECT_EQ(note(R"({"message":"later","after_turns":3,"agent_id":"a"})"),
              R"({"event_id":null,"reminder_id":"018f0000-0000-7000-8000-000000000004"})");
    note(R"({"message":"full","when":{"context_above":0.8}})");
    EXPECT_EQ(of_last<NotifySelf>([](const NotifySelf& self) { return self.context_above; }), 0.8);
}

TEST_F(Reports, a_note_that_is_wrong_names_the_field_and_the_limit) {
    const auto note = [&](const std::string& more) {
        return refusal(ask("POST", "/v1/sessions/s1/notify-self", R"({"message":"m",)" + more + "}"));
    };
    EXPECT_EQ(refusal(ask("POST", "/v1/sessions/s1/notify-self", "{}")), "422 invalid message: must be given");
    EXPECT_EQ(refusal(ask("POST", "/v1/sessions/s1/notify-self", R"({"message":")" + letters(8193) + R"("})")),
              "422 invalid message: must have at most 8192 bytes");
    EXPECT_EQ(note(R"("priority":"urgent")"), "422 invalid priority: must be critical, high, normal or low");
    EXPECT_EQ(note(R"("category":")" + letters(101) + R"(")"), "422 invalid category: must have at most 100 bytes");
    EXPECT_EQ(note(R"("deliver_at":"now")"), "422 invalid deliver_at: must be immediate, next_turn or after_tool");
    EXPECT_EQ(note(R"("after_turns":0)"), "422 invalid after_turns: must lie between 1 and 10000");
    EXPECT_EQ(note(R"("when":{})"), "422 invalid when.context_above: must be given");
    EXPECT_EQ(note(R"("when":{"tokens":1})"), "422 invalid when.tokens: is not known");
    for (const char* share : {"0", "-0.1", "1.01", "1e400"}) {
        EXPECT_EQ(note(R"("when":{"context_above":)" + std::string(share) + "}"),
                  "422 invalid when.context_above: must be a share above 0 and at most 1, such as 0.8");
    }
    EXPECT_EQ(note(R"("at":"noon")"), "422 invalid at: is not known");
    EXPECT_EQ(submitted(), 0);
}

TEST_F(Reports, reports_count_for_the_rate_of_events_and_refused_ones_do_not) {
    house.on_network([&] { house.access.add("slow", model::Role::agent, 3); });
    const auto report = [&](const std::string& path, const std::string& body) {
        return ask("POST", "/v1/sessions/s1/" + path, body, "slow").status;
    };
    EXPECT_EQ(report("turns", "{}"), 422);
    EXPECT_EQ(report("turns", R"({"event":"start"})"), 201);
    EXPECT_EQ(report("tool-calls", call("pending")), 201);
    EXPECT_EQ(report("notify-self", R"({"message":"m"})"), 201);
    EXPECT_EQ(report("turns", R"({"event":"end"})"), 429);
    EXPECT_EQ(report("tool-calls", call("pending")), 429);
    const Got got = ask("POST", "/v1/sessions/s1/notify-self", R"({"message":"m"})", "slow");
    EXPECT_EQ(refusal(got), "429 rate_limited -: more than 3 events per second");
    EXPECT_EQ(got.header("Retry-After"), "1");
    EXPECT_EQ(report("pull", R"({"point":"turn_start"})"), 200);
    house.pass(base::seconds(1));
    EXPECT_EQ(report("turns", R"({"event":"end"})"), 201);
}

TEST_F(Reports, what_the_engine_refuses_is_refused) {
    house.on_network([&] { house.gateway.full = true; });
    EXPECT_EQ(refusal(ask("POST", "/v1/sessions/s1/turns", R"({"event":"start"})")),
              "503 overloaded -: the queue is full");
    EXPECT_EQ(refusal(ask("POST", "/v1/sessions/s1/pull", R"({"point":"immediate"})")),
              "503 overloaded -: the queue is full");
}

}  // namespace
}  // namespace belfry::net::test
