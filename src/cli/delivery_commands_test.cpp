#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

#include "cli/scripted_daemon_test.hpp"
#include "cli/world_test.hpp"
#include "codec/json.hpp"
#include "codec/sse.hpp"

namespace belfry::cli {
namespace {

const std::string row =
    R"({"id":"n-1","ordinal":4,"user_id":"ada","session_id":null,"subscriber":"tool_failure","priority":"high",)"
    R"("severity":"error","address":"user","target":"user","handler":"system","content":"c","text":"Two\nlines",)"
    R"("events":[{"id":"e","sequence":1,"count":2}],"version":2,"created_at":"2026-01-01T00:00:00Z",)"
    R"("state":"failed","outcome":"nobody_there","ended_at":null,"lease":3,"seen_at":"2026-01-01T00:00:01Z"})";

std::string line_of(const std::string& request) {
    return request.substr(0, request.find(" HTTP/1.1"));
}

class Delivery : public testing::Test {
protected:
    Exit run(const Daemon& daemon, std::vector<std::string> typed) {
        typed.insert(typed.end(), {"--url", daemon.url(), "--token", "t"});
        return world.run(typed);
    }
    World world;
};

TEST_F(Delivery, notify_rings_in_the_inbox_and_tells_the_id) {
    Daemon daemon({{201, row}});
    EXPECT_EQ(
        run(daemon, {"notify", "It is done", "--priority", "high", "--user", "ada", "--key", "k", "--title", "T"}),
        Exit::ok)
        << world.err;
    EXPECT_EQ(world.out, "n-1\n");
    EXPECT_EQ(world.err, "updated, for the user, said by the system: inbox, failed\n");
    EXPECT_EQ(line_of(daemon.requests.at(0)), "POST /v1/notifications");
    EXPECT_EQ(body_of(daemon.requests[0]),
              R"({"text":"It is done","priority":"high","user_id":"ada","deduplication_key":"k",)"
              R"("metadata":{"title":"T"}})");
}

TEST_F(Delivery, notify_knows_conversations_and_agents) {
    Daemon daemon({{201, row}, {201, row}, {201, row}});
    EXPECT_EQ(run(daemon, {"notify", "x", "--to", "chat-7", "--json"}), Exit::ok) << world.err;
    EXPECT_TRUE(codec::validate(world.out).ok());
    EXPECT_EQ(body_of(daemon.requests.at(0)), R"({"text":"x","session_id":"chat-7"})");
    Daemon agents({{201, row}, {201, row}});
    EXPECT_EQ(run(agents, {"notify", "x", "--to", "agent:coder"}), Exit::ok);
    EXPECT_EQ(body_of(agents.requests.at(0)),
              R"({"text":"x","routing":{"address":"user","target":"agent","handler":"agent"},"agent_id":"coder"})");
    Daemon quiet({{201, row}});
    EXPECT_EQ(run(quiet, {"notify", "x", "--to", "agent:coder", "--quiet"}), Exit::ok);
    EXPECT_NE(body_of(quiet.requests.at(0)).find(R"("handler":"system")"), std::string::npos);
}

TEST_F(Delivery, notify_refuses_what_it_cannot_mean) {
    Daemon daemon({});
    EXPECT_EQ(run(daemon, {"notify", "x", "--priority", "loud"}), Exit::usage);
    EXPECT_NE(world.err.find("--priority must be critical, high, normal or low, not \"loud\""), std::string::npos);
    EXPECT_EQ(run(daemon, {"notify", ""}), Exit::usage);
    EXPECT_EQ(run(daemon, {"notify", "x", "--to", "agent:"}), Exit::usage);
    EXPECT_EQ(run(daemon, {"notify", "x", "--quiet"}), Exit::usage);
    EXPECT_TRUE(daemon.requests.empty());
}

TEST_F(Delivery, the_inbox_is_a_table_and_tells_what_waits) {
    Daemon daemon(
        {{200, R"({"user_id":"ada","data":[)" + row + R"(],"unread":3,"waiting":1,"next":4,"has_more":true})"}});
    EXPECT_EQ(run(daemon, {"inbox", "--unread", "--user", "ada", "-n", "1"}), Exit::ok) << world.err;
    EXPECT_EQ(line_of(daemon.requests.at(0)), "GET /v1/inbox?user=ada&unread=true&limit=1");
    EXPECT_EQ(world.out,
              "ID   WHEN                  PRIORITY  STATE                  READ  TEXT\n"
              "n-1  2026-01-01T00:00:00Z  high      failed (nobody_there)  seen  Two…\n");
    EXPECT_EQ(world.err, "3 unread, 1 waiting; there are more, see --limit\n");
}

TEST_F(Delivery, reading_shows_the_text_and_marks_it) {
    Daemon daemon({{200, row}});
    EXPECT_EQ(run(daemon, {"inbox", "read", "n-1", "--mark", "acted"}), Exit::ok) << world.err;
    EXPECT_EQ(line_of(daemon.requests.at(0)), "POST /v1/notifications/n-1/read");
    EXPECT_EQ(body_of(daemon.requests[0]), R"({"mark":"acted"})");
    EXPECT_EQ(world.out, "Two\n    lines\n");
    EXPECT_EQ(run(daemon, {"inbox", "read", "n-1", "--mark", "eaten"}), Exit::usage);
}

TEST_F(Delivery, an_acknowledgement_names_lease_and_version) {
    Daemon daemon({{200, row}, {200, row}});
    EXPECT_EQ(run(daemon, {"inbox", "ack", "n-1"}), Exit::ok) << world.err;
    EXPECT_EQ(line_of(daemon.requests.at(0)), "GET /v1/notifications/n-1");
    EXPECT_EQ(line_of(daemon.requests.at(1)), "POST /v1/notifications/n-1/ack");
    EXPECT_EQ(body_of(daemon.requests[1]), R"({"lease":3,"version":2,"how":"clicked"})");
    Daemon stale({{409, R"({"code":"conflict","detail":"another one has it by now","reason":"stale_lease"})"}});
    EXPECT_EQ(run(stale, {"inbox", "ack", "n-1", "--lease", "1", "--version", "1"}), Exit::failure);
    EXPECT_NE(world.err.find("another one has it by now"), std::string::npos);
    EXPECT_EQ(run(stale, {"inbox", "ack"}), Exit::usage);
    EXPECT_EQ(run(stale, {"inbox", "eat"}), Exit::usage);
}

TEST_F(Delivery, following_shows_each_version_once_and_ends_with_the_token) {
    const auto message = [](int lease, const std::string& text) {
        return "event: notification\ndata: {\"type\":\"notification\",\"id\":\"n-1\",\"state\":\"dispatched\","
               "\"priority\":\"high\",\"text\":\"" +
               text + "\",\"owner_lease\":" + std::to_string(lease) +
               ",\"version\":1,\"timestamp\":\"2026-01-01T00:00:00Z\"}\n\n";
    };
    const auto live = [&](ServedConnection& connection) {
        connection.request();
        connection.send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n" + message(1, "one") +
                        message(1, "one") + message(2, "two") +
                        "event: notification\ndata: {\"type\":\"notification\",\"id\":\"n-9\",\"state\":\"locked\","
                        "\"text\":\"I did it\",\"narrated\":true,\"owner_lease\":1,\"version\":1,"
                        "\"timestamp\":\"2026-01-01T00:00:02Z\"}\n\n"
                        "event: close\ndata: {\"reason\":\"revoked\"}\n\n");
    };
    client::ScriptedServer server({live});
    EXPECT_EQ(world.run({"inbox", "follow", "--url", server.endpoint().text(), "--token", "t"}), Exit::refused);
    EXPECT_EQ(world.out,
              "2026-01-01T00:00:00Z high one n-1\n2026-01-01T00:00:00Z high two n-1\n"
              "2026-01-01T00:00:02Z narration I did it n-9\n");
}

TEST_F(Delivery, the_ledger_is_asked_by_state_age_and_user) {
    Daemon daemon({{200, R"({"data":[)" + row + R"(],"next":null,"has_more":false})"}});
    EXPECT_EQ(run(daemon, {"ledger", "--state", "failed", "--older-than", "10m", "--user", "ada", "--limit", "5"}),
              Exit::ok)
        << world.err;
    EXPECT_EQ(line_of(daemon.requests.at(0)), "GET /v1/notifications?user=ada&state=failed&older_than_s=600&limit=5");
    EXPECT_NE(world.out.find("failed (nobody_there)  3      Two…"), std::string::npos) << world.out;
    EXPECT_EQ(run(daemon, {"ledger", "--state", "lost"}), Exit::usage);
}

TEST_F(Delivery, the_ledger_goes_on_until_the_limit) {
    Daemon daemon({{200, R"({"data":[)" + row + R"(],"next":4,"has_more":true})"},
                   {200, R"({"data":[)" + row + R"(],"next":null,"has_more":false})"}});
    EXPECT_EQ(run(daemon, {"ledger", "--json"}), Exit::ok) << world.err;
    EXPECT_EQ(line_of(daemon.requests.at(1)), "GET /v1/notifications?after=4&limit=99");
    EXPECT_EQ(world.out, row + "\n" + row + "\n");
}

TEST_F(Delivery, dead_letters_are_listed_and_sent_again) {
    Daemon daemon({{200, R"({"data":[)" + row + R"(],"next":null,"has_more":false})"}, {201, row}});
    EXPECT_EQ(run(daemon, {"ledger", "dead"}), Exit::ok) << world.err;
    EXPECT_EQ(line_of(daemon.requests.at(0)), "GET /v1/dead-letters?limit=100");
    Daemon again({{201, row}});
    EXPECT_EQ(run(again, {"ledger", "retry", "n-1"}), Exit::ok) << world.err;
    EXPECT_EQ(line_of(again.requests.at(0)), "POST /v1/notifications/n-1/retry");
    EXPECT_EQ(world.out, "n-1\n");
    EXPECT_EQ(run(again, {"ledger", "retry"}), Exit::usage);
}

const std::string why_answer =
    R"({"event":{"id":"e-1","type":"a.b","source":"ci","severity":"error","timestamp":"2026-01-01T00:00:00Z"},)"
    R"("sequence":12,"reached_nobody":null,"subscribers":[{"id":"tool_failure","verdict":"wants"},)"
    R"({"id":"calm","verdict":"below_severity"}],)"
    R"("waiting":[{"subscriber":"slow","kind":"row","count":2,"until":"2026-01-01T00:00:10Z"}],)"
    R"("notifications":[{"notification":)" +
    row +
    R"(,"as_repeat":false,"steps":[)"
    R"({"at":"2026-01-01T00:00:00Z","from":"pending","to":"pending","lease":1,"holder":null,"reason":"emitted"},)"
    R"({"at":"2026-01-01T00:00:01Z","from":"pending","to":"dispatched","lease":1,"holder":"ui","reason":"dispatched"},)"
    R"({"at":"2026-01-01T00:00:02Z","from":"dispatched","to":"dispatched","lease":1,"holder":"sink:phone",)"
    R"("reason":"sink_failed: \u001b[2J"}]}]})";

TEST_F(Delivery, why_tells_the_story_step_by_step) {
    Daemon daemon({{200, why_answer}});
    EXPECT_EQ(run(daemon, {"why", "e-1"}), Exit::ok) << world.err;
    EXPECT_EQ(line_of(daemon.requests.at(0)), "GET /v1/why/e-1");
    EXPECT_EQ(world.out,
              "event e-1\n"
              "  happened  a.b from ci, error, at 2026-01-01T00:00:00Z\n"
              "  recorded  as entry 12 of the stream events\n"
              "  matched   tool_failure wants it\n"
              "  matched   calm does not: below its least severity\n"
              "  batched   in slow, 2 times, leaves at 2026-01-01T00:00:10Z at the latest\n"
              "notification n-1\n"
              "  says      Two…\n"
              "  made      by subscriber tool_failure of 1 event, at 2026-01-01T00:00:00Z\n"
              "  routed    for the user, said by the system: inbox, of user ada, high\n"
              "  WHEN                  STATE                 LEASE  WHO         WHY\n"
              "  2026-01-01T00:00:00Z  pending               1                  emitted\n"
              "  2026-01-01T00:00:01Z  pending → dispatched  1      ui          dispatched\n"
              "  2026-01-01T00:00:02Z  dispatched            1      sink:phone  sink_failed: \\x1b[2J\n"
              "  now       failed (nobody_there); seen by the person\n");
}

TEST_F(Delivery, why_says_why_nobody_was_reached) {
    Daemon daemon({{200, R"({"event":{"id":"e","type":"a.b"},"sequence":1,"reached_nobody":"no subscriber wants it",)"
                         R"("subscribers":[],"waiting":[],"notifications":[]})"},
                   {404, R"({"code":"not_found","detail":"there is none"})"}});
    EXPECT_EQ(run(daemon, {"why", "e"}), Exit::ok);
    EXPECT_NE(world.out.find("it reached nobody: no subscriber wants it\n"), std::string::npos) << world.out;
    Daemon none({{404, R"({"code":"not_found","detail":"there is none"})"}});
    EXPECT_EQ(run(none, {"why", "n7", "--session", "s 1"}), Exit::failure);
    EXPECT_EQ(line_of(none.requests.at(0)), "GET /v1/why/n7?session=s%201");
}

TEST_F(Delivery, tools_are_put_listed_and_removed) {
    const std::string tool =
        R"({"name":"send_mail","origin":"registered","impact":"external","description":"d","schema":{},"updated_at":"2026"})";
    const std::string schema = world.folder.file("schema.json");
    std::ofstream(schema) << R"({ "type": "object" })";
    Daemon daemon({{200, tool}});
    EXPECT_EQ(run(daemon, {"tool", "put", "send mail", "--impact", "external", "--schema", schema}), Exit::ok)
        << world.err;
    EXPECT_EQ(line_of(daemon.requests.at(0)), "PUT /v1/tools/send%20mail");
    EXPECT_EQ(body_of(daemon.requests[0]), R"({"impact":"external","schema":{"type":"object"}})");
    Daemon list({{200, R"({"data":[)" + tool + R"(],"next":null,"has_more":false})"}});
    EXPECT_EQ(run(list, {"tool", "list"}), Exit::ok);
    EXPECT_EQ(world.out,
              "NAME       ORIGIN      IMPACT    RISK  CAPABILITIES  CHANGED  DESCRIPTION\n"
              "send_mail  registered  external                      2026     d\n");
    Daemon removed({{204, ""}});
    EXPECT_EQ(run(removed, {"tool", "remove", "send_mail", "--json"}), Exit::ok) << world.err;
    EXPECT_EQ(line_of(removed.requests.at(0)), "DELETE /v1/tools/send_mail");
    EXPECT_EQ(world.out, "{\"name\":\"send_mail\",\"removed\":true}\n");
    EXPECT_EQ(run(removed, {"tool", "put", "x"}), Exit::usage);
    EXPECT_EQ(run(removed, {"tool", "put", "--impact", "internal"}), Exit::usage);
    EXPECT_EQ(run(removed, {"tool", "list", "x"}), Exit::usage);
    EXPECT_EQ(run(removed, {"tool", "list", "--impact", "internal"}), Exit::usage);
}

TEST_F(Delivery, a_tool_is_shown_with_what_it_takes) {
    Daemon daemon(
        {{200, R"({"name":"make","origin":"belfry","impact":"internal","description":"d","schema":{"type":"object"},)"
               R"("updated_at":null,"capabilities":["task_read","task_write"],"wake_reasons":[]})"}});
    EXPECT_EQ(run(daemon, {"tool", "show", "make"}), Exit::ok) << world.err;
    EXPECT_EQ(line_of(daemon.requests.at(0)), "GET /v1/tools/make");
    EXPECT_EQ(world.out,
              "name: make\norigin: belfry\nimpact: internal\ndescription: d\nschema: {\"type\":\"object\"}\n"
              "capabilities: task_read, task_write\n");
}

TEST_F(Delivery, a_tool_is_called_for_the_wake_of_the_environment) {
    const auto answer = [](const std::string& result, const std::string& waits) {
        return R"({"action":{},"result":)" + result + R"(,"waits_for":)" + waits + R"(,"is_new":true})";
    };
    Daemon none({});
    EXPECT_EQ(run(none, {"tool", "call", "make"}), Exit::usage);
    EXPECT_NE(world.err.find("BELFRY_WAKE_ID"), std::string::npos) << world.err;
    world.variables["BELFRY_WAKE_ID"] = "7";
    world.variables["BELFRY_FENCE"] = "2";
    EXPECT_EQ(run(none, {"tool", "call", "make", "--arguments", "[]"}), Exit::usage);
    Daemon daemon({{200, answer(R"({"content":{"a":1},"tool_result":{"status":"success"}})", "null")}});
    EXPECT_EQ(run(daemon, {"tool", "call", "make", "--operation", "o", "--arguments", R"({"x": 1})"}), Exit::ok)
        << world.err;
    EXPECT_EQ(line_of(daemon.requests.at(0)), "POST /v1/wakes/7/call");
    EXPECT_EQ(body_of(daemon.requests[0]), R"({"fence":2,"operation_id":"o","tool_name":"make","arguments":{"x":1}})");
    EXPECT_EQ(world.out, "{\"a\":1}\n");
    Daemon refuses({{200, answer(R"({"content":{},"tool_result":{"status":"error","error_code":"out_of_scope",)"
                                 R"("error_message":"taskId is not there"}})",
                                 "null")}});
    EXPECT_EQ(run(refuses, {"tool", "call", "make"}), Exit::failure);
    EXPECT_EQ(world.out, "");
    EXPECT_NE(world.err.find("out_of_scope: taskId is not there"), std::string::npos) << world.err;
    Daemon waits({{202, answer("null", R"({"whom":"person","id":"i1"})")}});
    EXPECT_EQ(run(waits, {"tool", "call", "make", "--operation", "o"}), Exit::partial);
    EXPECT_NE(world.err.find("(i1)"), std::string::npos) << world.err;
}

TEST_F(Delivery, the_doctor_looks_at_the_sinks) {
    const std::string folder = world.folder.file(".config/belfry/sinks");
    std::filesystem::create_directories(folder);
    std::ofstream(folder + "/a.toml") << "[sink]\nid = \"a\"\nkind = \"desktop\"\n";
    std::ofstream(folder + "/b.toml") << "[sink]\nid = \"b\"\nkind = \"command\"\n[command]\nargv = [\"/no/such\"]\n";
    std::ofstream(folder + "/c.toml") << "[sink]\nid = \"c\"\nkind = \"pigeon\"\n";
    std::ofstream(folder + "/d.toml") << "[sink]\nid = \"d\"\nkind = \"ntfy\"\n[ntfy]\nurl = \"http://x\"\n"
                                         "topic = \"t\"\ntoken = \"tk\"\n";
    std::filesystem::permissions(folder + "/d.toml", std::filesystem::perms(0644));
    world.variables["PATH"] = "/nope";
    EXPECT_EQ(world.run({"doctor"}), Exit::failure);
    EXPECT_NE(world.out.find("sink a shows desktop notifications, and notify-send is not installed"), std::string::npos)
        << world.out;
    EXPECT_NE(world.out.find("sink b starts /no/such, and there is no such program"), std::string::npos);
    EXPECT_NE(world.out.find("c.toml:3:8: sink.kind: must be desktop"), std::string::npos);
    EXPECT_NE(world.out.find("-> chmod 600 " + folder + "/d.toml"), std::string::npos);
}

}  // namespace
}  // namespace belfry::cli
