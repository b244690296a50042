#include <gtest/gtest.h>
#include <thread>

#include "client/client.hpp"
#include "client/scripted_server_test.hpp"
#include "codec/sse.hpp"

namespace belfry::client {
namespace {

using Script = ScriptedServer::Script;

const std::string head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\nretry: 1000\n\n";

std::string entries(model::Sequence first, model::Sequence last) {
    std::string frames;
    for (model::Sequence i = first; i <= last; ++i) codec::append_sse_entry(frames, i, R"({"type":"a.b"})");
    return frames;
}

// Remembers the targets that were asked for.
struct Log {
    std::vector<std::string> targets;

    Script then(std::string bytes) {
        return [this, bytes = std::move(bytes)](ServedConnection& connection) {
            const std::string request = connection.request();
            targets.push_back(request.substr(4, request.find(" HTTP") - 4));
            connection.send(bytes);
        };
    }
};

Options options_for(const ScriptedServer& server) {
    Options options;
    options.endpoint = server.endpoint();
    options.pauses = {base::milliseconds(1)};
    return options;
}

struct Followed {
    std::vector<model::Sequence> seen;
    std::vector<std::pair<model::Sequence, model::Sequence>> gaps;
    std::vector<std::string> lost;
    base::Result<void> result;
};

Followed follow(const ScriptedServer& server, Start start, model::Sequence until,
                const std::string& stream = "events") {
    Followed followed;
    Client client(options_for(server));
    FollowHandlers handlers;
    handlers.on_entry = [&](const Entry& entry) {
        followed.seen.push_back(entry.sequence);
        return entry.sequence < until;
    };
    handlers.on_gap = [&](model::Sequence from, model::Sequence to) { followed.gaps.emplace_back(from, to); };
    handlers.on_lost = [&](const base::Error& why, base::Duration) { followed.lost.push_back(why.message); };
    followed.result = client.follow(stream, {}, start, handlers);
    return followed;
}

std::vector<model::Sequence> range(model::Sequence first, model::Sequence last) {
    std::vector<model::Sequence> all;
    for (model::Sequence i = first; i <= last; ++i) all.push_back(i);
    return all;
}

TEST(Follow, goes_on_after_the_last_entry_without_loss_or_double) {
    Log log;
    const std::string torn = entries(6, 6).substr(0, 15);  // an entry that was cut by the end of the connection
    const ScriptedServer server({log.then(head + entries(1, 3)), log.then(head + entries(4, 5) + torn),
                                 log.then(""),                    // lost before an answer
                                 log.then(head + entries(4, 8)),  // a server that repeats itself
                                 log.then("HTTP/1.1 503 X\r\nContent-Length: 0\r\n\r\n"),
                                 log.then(head + entries(9, 10))});
    const Followed followed = follow(server, {Start::At::beginning, 0}, 10);
    EXPECT_TRUE(followed.result.ok());
    EXPECT_EQ(followed.seen, range(1, 10));
    const std::vector<std::string> wanted{"/v1/streams/events?from=start", "/v1/streams/events?after=3",
                                          "/v1/streams/events?after=5",    "/v1/streams/events?after=5",
                                          "/v1/streams/events?after=8",    "/v1/streams/events?after=8"};
    EXPECT_EQ(log.targets, wanted);
    EXPECT_EQ(followed.lost.size(), 5U);
}

std::string answer_of(const std::string& body) {
    return "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

TEST(Streams, are_read_page_by_page) {
    Log log;
    const ScriptedServer server(
        {log.then(answer_of(R"({"data":[{"name":"events","head":3,"floor":0}],"next":7,"has_more":true})")),
         log.then(answer_of(R"({"data":[{"name":"inbox:ada","head":2,"floor":1}],"next":null,"has_more":false})"))});
    Client client(options_for(server));
    const auto all = client.streams();
    ASSERT_TRUE(all.ok()) << all.error().message;
    ASSERT_EQ(all->size(), 2U);
    EXPECT_EQ(all->at(1).name, "inbox:ada");
    EXPECT_EQ(log.targets, (std::vector<std::string>{"/v1/streams?limit=1000", "/v1/streams?limit=1000&after=7"}));
}

TEST(Follow, live_is_a_position_from_the_first_moment_on) {
    Log log;
    const std::string list =
        answer_of(R"({"data":[{"name":"events","head":41,"floor":0}],"next":null,"has_more":false})");
    // The first stream is lost before anything came: what was appended meanwhile must not be missed.
    const ScriptedServer server({log.then(list), log.then(head), log.then(head + entries(42, 43))});
    const Followed followed = follow(server, {}, 43);
    EXPECT_EQ(followed.seen, range(42, 43));
    const std::vector<std::string> wanted{"/v1/streams?name=events", "/v1/streams/events?after=41",
                                          "/v1/streams/events?after=41"};
    EXPECT_EQ(log.targets, wanted);
}

TEST(Follow, tells_a_gap_and_goes_on_behind_it) {
    Log log;
    std::string gap;
    codec::append_sse_gap(gap, 1, 99);
    const ScriptedServer server({log.then(head + gap), log.then(head + entries(100, 101))});
    const Followed followed = follow(server, {Start::At::beginning, 0}, 101);
    ASSERT_EQ(followed.gaps.size(), 1U);
    EXPECT_EQ(followed.gaps[0], (std::pair<model::Sequence, model::Sequence>(1, 99)));
    EXPECT_EQ(log.targets.at(1), "/v1/streams/events?after=99");
    EXPECT_EQ(followed.seen, range(100, 101));
}

TEST(Follow, comes_back_when_the_server_says_goodbye_but_not_when_the_token_was_revoked) {
    Log log;
    std::string stopping;
    codec::append_sse_close(stopping, "stopping");
    std::string revoked;
    codec::append_sse_close(revoked, "revoked");
    const ScriptedServer server({log.then(head + entries(1, 1) + stopping), log.then(head + entries(2, 2) + revoked)});
    const Followed followed = follow(server, {Start::At::after, 0}, 100);
    EXPECT_EQ(followed.seen, range(1, 2));
    ASSERT_FALSE(followed.result.ok());
    EXPECT_EQ(followed.result.error().code, base::Code::unauthenticated);
    EXPECT_EQ(followed.lost, std::vector<std::string>{"the server closed the stream: stopping"});
}

TEST(Follow, a_refusal_ends_it) {
    Log log;
    const std::string body = R"({"code":"not_found","detail":"no such stream"})";
    const ScriptedServer server(
        {log.then("HTTP/1.1 404 X\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body)});
    const Followed followed = follow(server, {Start::At::beginning, 0}, 1, "no/where");
    EXPECT_EQ(followed.result.error().code, base::Code::not_found);
    EXPECT_EQ(log.targets.at(0), "/v1/streams/no%2Fwhere?from=start");
}

TEST(Follow, a_daemon_that_was_never_reached_is_reported_at_once) {
    Options options;
    {
        const ScriptedServer gone({});
        options = options_for(gone);
    }
    Client client(options);
    FollowHandlers handlers;
    handlers.on_entry = [](const Entry&) { return true; };
    handlers.on_lost = [](const base::Error&, base::Duration) { FAIL(); };
    const auto result = client.follow("events", {}, {Start::At::beginning, 0}, handlers);
    EXPECT_EQ(result.error().code, base::Code::unavailable);
}

TEST(Follow, another_thread_can_end_it) {
    Client* running = nullptr;
    const ScriptedServer server({[&](ServedConnection& connection) {
        connection.request();
        connection.send(head + entries(1, 1));
        connection.wait_for_hang_up();
    }});
    Client client(options_for(server));
    running = &client;
    std::thread other;
    FollowHandlers handlers;
    handlers.on_entry = [&](const Entry&) {
        other = std::thread([&] { running->interrupt(); });
        return true;
    };
    const auto result = client.follow("events", {}, {Start::At::beginning, 0}, handlers);
    other.join();
    EXPECT_TRUE(result.ok());
}

TEST(Follow, silence_beyond_the_heartbeat_is_a_lost_connection) {
    const ScriptedServer server({[](ServedConnection& connection) {
                                     connection.request();
                                     connection.send(head + entries(1, 1));
                                     connection.wait_for_hang_up();
                                 },
                                 [](ServedConnection& connection) {
                                     connection.request();
                                     connection.send(head + entries(2, 2));
                                     connection.wait_for_hang_up();
                                 }});
    Options options = options_for(server);
    options.silence_max = base::milliseconds(500);
    Client client(options);
    std::vector<model::Sequence> seen;
    FollowHandlers handlers;
    handlers.on_entry = [&](const Entry& entry) {
        seen.push_back(entry.sequence);
        return entry.sequence < 2;
    };
    EXPECT_TRUE(client.follow("events", {}, {Start::At::beginning, 0}, handlers).ok());
    EXPECT_EQ(seen, range(1, 2));
}

}  // namespace
}  // namespace belfry::client
