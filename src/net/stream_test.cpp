#include <gtest/gtest.h>

#include "base/limits.hpp"
#include "net/test_client.hpp"
#include "net/test_house.hpp"

namespace belfry::net::test {
namespace {

const std::string sse = "Accept: text/event-stream\r\n";

// A follower whose head was read.
class Follower : public Client {
public:
    Follower(House& house, const std::string& query = "", const std::string& fields = "", int receive_buffer = 0)
        : Client(house.server->port(), receive_buffer) {
        send(request("GET", "/v1/streams/events" + query, "user", sse + fields));
        head = response(false);
        if (head.status == 200) {
            EXPECT_EQ(until("\n\n"), "retry: 1000\n\n");
        }
    }
    std::string frame() { return until("\n\n"); }
    Got head;
};

std::string frame(int sequence, const std::string& body) {
    const std::string number = std::to_string(sequence);
    return "id: " + number + "\ndata: {\"sequence\":" + number + ",\"event\":" + body + "}\n\n";
}

void wait_for_readers(House& house, std::int64_t count) {
    while (house.metrics.stream_readers != count) std::this_thread::yield();
}

TEST(Stream, begins_live_and_gets_what_comes) {
    House house;
    house.publish("{\"old\":1}");
    Follower follower(house);
    EXPECT_EQ(follower.head.header("Content-Type"), "text/event-stream; charset=utf-8");
    EXPECT_EQ(follower.head.header("Connection"), "close");
    EXPECT_EQ(follower.head.header("Cache-Control"), "no-store");
    EXPECT_EQ(follower.head.header("X-Accel-Buffering"), "no");
    EXPECT_EQ(follower.head.header("Content-Length"), "");
    house.publish("{\"x\":1}");
    house.publish("");
    EXPECT_EQ(follower.frame(), frame(2, "{\"x\":1}"));
    EXPECT_EQ(follower.frame(), "id: 3\ndata: {\"sequence\":3,\"erased\":true}\n\n");
}

TEST(Stream, begins_where_it_is_told) {
    House house;
    for (int i = 1; i <= 3; ++i) house.publish("{}");
    EXPECT_EQ(Follower(house, "?from=start").frame(), frame(1, "{}"));
    EXPECT_EQ(Follower(house, "?after=1").frame(), frame(2, "{}"));
    EXPECT_EQ(Follower(house, "", "Last-Event-ID: 2\r\n").frame(), frame(3, "{}"));
    EXPECT_EQ(Follower(house, "?after=1", "Last-Event-ID: 2\r\n").frame(), frame(3, "{}"));
    Follower live(house, "?from=live");
    house.publish("{}");
    EXPECT_EQ(live.frame(), frame(4, "{}"));
}

TEST(Stream, a_place_that_is_none_is_refused) {
    House house;
    EXPECT_EQ(Follower(house, "", "Last-Event-ID: x1\r\n").head.status, 400);
    EXPECT_EQ(Follower(house, "?after=-1").head.status, 400);
    EXPECT_EQ(Follower(house, "?after=99999999999999999999").head.status, 400);
    EXPECT_EQ(Follower(house, "?after=1").head.status, 422);
    EXPECT_EQ(Follower(house, "?from=there").head.status, 422);
    EXPECT_EQ(Follower(house, "?severity=loud").head.status, 422);
    EXPECT_EQ(Follower(house, "?type=%").head.status, 400);
    Client client(house.server->port());
    EXPECT_EQ(client.ask(request("GET", "/v1/streams/nothing", "user", sse)).status, 404);
}

TEST(Stream, a_filter_picks_entries) {
    House house;
    Follower follower(house, "?type=c.d");
    house.publish("{}", "a.b");
    house.publish("{}", "c.d");
    EXPECT_EQ(follower.frame(), frame(2, "{}"));
}

TEST(Stream, what_is_gone_is_told_as_a_gap) {
    House house;
    for (int i = 1; i <= 5; ++i) house.publish("{}");
    house.on_network([&] { house.streams.floor = 3; });
    Follower follower(house, "?after=1");
    EXPECT_EQ(follower.frame(), "event: gap\ndata: {\"from\":2,\"to\":3}\n\n");
    EXPECT_EQ(follower.frame(), frame(4, "{}"));
}

TEST(Stream, what_is_not_in_memory_is_fetched) {
    House house;
    for (int i = 1; i <= 5; ++i) house.publish("{}");
    house.on_network([&] { house.streams.in_store = 3; });
    Follower follower(house, "?from=start");
    for (int i = 1; i <= 5; ++i) EXPECT_EQ(follower.frame(), frame(i, "{}"));
    house.on_network([&] { EXPECT_EQ(house.streams.fetches, 1); });
}

TEST(Stream, a_store_that_fails_closes_with_the_reason) {
    House house;
    house.publish("{}");
    house.on_network([&] {
        house.streams.in_store = 1;
        house.streams.fetch_fails = true;
    });
    Follower follower(house, "?from=start");
    EXPECT_EQ(follower.frame(), "event: close\ndata: {\"reason\":\"store\"}\n\n");
    EXPECT_TRUE(follower.is_closed());
}

TEST(Stream, many_readers_get_everything_once_and_in_order) {
    House house;
    std::vector<std::unique_ptr<Follower>> followers;
    for (int i = 0; i < 200; ++i) followers.push_back(std::make_unique<Follower>(house));
    for (int i = 1; i <= 20; ++i) house.publish("{\"n\":" + std::to_string(i) + "}");
    for (auto& follower : followers) {
        for (int i = 1; i <= 20; ++i) ASSERT_EQ(follower->frame(), frame(i, "{\"n\":" + std::to_string(i) + "}"));
    }
    EXPECT_EQ(house.metrics.stream_entries_sent, 4000U);
}

TEST(Stream, a_reader_that_leaves_is_forgotten_at_once) {
    House house;
    {
        Follower follower(house);
        wait_for_readers(house, 1);
    }
    wait_for_readers(house, 0);
    house.publish("{}");
    EXPECT_EQ(house.metrics.connections, 0);
}

TEST(Stream, readers_that_leave_in_the_middle_of_a_round_cost_the_others_nothing) {
    House house;
    std::vector<std::unique_ptr<Follower>> followers;
    for (int i = 0; i < 150; ++i) followers.push_back(std::make_unique<Follower>(house));
    for (int round = 1; round <= 10; ++round) {
        house.on_network([&] {
            house.streams.add("{\"n\":" + std::to_string(round) + "}");
            house.streams.tell();
            followers.erase(followers.begin(), followers.begin() + 5);  // seen after the first slice of the round
        });
    }
    for (auto& follower : followers) {
        for (int i = 1; i <= 10; ++i) ASSERT_EQ(follower->frame(), frame(i, "{\"n\":" + std::to_string(i) + "}"));
    }
}

TEST(Stream, an_idle_reader_hears_a_heartbeat) {
    House house;
    Follower follower(house);
    house.pass(base::limits::stream_heartbeat);
    EXPECT_EQ(follower.frame(), ": ping\n\n");
    house.pass(base::seconds(1));
    house.publish("{}");
    EXPECT_EQ(follower.frame(), frame(1, "{}"));
}

TEST(Stream, a_slow_reader_goes_on_where_it_was_when_it_reads_again) {
    House house;
    Follower follower(house, "", "", 4096);
    const std::string body = "{\"text\":\"" + std::string(8000, 'x') + "\"}";
    for (int i = 0; i < 2000; ++i) house.publish(body);
    for (int i = 1; i <= 2000; ++i) ASSERT_EQ(follower.frame(), frame(i, body));
}

TEST(Stream, a_reader_that_takes_nothing_is_closed_as_slow) {
    House house;
    Follower follower(house, "", "", 4096);
    const std::string body = "{\"text\":\"" + std::string(8000, 'x') + "\"}";
    for (int i = 0; i < 2000; ++i) house.publish(body);
    house.pass(base::limits::stream_stalled_max - base::seconds(1));
    EXPECT_EQ(house.metrics.stream_readers, 1);
    house.pass(base::seconds(2));
    EXPECT_EQ(house.metrics.stream_readers, 0);
    EXPECT_EQ(house.metrics.stream_readers_closed_slow, 1U);
}

TEST(Stream, a_reader_that_was_closed_as_slow_is_told_so_however_late_it_comes_to_the_word) {
    House house;
    Follower follower(house, "", "", 4096);
    const std::string body = "{\"text\":\"" + std::string(8000, 'x') + "\"}";
    for (int i = 0; i < 2000; ++i) house.publish(body);
    house.pass(base::limits::stream_stalled_max + base::seconds(1));
    house.pass(base::limits::stream_farewell_max - base::seconds(60));
    std::string last;
    for (int i = 1; (last = follower.frame()) == frame(i, body);) ++i;
    EXPECT_EQ(last, "event: close\ndata: {\"reason\":\"slow_reader\"}\n\n");
    EXPECT_TRUE(follower.is_closed());
}

TEST(Stream, a_reader_whose_token_is_revoked_is_closed) {
    House house;
    Follower follower(house);
    house.on_network([&] {
        house.access.principals.erase("user");
        ++house.access.generation_count;
    });
    house.pass(base::seconds(1));
    EXPECT_EQ(follower.frame(), "event: close\ndata: {\"reason\":\"revoked\"}\n\n");
    EXPECT_TRUE(follower.is_closed());
}

TEST(Stream, pages_follow_each_other) {
    House house;
    for (int i = 1; i <= 5; ++i) house.publish("{}");
    house.publish("");
    Client client(house.server->port());
    const auto page = [&](const std::string& query) {
        return client.ask(request("GET", "/v1/streams/events" + query, "user")).body;
    };
    EXPECT_EQ(page("?limit=2"),
              R"({"data":[{"sequence":1,"event":{}},{"sequence":2,"event":{}}],"next":2,"has_more":true})");
    EXPECT_EQ(page("?after=4"),
              R"({"data":[{"sequence":5,"event":{}},{"sequence":6,"erased":true}],"next":6,"has_more":false})");
    EXPECT_EQ(page("?after=6"), R"({"data":[],"next":6,"has_more":false})");
    EXPECT_EQ(page("?after=4&limit=2"),
              R"({"data":[{"sequence":5,"event":{}},{"sequence":6,"erased":true}],"next":6,"has_more":false})");
    for (const char* limit : {"0", "1001", "x", "-1", ""}) {
        EXPECT_NE(page(std::string("?limit=") + limit).find(R"("field":"limit")"), std::string::npos) << limit;
    }
}

TEST(Stream, a_parameter_that_is_unknown_is_named) {
    House house;
    Client client(house.server->port());
    const auto ask = [&](const std::string& query) {
        return client.ask(request("GET", "/v1/streams/events?" + query, "user"));
    };
    const Got got = ask("limt=3");
    EXPECT_EQ(got.status, 422);
    EXPECT_NE(got.body.find(R"("field":"limt")"), std::string::npos) << got.body;
    EXPECT_NE(ask("%ff=3").body.find(R"("field":"query")"), std::string::npos);
    EXPECT_EQ(ask("after=0&from=start&limit=1&type=a.b&severity=info&user=u&session=s&ticket=").status, 200);
}

TEST(Stream, a_page_fetches_what_is_not_in_memory) {
    House house;
    for (int i = 1; i <= 3; ++i) house.publish("{}");
    house.on_network([&] { house.streams.in_store = 2; });
    Client client(house.server->port());
    const Got got = client.ask(request("GET", "/v1/streams/events", "user"));
    EXPECT_NE(got.body.find(R"("next":3)"), std::string::npos) << got.body;
    house.on_network([&] { house.streams.fetch_fails = true; });
    EXPECT_EQ(client.ask(request("GET", "/v1/streams/events", "user")).status, 500);
}

TEST(Stream, the_list_names_them) {
    House house;
    Client client(house.server->port());
    const auto list = [&](const std::string& query) {
        return client.ask(request("GET", "/v1/streams" + query, "user")).body;
    };
    EXPECT_EQ(list("?name=events"), R"({"data":[{"name":"events","head":0,"floor":0}],"next":null,"has_more":false})");
    EXPECT_EQ(list("?limit=1"), R"({"data":[{"name":"events","head":0,"floor":0}],"next":1,"has_more":true})");
    EXPECT_EQ(list("?limit=2&after=1"),
              R"({"data":[{"name":"inbox:ada","head":0,"floor":0},{"name":"agent:ada","head":0,"floor":0}],)"
              R"("next":null,"has_more":false})");
    EXPECT_NE(list("").find("agent:ada"), std::string::npos);
    EXPECT_NE(list("?limit=1001").find("must be a number from 1 to 1000"), std::string::npos);
    EXPECT_NE(list("?after=x").find(R"("field":"after")"), std::string::npos);
    EXPECT_NE(list("?nam=x").find("there is no such parameter"), std::string::npos);
}

}  // namespace
}  // namespace belfry::net::test
