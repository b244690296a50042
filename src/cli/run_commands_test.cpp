#include <fstream>
#include <gtest/gtest.h>

#include "cli/scripted_daemon_test.hpp"
#include "cli/world_test.hpp"
#include "codec/json.hpp"

namespace belfry::cli {
namespace {

const std::string run_seven =
    R"({"id":7,"root_id":7,"state":"running","paused":false,"agent_id":"coder","session_id":"chat-7","title":"Ti\u001bdy",)"
    R"("created_at":"2026-11-14T12:00:00Z","events":3})";
const std::string emitted = R"({"accepted":2,"first":4,"last":5,"state":"running","paused":false})";

std::string line_of(const std::string& request) {
    return request.substr(0, request.find(" HTTP/1.1"));
}

class RunCommands : public testing::Test {
protected:
    Exit run(const Daemon& daemon, std::vector<std::string> typed) { return run(daemon.url(), std::move(typed)); }
    Exit run(const std::string& url, std::vector<std::string> typed) {
        typed.insert(typed.begin(), "run");
        typed.insert(typed.end(), {"--url", url, "--token", "t"});
        return world.run(typed);
    }

    World world;
};

TEST_F(RunCommands, create_prints_the_new_number) {
    Daemon daemon({{201, run_seven}});
    EXPECT_EQ(run(daemon, {"create", "--title", "T", "--user", "ada", "--parent", "3", "--tree", "--no-start"}),
              Exit::ok)
        << world.err;
    EXPECT_EQ(world.out, "7\n");
    EXPECT_EQ(world.err, "run 7: running, 3 events\n");
    EXPECT_EQ(line_of(daemon.requests.at(0)), "POST /v1/runs");
    EXPECT_EQ(body_of(daemon.requests[0]), R"({"user_id":"ada","parent_id":3,"title":"T","tree":true,"start":false})");
}

TEST_F(RunCommands, one_that_waits_for_a_place_says_so) {
    Daemon daemon({{201, R"({"id":8,"root_id":8,"state":"pending","queue_position":2,"events":1})"}});
    EXPECT_EQ(run(daemon, {"create"}), Exit::ok);
    EXPECT_EQ(world.err, "run 8: queued, 2, 1 events\n");
}

TEST_F(RunCommands, they_are_listed_and_nothing_in_them_reaches_the_terminal_raw) {
    Daemon daemon({{200, R"({"data":[)" + run_seven + R"(],"next":null,"has_more":false})"}});
    EXPECT_EQ(run(daemon, {"list", "--state", "running", "--session", "chat-7", "-n", "5"}), Exit::ok) << world.err;
    EXPECT_EQ(line_of(daemon.requests.at(0)), "GET /v1/runs?session=chat-7&state=running&limit=5");
    EXPECT_NE(world.out.find("chat-7"), std::string::npos);
    EXPECT_EQ(world.out.find('\x1b'), std::string::npos);
    Daemon json({{200, R"({"data":[)" + run_seven + R"(],"next":null,"has_more":false})"}});
    EXPECT_EQ(run(json, {"--json"}), Exit::ok);
    EXPECT_TRUE(codec::validate(world.out).ok());
}

TEST_F(RunCommands, what_changes_a_run_asks_for_it_and_shows_it) {
    const std::vector<std::pair<std::vector<std::string>, std::string>> ways{
        {{"start", "7"}, "POST /v1/runs/7/start {}"},
        {{"pause", "7"}, "POST /v1/runs/7/pause {}"},
        {{"resume", "7"}, "POST /v1/runs/7/resume {}"},
        {{"cancel", "7", "--reason", "no"}, R"(POST /v1/runs/7/cancel {"reason":"no"})"},
        {{"finish", "7", "--result", "[1]"}, R"(POST /v1/runs/7/finish {"state":"completed","result":[1]})"},
        {{"finish", "7", "--error", "no", "--type", "timeout"},
         R"(POST /v1/runs/7/finish {"state":"failed","error":{"type":"timeout","message":"no"}})"}};
    for (const auto& [typed, asked] : ways) {
        Daemon daemon({{200, run_seven}});
        EXPECT_EQ(run(daemon, typed), Exit::ok) << world.err;
        EXPECT_EQ(line_of(daemon.requests.at(0)) + " " + body_of(daemon.requests[0]), asked);
        EXPECT_EQ(world.out, "7\n");
    }
    Daemon shown({{200, run_seven}});
    EXPECT_EQ(run(shown, {"show", "7"}), Exit::ok);
    EXPECT_EQ(world.out, run_seven + "\n");
}

TEST_F(RunCommands, a_refusal_is_told) {
    Daemon daemon({{409, R"({"code":"conflict","detail":"the run has ended","reason":"ended"})"}});
    EXPECT_EQ(run(daemon, {"cancel", "7"}), Exit::failure);
    EXPECT_NE(world.err.find("the run has ended"), std::string::npos);
}

TEST_F(RunCommands, wrong_usage_asks_nobody) {
    for (const std::vector<std::string>& typed :
         std::vector<std::vector<std::string>>{{"frobnicate"},
                                               {"show"},
                                               {"show", "seven"},
                                               {"show", "0"},
                                               {"show", "7", "8"},
                                               {"list", "7"},
                                               {"list", "--limit", "0"},
                                               {"create", "--parent", "x"},
                                               {"finish", "7", "--result", "{"},
                                               {"finish", "7", "--result", "1", "--error", "x"},
                                               {"emit", "7"},
                                               {"emit", "7", "a.b", "{"},
                                               {"tail", "7", "--from", "-1"}}) {
        EXPECT_EQ(run("http://127.0.0.1:1", typed), Exit::usage) << typed.front() << ": " << world.err;
        EXPECT_EQ(world.out, "");
    }
}

TEST_F(RunCommands, emit_adds_one_event_or_a_file_of_them) {
    Daemon daemon({{201, emitted}});
    EXPECT_EQ(run(daemon, {"emit", "7", "llm.stream", R"({"delta":"x"})"}), Exit::ok) << world.err;
    EXPECT_EQ(body_of(daemon.requests.at(0)), "{\"event\":\"llm.stream\",\"data\":{\"delta\":\"x\"}}\n");
    EXPECT_EQ(world.err, "event 5 of run 7\n");
    const std::string file = world.folder.file("events");
    std::ofstream(file) << "{\"event\":\"a.b\"}\n\n{\"event\":\"a.c\"}\n";
    Daemon batch({{201, emitted}});
    EXPECT_EQ(run(batch, {"emit", "7", "--file", file}), Exit::ok);
    EXPECT_EQ(body_of(batch.requests.at(0)), "{\"event\":\"a.b\"}\n{\"event\":\"a.c\"}\n");
    EXPECT_EQ(world.err, "2 taken\n");
    Daemon refusing({{409, R"({"code":"conflict","detail":"the run has ended"})"}});
    EXPECT_EQ(run(refusing, {"emit", "7", "--file", file}), Exit::failure);
    EXPECT_NE(world.err.find("0 events are durable"), std::string::npos);
}

TEST_F(RunCommands, tail_shows_events_until_the_run_ends_and_escapes_what_they_say) {
    const std::string head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n";
    std::string asked;
    const ScriptedServer server({[&](ServedConnection& connection) {
        asked = connection.request();
        connection.send(
            head +
            "event: gap\ndata: {\"from\":1,\"to\":3}\n\n"
            "id: 4\nevent: evil\x1b[2Jname\ndata: {\"timestamp\":\"12\\u001b:00\",\"source\":{\"agent_name\":\"W\"},"
            "\"data\":{\"x\":1}}\n\nevent: close\ndata: {\"reason\":\"ended\"}\n\n");
    }});
    EXPECT_EQ(run(server.endpoint().text(), {"tail", "7", "--from", "2", "--tree", "--agent", "a"}), Exit::ok)
        << world.err;
    EXPECT_EQ(line_of(asked), "GET /v1/runs/7/events?after=2&tree=true&agent=a");
    EXPECT_EQ(world.out.find('\x1b'), std::string::npos) << world.out;
    EXPECT_NE(world.out.find(R"( W {"x":1})"), std::string::npos) << world.out;
    EXPECT_EQ(world.err, "(entries 1 to 3 are gone)\n");
}

}  // namespace
}  // namespace belfry::cli
