#include <gtest/gtest.h>

#include "client/client.hpp"
#include "client/scripted_server_test.hpp"
#include "codec/json.hpp"

namespace belfry::client {
namespace {

using Script = ScriptedServer::Script;

const std::string head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n";

std::string live_at(int position) {
    return R"({"data":[],"next":)" + std::to_string(position) + R"(,"has_more":false})";
}

std::string run_json(int events) {
    return R"({"id":7,"root_id":7,"state":"running","paused":false,"created_at":"2026-11-14T12:00:00Z","events":)" +
           std::to_string(events) + "}";
}

std::string event(int position, const std::string& name = "llm.stream") {
    return "id: " + std::to_string(position) + "\nevent: " + name + "\ndata: {\"run_id\":7}\n\n";
}

std::string close_for(const std::string& reason) {
    return "event: close\ndata: {\"reason\":\"" + reason + "\"}\n\n";
}

class Runs : public testing::Test {
protected:
    // Remembers what was asked for.
    Script then(std::string bytes) {
        return [this, bytes = std::move(bytes)](ServedConnection& connection) {
            asked.push_back(connection.request());
            connection.send(bytes);
        };
    }
    Script answering(int status, std::string body, std::string headers = {}) {
        return then("HTTP/1.1 " + std::to_string(status) + " X\r\nConnection: close\r\n" + headers +
                    "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
    }

    static Options options_for(const ScriptedServer& server) {
        Options options;
        options.endpoint = server.endpoint();
        options.pauses = {base::milliseconds(1)};
        return options;
    }

    base::Result<void> follow(const ScriptedServer& server, const RunFollow& wish = {}) {
        Client client(options_for(server));
        RunHandlers handlers;
        handlers.on_event = [&](const RunEventState& one) {
            seen.push_back(static_cast<int>(one.position));
            return true;
        };
        handlers.on_gap = [&](model::Sequence from, model::Sequence to) { gaps.emplace_back(from, to); };
        handlers.on_lost = [&](const base::Error&, base::Duration pause) { pauses.push_back(pause); };
        return client.follow_run(7, wish, handlers);
    }

    std::string target(std::size_t number) const { return asked.at(number).substr(0, asked.at(number).find(" HTTP")); }
    std::string body(std::size_t number) const {
        return asked.at(number).substr(asked.at(number).find("\r\n\r\n") + 4);
    }

    std::vector<std::string> asked;
    std::vector<int> seen;
    std::vector<std::pair<model::Sequence, model::Sequence>> gaps;
    std::vector<base::Duration> pauses;
};

TEST_F(Runs, events_come_once_and_in_order_over_several_connections) {
    const ScriptedServer server(
        {then(head + event(1) + event(2)), then(head + event(2) + event(3)),  // a server that repeats itself
         then(head + "event: store\ndata: {\"state\":\"down\"}\n\nevent: gap\ndata: {\"from\":4,\"to\":5}\n\n" +
              "event: gap\ndata: {\"from\":1,\"to\":2}\n\n"),
         then(head + event(6) + close_for("ended"))});
    EXPECT_TRUE(follow(server).ok());
    EXPECT_EQ(seen, (std::vector<int>{1, 2, 3, 6}));
    EXPECT_EQ(gaps, (std::vector<std::pair<model::Sequence, model::Sequence>>{{4, 5}}));
    EXPECT_EQ(target(0), "GET /v1/runs/7/events");
    EXPECT_EQ(target(1), "GET /v1/runs/7/events?after=2");
    EXPECT_EQ(target(3), "GET /v1/runs/7/events?after=5");
    EXPECT_EQ(pauses.size(), 3U);
}

TEST_F(Runs, live_is_a_position_from_the_first_moment_on) {
    // The first stream is lost before anything came: what was emitted meanwhile must not be missed.
    const ScriptedServer server(
        {answering(200, live_at(2)), then(head), then(head + event(3) + event(4) + close_for("ended"))});
    RunFollow wish;
    wish.live = true;
    EXPECT_TRUE(follow(server, wish).ok());
    EXPECT_EQ(seen, (std::vector<int>{3, 4}));
    EXPECT_EQ(target(0), "GET /v1/runs/7/events?from=live&limit=1");
    EXPECT_EQ(target(1), "GET /v1/runs/7/events?after=2");
    EXPECT_EQ(target(2), "GET /v1/runs/7/events?after=2");
}

TEST_F(Runs, so_it_is_of_a_tree) {
    const ScriptedServer server(
        {answering(200, live_at(8)), then(head), then(head + event(9) + event(10) + close_for("ended"))});
    RunFollow wish;
    wish.live = wish.tree = true;
    wish.agent_id = "a 1";
    EXPECT_TRUE(follow(server, wish).ok());
    EXPECT_EQ(seen, (std::vector<int>{9, 10}));
    EXPECT_EQ(target(0), "GET /v1/runs/7/events?from=live&limit=1&tree=true");
    EXPECT_EQ(target(1), "GET /v1/runs/7/events?after=8&tree=true&agent=a%201");
    EXPECT_EQ(target(2), "GET /v1/runs/7/events?after=8&tree=true&agent=a%201");
}

TEST_F(Runs, a_server_that_wants_to_be_left_alone_is) {
    const ScriptedServer server({answering(503, R"({"code":"unavailable","detail":"starting"})", "Retry-After: 1\r\n"),
                                 then(head + close_for("ended"))});
    EXPECT_TRUE(follow(server).ok());
    EXPECT_EQ(pauses, std::vector<base::Duration>{base::seconds(1)});
}

TEST_F(Runs, what_another_attempt_would_not_mend_ends_it) {
    for (const auto& [reason, code] :
         {std::pair("expired", base::Code::gone), {"revoked", base::Code::unauthenticated}}) {
        const ScriptedServer server({then(head + event(1) + close_for(reason))});
        EXPECT_EQ(follow(server).error().code, code);
    }
    const ScriptedServer server({answering(404, R"({"code":"not_found","detail":"no such run"})")});
    EXPECT_EQ(follow(server).error(), base::error(base::Code::not_found, "no such run"));
}

TEST_F(Runs, a_run_with_a_key_is_made_until_it_is_known) {
    const ScriptedServer server({answering(200, run_json(0)), then(""), answering(200, run_json(0))});
    Client client(options_for(server));
    RunRequest wish;
    wish.title = "T";
    wish.tree = true;
    ASSERT_TRUE(client.create_run(wish).ok());
    EXPECT_EQ(target(0), "POST /v1/runs");
    EXPECT_EQ(body(0), R"({"title":"T","tree":true})");
    wish.run_key = "k";
    ASSERT_TRUE(client.create_run(wish).ok());
    EXPECT_EQ(asked.size(), 3U);
}

TEST_F(Runs, without_a_key_it_is_tried_once) {
    const ScriptedServer server({answering(200, run_json(0)), then(""), answering(200, run_json(0))});
    Client client(options_for(server));
    ASSERT_TRUE(client.create_run({}).ok());
    EXPECT_EQ(client.create_run({}).error().code, base::Code::outcome_unknown);
}

TEST_F(Runs, they_are_listed_over_pages) {
    const ScriptedServer server({answering(200, R"({"data":[)" + run_json(1) + R"(],"next":5,"has_more":true})"),
                                 answering(200, R"({"data":[)" + run_json(2) + R"(],"next":null,"has_more":false})")});
    Client client(options_for(server));
    RunQuestion question;
    question.state = "running";
    const auto found = client.runs(question);
    ASSERT_TRUE(found.ok()) << found.error().message;
    EXPECT_EQ(found->runs.size(), 2U);
    EXPECT_FALSE(found->more);
    EXPECT_EQ(target(0), "GET /v1/runs?state=running&limit=50");
    EXPECT_EQ(target(1), "GET /v1/runs?state=running&after=5&limit=49");
}

TEST_F(Runs, what_ends_them_says_why) {
    std::vector<Script> scripts(5, answering(200, run_json(3)));
    const ScriptedServer server(scripts);
    Client client(options_for(server));
    EXPECT_TRUE(client.cancel_run(7, "wrong \"branch\"").ok());
    EXPECT_TRUE(client.finish_run(7, *codec::validate(R"({"a":1})")).ok());
    EXPECT_TRUE(client.fail_run(7, {"timeout", "no answer"}).ok());
    EXPECT_TRUE(client.pause_run(7, true).ok());
    EXPECT_TRUE(client.pause_run(7, false).ok());
    EXPECT_EQ(target(0) + " " + body(0), R"(POST /v1/runs/7/cancel {"reason":"wrong \"branch\""})");
    EXPECT_EQ(target(1) + " " + body(1), R"(POST /v1/runs/7/finish {"state":"completed","result":{"a":1}})");
    EXPECT_EQ(target(2) + " " + body(2),
              R"(POST /v1/runs/7/finish {"state":"failed","error":{"type":"timeout","message":"no answer"}})");
    EXPECT_EQ(target(3), "POST /v1/runs/7/pause");
    EXPECT_EQ(target(4), "POST /v1/runs/7/resume");
}

TEST_F(Runs, events_are_sent_as_lines) {
    const ScriptedServer server({answering(200, R"({"accepted":2,"first":4,"last":5,"state":"running"})")});
    Client client(options_for(server));
    const auto emitted = client.emit_to_run(7, "{\"event\":\"a.b\"}\n{\"event\":\"a.c\"}\n");
    ASSERT_TRUE(emitted.ok()) << emitted.error().message;
    EXPECT_EQ(emitted->last, 5U);
    EXPECT_NE(asked.at(0).find("Content-Type: application/x-ndjson\r\n"), std::string::npos);
}

}  // namespace
}  // namespace belfry::client
