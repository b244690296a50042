#include <chrono>
#include <gtest/gtest.h>

#include "cli/scripted_daemon_test.hpp"
#include "cli/world_test.hpp"
#include "host/signals.hpp"

namespace belfry::cli {
namespace {

const std::string fixer =
    R"({"id":"fixer","user_id":"ada","kind":"","display_name":"fi\u001bxer","lifecycle":"active","mode":"hybrid",)"
    R"("workflow":{"kind":"worker","settings":{}},"state":{"last_wake_at":null,"sleep_until":null},)"
    R"("runtime":{"run_status":"idle","failure_streak":2}})";
const std::string rule =
    R"({"id":"018f0000-0000-7000-8000-000000000001","agent_id":"fixer","active":true,"types":["ci.*"],"tokens":[],)"
    R"("severity":"debug","predicate":null,"window_ms":0})";

std::string wake_as(const std::string& state, const std::string& ended = "null") {
    return R"({"id":7,"run_key":"k","agent_id":"fixer","reason":"manual","reason_id":"r","state":")" + state +
           R"(","due_at":"2026-11-14T12:00:00Z","signals":1,"attempts":1,"fence":2,"run_id":3,"ended_at":)" + ended +
           "}";
}
const std::string an_end = R"("2026-11-14T12:00:01Z")";

std::string line_of(const std::string& request) {
    return request.substr(0, request.find(" HTTP/1.1"));
}

class AgentCommands : public testing::Test {
protected:
    Exit run(const Daemon& daemon, std::vector<std::string> typed) {
        typed.insert(typed.begin() + 1, {"--url", daemon.url(), "--token", "t"});
        return world.run(typed);
    }

    World world;
};

TEST_F(AgentCommands, create_sends_what_was_typed) {
    Daemon daemon({{201, fixer}});
    EXPECT_EQ(run(daemon, {"agent", "create", "fixer", "--mode", "hybrid", "--capability", "a", "--capability", "b",
                           "--settings", R"({"x":1})", "--workflow", "script"}),
              Exit::ok)
        << world.err;
    EXPECT_EQ(line_of(daemon.requests.at(0)), "POST /v1/agents");
    EXPECT_EQ(body_of(daemon.requests[0]), R"({"id":"fixer","mode":"hybrid","capabilities":["a","b"],)"
                                           R"("workflow":{"kind":"script","settings":{"x":1}}})");
    EXPECT_EQ(world.err, "agent fixer of ada: active, hybrid, its work is done by a worker, failed 2 times in a row\n");
}

TEST_F(AgentCommands, policies_are_sent_as_typed_and_replaced_by_what_is_typed_later) {
    Daemon first({{201, fixer}});
    EXPECT_EQ(run(first, {"agent", "create", "fixer", "--policy", "*=propose", "--policy", "create_task=ask"}),
              Exit::ok)
        << world.err;
    EXPECT_EQ(body_of(first.requests.at(0)), R"({"id":"fixer","tool_policies":{"*":"propose","create_task":"ask"}})");
    Daemon second({{200, fixer}});
    EXPECT_EQ(run(second, {"agent", "policy", "fixer", "--policy", "a=b=run"}), Exit::ok) << world.err;
    EXPECT_EQ(line_of(second.requests.at(0)), "PATCH /v1/agents/fixer");
    EXPECT_EQ(body_of(second.requests[0]), R"({"tool_policies":{"a=b":"run"}})");
    Daemon third({{200, fixer}});
    EXPECT_EQ(run(third, {"agent", "policy", "fixer"}), Exit::ok) << world.err;
    EXPECT_EQ(body_of(third.requests.at(0)), R"({"tool_policies":{}})");
    Daemon unasked({});
    for (const char* wrong : {"create_task", "=ask", "create_task=maybe"}) {
        EXPECT_EQ(run(unasked, {"agent", "policy", "fixer", "--policy", wrong}), Exit::usage) << wrong;
    }
}

TEST_F(AgentCommands, what_agents_propose_is_listed_shown_and_decided) {
    const std::string head =
        R"({"id":"c1","user_id":"ada","agent_id":"coach","agent_name":"Coach","state":"open","counts":{"proposed":1,)"
        R"("accepted":0,"rejected":0,"failed":1},"created_at":"2026-11-16T07:00:00Z")";
    const std::string whole =
        head + R"(,"items":[{"number":1,"tool_name":"create_task","state":"proposed","arguments":{"title":"Run"},)"
               R"("changes":[{"change":"made","kind":"task","title":"Run"}],"error":null},)"
               R"({"number":2,"tool_name":"create_task","state":"failed","arguments":{},"changes":[],)"
               R"("error":{"code":"out_of_scope","message":"no"}}]})";
    Daemon listing({{200, R"({"data":[)" + head + R"(}],"next":null,"has_more":false})"}});
    EXPECT_EQ(run(listing, {"change", "list", "--agent", "coach", "--all"}), Exit::ok) << world.err;
    EXPECT_EQ(line_of(listing.requests.at(0)), "GET /v1/change-sets?agent=coach&state=all&limit=1000");
    EXPECT_NE(world.out.find("1 proposed, 1 failed"), std::string::npos) << world.out;
    Daemon showing({{200, whole}});
    EXPECT_EQ(run(showing, {"change", "show", "c1"}), Exit::ok) << world.err;
    EXPECT_NE(world.out.find("made task \"Run\""), std::string::npos) << world.out;
    EXPECT_NE(world.out.find("out_of_scope: no"), std::string::npos) << world.out;
    const auto decide = [&](std::vector<std::string> words, Exit expected) {
        Daemon daemon({{200, whole}});
        EXPECT_EQ(run(daemon, words), expected) << words.back() << ' ' << world.err;
        return line_of(daemon.requests.at(0));
    };
    EXPECT_EQ(decide({"change", "accept", "c1", "1"}, Exit::ok), "POST /v1/change-sets/c1/items/1/accept");
    // One of them could not be done.
    EXPECT_EQ(decide({"change", "accept", "c1"}, Exit::failure), "POST /v1/change-sets/c1/accept");
    EXPECT_EQ(decide({"change", "reject", "c1", "1"}, Exit::ok), "POST /v1/change-sets/c1/items/1/reject");
    Daemon unasked({});
    for (const std::vector<std::string>& wrong : {std::vector<std::string>{"change", "list", "c1"},
                                                  {"change", "show"},
                                                  {"change", "show", "c1", "1"},
                                                  {"change", "accept", "c1", "x"},
                                                  {"change", "accept", "c1", "0"},
                                                  {"change", "take", "c1"}}) {
        EXPECT_EQ(run(unasked, wrong), Exit::usage) << wrong.back();
    }
}

TEST_F(AgentCommands, messages_are_shown_the_oldest_first_and_cut) {
    const std::string said = R"({"id":"2","kind":"thought","created_at":"t2","content":")" + std::string(200, 'x') +
                             R"(","content_entry_id":null})";
    const std::string called = R"({"id":"1","kind":"action","created_at":"t1","content":{"to":"ada"},)"
                               R"("content_entry_id":null,"action":{"action_type":"tool_call","tool_name":"mail"}})";
    Daemon daemon({{200, R"({"data":[)" + said + "," + called + R"(],"next":"1","has_more":true})"}});
    EXPECT_EQ(run(daemon, {"agent", "messages", "fixer", "--thread", "a:b", "--limit", "2"}), Exit::ok) << world.err;
    EXPECT_EQ(line_of(daemon.requests.at(0)), "GET /v1/agents/fixer/messages?thread=a%3Ab&limit=2");
    EXPECT_LT(world.out.find("mail {\"to\":\"ada\"}"), world.out.find("xxx")) << world.out;
    EXPECT_NE(world.out.find(std::string(100, 'x') + "…"), std::string::npos) << world.out;
    EXPECT_EQ(world.err, "(there are older ones; --limit shows more)\n");
}

TEST_F(AgentCommands, sleep_counts_from_now_and_wake_up_takes_it_back) {
    Daemon daemon({{200, fixer}});
    EXPECT_EQ(run(daemon, {"agent", "sleep", "fixer", "--for", "90s"}), Exit::ok) << world.err;
    EXPECT_EQ(line_of(daemon.requests.at(0)), "PATCH /v1/agents/fixer");
    EXPECT_EQ(body_of(daemon.requests[0]), R"({"state":{"sleep_until":"2026-11-14T12:01:30Z"}})");
    Daemon again({{200, fixer}});
    EXPECT_EQ(run(again, {"agent", "wake-up", "fixer"}), Exit::ok);
    EXPECT_EQ(body_of(again.requests.at(0)), R"({"dormant":false,"state":{"sleep_until":null}})");
}

TEST_F(AgentCommands, wake_on_makes_the_agent_that_is_not_there) {
    Daemon daemon({{404, R"({"code":"not_found","detail":"there is no such agent"})"}, {201, fixer}, {200, rule}});
    EXPECT_EQ(run(daemon, {"wake", "on", "ci.*", "--agent", "fixer", "--immediate", "--severity", "error"}), Exit::ok)
        << world.err;
    EXPECT_EQ(line_of(daemon.requests.at(1)), "POST /v1/agents");
    EXPECT_EQ(line_of(daemon.requests.at(2)), "POST /v1/agents/fixer/subscriptions");
    EXPECT_EQ(body_of(daemon.requests[2]), R"({"types":["ci.*"],"severity":"error","window_ms":0})");
    EXPECT_EQ(world.out, "018f0000-0000-7000-8000-000000000001\n");
}

TEST_F(AgentCommands, wake_now_waits_and_an_end_that_is_not_well_is_a_failure) {
    Daemon daemon({{201, wake_as("queued")}, {200, wake_as("running")}, {200, wake_as("failed", an_end)}});
    EXPECT_EQ(run(daemon, {"wake", "now", "fixer", "--wait", "--input", R"({"a":1})"}), Exit::failure);
    EXPECT_EQ(body_of(daemon.requests.at(0)), R"({"input":{"a":1}})");
    EXPECT_EQ(line_of(daemon.requests.at(2)), "GET /v1/wakes/7?wait_s=50");
    EXPECT_EQ(world.out, "7\n");
}

TEST_F(AgentCommands, what_is_typed_wrongly_is_refused_before_anybody_is_asked) {
    Daemon daemon({});
    EXPECT_EQ(run(daemon, {"agent", "create"}), Exit::usage);
    EXPECT_EQ(run(daemon, {"agent", "list", "x"}), Exit::usage);
    EXPECT_EQ(run(daemon, {"agent", "sleep", "x"}), Exit::usage);
    EXPECT_EQ(run(daemon, {"wake", "on", "a.b"}), Exit::usage);
    EXPECT_EQ(run(daemon, {"wake", "on", "--agent", "x", "--", "true"}), Exit::usage) << "no pattern";
    EXPECT_EQ(run(daemon, {"wake", "show", "x"}), Exit::usage);
    EXPECT_EQ(run(daemon, {"wake", "now", "x", "--", "true"}), Exit::usage);
    EXPECT_EQ(run(daemon, {"work", "--agent", "x"}), Exit::usage);
    EXPECT_EQ(run(daemon, {"work", "true", "--agent", "x"}), Exit::usage) << "a command stands after --";
    EXPECT_EQ(run(daemon, {"work", "--agent", "x", "--lease", "1h", "--", "true"}), Exit::usage);
    EXPECT_TRUE(daemon.requests.empty());
}

// One connection claims, the next is that of the attempt.
class WorkCommand : public AgentCommands {
protected:
    // As the program does: a command need not read what it is given.
    WorkCommand() {
        host::ignore_broken_pipes();
        world.variables["PATH"] = "/usr/bin:/bin";
    }

    Exit work(const std::string& script, const std::vector<Daemon::Answer>& answers) {
        const auto serve = [this](const std::vector<Daemon::Answer>& all) {
            return [this, all](ServedConnection& connection) {
                for (const Daemon::Answer& answer : all) {
                    requests.push_back(connection.request());
                    connection.answer(answer.status, answer.body);
                }
            };
        };
        const std::string grant = R"({"wake":)" + wake_as("running") + R"(,"agent":)" + fixer +
                                  R"(,"signals":[{"kind":"event","key":"e","rule":null,"body":{"type":"ci.failed"},)"
                                  R"("came_at":"2026-11-14T12:00:00Z"}]})";
        ScriptedServer server({serve({{200, grant}}), serve(answers)});
        return world.run({"work", "--url", server.endpoint().text(), "--token", "secret", "--agent", "fixer", "--once",
                          "--", "/bin/sh", "-c", script});
    }

    Requests requests;
    static inline const std::string emitted = R"({"accepted":1,"first":4,"last":4,"state":"running","paused":false})";
};

TEST_F(WorkCommand, runs_it_with_what_it_needs_and_ends_the_wake_with_its_result) {
    const std::string script =
        "read context; echo \"$BELFRY_WAKE_ID $BELFRY_RUN_ID $BELFRY_RUN_KEY $BELFRY_AGENT $BELFRY_FENCE "
        "$BELFRY_REASON $BELFRY_EVENT_TYPE $BELFRY_TOKEN\"; echo '{\"done\":1}'";
    EXPECT_EQ(work(script, {{201, emitted}, {200, wake_as("completed", an_end)}}), Exit::ok) << world.err;
    EXPECT_EQ(world.out, "7 3 k fixer 2 manual ci.failed secret\n{\"done\":1}\n");
    EXPECT_EQ(line_of(requests.at(1)), "POST /v1/runs/3/events");
    EXPECT_EQ(line_of(requests.at(2)), "POST /v1/wakes/7/end");
    EXPECT_EQ(body_of(requests[2]), R"({"fence":2,"result":{"done":1}})");
}

TEST_F(WorkCommand, that_fails_tells_its_last_words) {
    EXPECT_EQ(work("echo no network >&2; exit 3", {{201, emitted}, {200, wake_as("queued")}}), Exit::failure);
    EXPECT_EQ(body_of(requests.at(2)), R"({"fence":2,"error":{"type":"exit_3","message":"no network"}})");
}

TEST_F(WorkCommand, whose_claim_is_lost_ends_and_tells_nothing) {
    const auto started = std::chrono::steady_clock::now();
    const std::string refusal = R"({"code":"conflict","reason":"stale_claim","detail":"not yours"})";
    const auto serve = [this](int status, const std::string& body) {
        return [this, status, body](ServedConnection& connection) {
            requests.push_back(connection.request());
            connection.answer(status, body);
        };
    };
    const std::string grant = R"({"wake":)" + wake_as("running") + R"(,"agent":)" + fixer + R"(,"signals":[]})";
    ScriptedServer server({serve(200, grant), serve(409, refusal)});
    EXPECT_EQ(world.run({"work", "--url", server.endpoint().text(), "--token", "t", "--agent", "fixer", "--once",
                         "--lease", "1s", "--", "/bin/sleep", "100"}),
              Exit::failure);
    EXPECT_EQ(line_of(requests.at(1)), "POST /v1/wakes/7/renew");
    EXPECT_EQ(requests.size(), 2U);
    EXPECT_LT(std::chrono::steady_clock::now() - started, std::chrono::seconds(60));
}

}  // namespace
}  // namespace belfry::cli
