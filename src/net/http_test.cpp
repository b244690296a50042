#include <fstream>
#include <gtest/gtest.h>
#include <memory>
#include <thread>
#include <unistd.h>
#include <vector>

#include "base/limits.hpp"
#include "net/test_client.hpp"
#include "net/test_house.hpp"

namespace belfry::net::test {
namespace {

using base::limits::http_body_bytes_max;

TEST(Http, keeps_the_connection_for_the_next_request) {
    House house;
    Client client(house.server->port());
    EXPECT_EQ(client.ask(post_event()).status, 201);
    const Got second = client.ask(post_event());
    EXPECT_EQ(second.status, 201);
    EXPECT_EQ(second.body, R"({"id":"00000000-0000-0000-0000-000000000000","sequence":2})");
    EXPECT_EQ(house.metrics.http_connections_opened, 1U);
}

TEST(Http, answers_pipelined_requests_in_order) {
    House house;
    Client client(house.server->port());
    std::string all;
    for (int i = 0; i < 50; ++i) {
        all += i % 3 == 0 ? request("GET", "/healthz") : i % 3 == 1 ? post_event() : request("GET", "/nowhere");
    }
    client.send(all);
    int sequence = 0;
    for (int i = 0; i < 50; ++i) {
        const Got got = client.response();
        ASSERT_EQ(got.status, i % 3 == 0 ? 200 : i % 3 == 1 ? 201 : 404) << i;
        if (i % 3 == 1) {
            EXPECT_NE(got.body.find("\"sequence\":" + std::to_string(++sequence) + "}"), std::string::npos) << got.body;
        }
    }
}

TEST(Http, a_later_pipelined_request_waits_for_the_answer_of_an_earlier_one) {
    House house;
    Client client(house.server->port());
    house.on_network([&] { house.gateway.hold = true; });
    client.send(post_event() + request("GET", "/healthz"));
    while (house.gateway.submitted == 0) std::this_thread::yield();
    house.on_network([&] { house.gateway.deliver(); });
    EXPECT_EQ(client.response().status, 201);
    EXPECT_EQ(client.response().status, 200);
}

TEST(Http, reads_a_request_that_comes_byte_by_byte) {
    House house;
    Client client(house.server->port());
    for (const char& byte : post_event()) {
        client.send({&byte, 1});
        house.on_network([] {});
    }
    EXPECT_EQ(client.response().status, 201);
    EXPECT_EQ(client.ask(post_event()).status, 201);
}

TEST(Http, reads_a_chunked_body) {
    House house;
    Client client(house.server->port());
    const std::string head = request("POST", "/v1/events", "emitter", "Transfer-Encoding: chunked\r\n");
    EXPECT_EQ(client.ask(head + "8\r\n{\"type\":\r\n16\r\n\"a.b\",\"source\":\"test\"}\r\n0\r\n\r\n").status, 201);
    EXPECT_EQ(client.ask(post_event()).status, 201);
}

TEST(Http, takes_a_body_of_the_greatest_size_and_none_beyond) {
    House house;
    Client client(house.server->port());
    const std::string event = R"({"type":"a.b","source":"test"})";
    std::string body = event + std::string(http_body_bytes_max - event.size(), ' ');
    const std::string fields = "Content-Type: application/json\r\n";
    const Got fits = client.ask(request("POST", "/v1/events", "emitter", fields, body));
    EXPECT_TRUE(fits.status == 201 || fits.status == 413) << fits.body;  // one event may be smaller than a body
    EXPECT_EQ(client.ask(request("GET", "/healthz")).status, 200);
    client.send("POST /v1/events HTTP/1.1\r\nHost: localhost\r\nContent-Length: " +
                std::to_string(http_body_bytes_max + 1) + "\r\n\r\n");
    const Got got = client.response();
    EXPECT_EQ(got.status, 413);
    EXPECT_EQ(got.header("Connection"), "close");
    EXPECT_TRUE(client.is_closed());
}

std::string announce(const std::string& token, std::size_t bytes, const std::string& target = "/v1/events") {
    return request("POST", target, token, "Content-Length: " + std::to_string(bytes) + "\r\n");
}

std::size_t resident_bytes() {
    std::size_t total = 0;
    std::size_t resident = 0;
    std::ifstream("/proc/self/statm") >> total >> resident;
    return resident * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

TEST(Http, a_large_body_is_refused_by_its_header_where_its_sender_may_not_send_it) {
    House house;
    const auto status = [&](const std::string& head) {
        Client client(house.server->port());
        const Got got = client.ask(head);
        EXPECT_EQ(got.header("Connection"), "close");
        EXPECT_TRUE(client.is_closed());
        return got.status;
    };
    EXPECT_EQ(status(announce("", http_body_bytes_max)), 401);
    EXPECT_EQ(status(announce("nobody", http_body_bytes_max)), 401);
    EXPECT_EQ(status(announce("emitter", http_body_bytes_max, "/v1/tokens")), 403);
    EXPECT_EQ(status(announce("emitter", http_body_bytes_max, "/nowhere")), 404);
    EXPECT_EQ(status(announce("admin", http_body_bytes_max, "/v1/tickets")), 413);
    EXPECT_EQ(status(announce("", http_body_bytes_max, "/v1/links/redeem")), 413) << "anybody may ask for it";
    EXPECT_EQ(status(announce("admin", http_body_bytes_max, "/v1/links/redeem")), 413);
    EXPECT_EQ(status("POST /v1/events HTTP/1.1\r\nHost: evil\r\nContent-Length: 1000000\r\n\r\n"), 421);
    const std::string chunk = "10000\r\n" + std::string(0x10000, ' ') + "\r\n";
    EXPECT_EQ(status(request("POST", "/v1/events", "", "Transfer-Encoding: chunked\r\n") + chunk + "1"), 401);
}

TEST(Http, a_body_that_is_not_there_yet_is_waited_for_only_where_its_sender_may_send_it) {
    House house;
    const auto status = [&](const std::string& token, const std::string& target, const std::string& rest) {
        Client client(house.server->port());
        client.send(announce(token, 30, target) + "{");
        if (!rest.empty()) house.on_network([&] { client.send(rest); });
        return client.response().status;
    };
    const std::string rest = R"("type":"a.b","source":"test"})";
    EXPECT_EQ(status("", "/v1/events", ""), 401);
    EXPECT_EQ(status("nobody", "/v1/events", ""), 401);
    EXPECT_EQ(status("emitter", "/v1/tokens", ""), 403);
    EXPECT_EQ(status("emitter", "/v1/events", rest), 201);
    EXPECT_EQ(status("admin", "/v1/tickets", rest), 201);  // it has no body: a small one is passed over
}

TEST(Http, those_without_a_token_leave_memory_for_the_others) {
    ServerOptions options;
    options.unfinished_bytes_max = 1 << 20;
    House house(options);
    const std::string half(400 << 10, ' ');
    std::vector<std::unique_ptr<Client>> strangers;
    const std::string little(60 << 10, ' ');
    for (int i = 0; i < 30; ++i) {  // on an open route, which takes no more from each
        strangers.push_back(std::make_unique<Client>(house.server->port()));
        strangers.back()->send(announce("", little.size() + 2, "/v1/links/redeem") + little);
    }
    while (house.metrics.http_errors_server == 0) std::this_thread::yield();
    Client known(house.server->port());
    known.send(announce("emitter", half.size() + 2) + half);
    house.on_network([] {});
    known.send("{}");
    EXPECT_EQ(known.response().status, 201);
}

TEST(Http, who_sends_a_large_body_in_vain_can_read_why) {
    House house;
    for (int i = 0; i < 10; ++i) {
        Client client(house.server->port());
        client.send(request("POST", "/v1/events", "nobody", "", std::string(http_body_bytes_max, ' ')));
        ASSERT_EQ(client.response().status, 401);
    }
}

TEST(Http, a_body_that_is_only_announced_takes_no_memory) {
    House house;
    std::vector<std::unique_ptr<Client>> clients;
    const std::size_t before = resident_bytes();
    for (int i = 0; i < 50; ++i) {
        clients.push_back(std::make_unique<Client>(house.server->port()));
        clients.back()->send(announce("emitter", http_body_bytes_max) + "{");
        house.on_network([] {});
        clients.back()->send(" ");
    }
    EXPECT_EQ(Client(house.server->port()).ask(post_event()).status, 201);
    EXPECT_LT(resident_bytes(), before + (50U << 20));
}

TEST(Http, requests_that_are_not_whole_have_a_bound_together) {
    ServerOptions options;
    options.unfinished_bytes_max = 1 << 20;
    House house(options);
    const std::string half(400 << 10, ' ');
    {
        std::vector<std::unique_ptr<Client>> clients;
        int refused = 0;
        for (int i = 0; i < 4; ++i) {
            clients.push_back(std::make_unique<Client>(house.server->port()));
            clients.back()->send(announce("emitter", half.size() + 2) + half);
        }
        // Nobody goes on before somebody was refused: otherwise the first could be whole before the last was read.
        while (house.metrics.http_errors_server == 0) std::this_thread::yield();
        for (const auto& client : clients) {
            client->send("{}");
            const Got got = client->response();
            EXPECT_TRUE(got.status == 503 || got.status == 201) << got.status;
            if (got.status == 503) {
                ++refused;
                EXPECT_EQ(got.header("Retry-After"), "1");
                EXPECT_EQ(got.header("Connection"), "close");
            }
        }
        EXPECT_GT(refused, 0);
    }
    Client after(house.server->port());
    EXPECT_EQ(after.ask(request("POST", "/v1/events", "emitter", "", half + "{}")).status, 201);
    EXPECT_EQ(after.ask(post_event()).status, 201);
}

TEST(Http, refuses_a_header_that_is_too_large_and_a_target_that_is_too_long) {
    House house;
    Client large(house.server->port());
    large.send("GET / HTTP/1.1\r\nX: " + std::string(base::limits::http_header_bytes_max, 'x') + "\r\n\r\n");
    EXPECT_EQ(large.response().status, 431);
    Client lengthy(house.server->port());
    lengthy.send("GET /" + std::string(base::limits::http_target_bytes_max, 'x') + " HTTP/1.1\r\n\r\n");
    EXPECT_EQ(lengthy.response().status, 414);
}

TEST(Http, what_is_no_request_is_answered_and_closed) {
    House house;
    Client client(house.server->port());
    const Got got = client.ask("this is not HTTP\r\n\r\n");
    EXPECT_EQ(got.status, 400);
    EXPECT_EQ(got.header("Content-Type"), "application/problem+json");
    EXPECT_NE(got.body.find(R"("code":"malformed")"), std::string::npos);
    EXPECT_TRUE(client.is_closed());
}

TEST(Http, says_go_on_to_a_client_that_waits_with_its_body) {
    House house;
    Client client(house.server->port());
    const std::string body = R"({"type":"a.b","source":"test"})";
    client.send(request("POST", "/v1/events", "emitter",
                        "Expect: 100-continue\r\nContent-Length: " + std::to_string(body.size()) + "\r\n"));
    EXPECT_EQ(client.until("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
    client.send(body);
    EXPECT_EQ(client.response().status, 201);
}

TEST(Http, names_what_a_path_knows) {
    House house;
    Client client(house.server->port());
    EXPECT_EQ(client.ask(request("GET", "/nowhere", "admin")).status, 404);
    EXPECT_EQ(client.ask(request("GET", "/v1/streams/", "admin")).status, 404);
    const Got wrong = client.ask(request("PUT", "/v1/tokens", "admin"));
    EXPECT_EQ(wrong.status, 405);
    EXPECT_EQ(wrong.header("Allow"), "GET, HEAD, POST, OPTIONS");
    EXPECT_NE(wrong.body.find(R"("code":"unsupported")"), std::string::npos);
    const Got options = client.ask(request("OPTIONS", "/v1/events"));
    EXPECT_EQ(options.status, 204);
    EXPECT_EQ(options.header("Allow"), "POST, OPTIONS");
    EXPECT_EQ(client.ask(request("BREW", "/v1/events", "admin")).status, 405);
}

TEST(Http, answers_head_as_get_without_the_body) {
    House house;
    Client client(house.server->port());
    client.send(request("HEAD", "/healthz") + request("GET", "/healthz"));
    const Got head = client.response(false);
    const Got get = client.response();
    EXPECT_EQ(head.status, 200);
    EXPECT_EQ(head.header("Content-Length"), get.header("Content-Length"));
    EXPECT_EQ(get.body, R"({"status":"ok"})");
}

TEST(Http, closes_when_the_client_asks_for_it) {
    House house;
    Client client(house.server->port());
    const Got got = client.ask(request("GET", "/healthz", "", "Connection: close\r\n"));
    EXPECT_EQ(got.header("Connection"), "close");
    EXPECT_TRUE(client.is_closed());
}

TEST(Http, answers_a_client_that_has_closed_its_sending_side) {
    House house;
    Client client(house.server->port());
    client.send(post_event());
    client.half_close();
    EXPECT_EQ(client.response().status, 201);
    EXPECT_TRUE(client.is_closed());
}

TEST(Http, a_client_that_leaves_before_its_answer_harms_nobody) {
    House house;
    house.on_network([&] { house.gateway.hold = true; });
    {
        Client client(house.server->port());
        client.send(post_event());
        while (house.gateway.submitted == 0) std::this_thread::yield();
        const linger hard{1, 0};
        ::setsockopt(client.descriptor(), SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
    }
    Client other(house.server->port());
    EXPECT_EQ(other.ask(request("GET", "/healthz")).status, 200);
    house.on_network([&] { house.gateway.deliver(); });
    EXPECT_EQ(other.ask(request("GET", "/healthz")).status, 200);
    EXPECT_EQ(house.streams.head(), 1U);
}

TEST(Http, a_large_answer_to_a_slow_reader_arrives_whole) {
    House house;
    house.on_network([&] {
        for (int i = 0; i < 1000; ++i) house.streams.add("{\"text\":\"" + std::string(4000, 'x') + "\"}");
    });
    Client client(house.server->port(), 4096);
    client.send(request("GET", "/v1/streams/events?limit=1000", "user") + request("GET", "/healthz"));
    const Got got = client.response();
    EXPECT_EQ(got.status, 200);
    EXPECT_GT(got.body.size(), 4'000'000U);
    EXPECT_TRUE(got.body.ends_with("}"));
    EXPECT_EQ(client.response().status, 200);
}

TEST(Http, who_takes_no_answers_is_ended_where_they_take_too_much_memory) {
    ServerOptions options;
    options.untaken_bytes_max = 16 << 20;
    House house(options);
    house.on_network([&] {
        for (int i = 0; i < 1000; ++i) house.streams.add("{\"text\":\"" + std::string(4000, 'x') + "\"}");
    });
    const std::string page = request("GET", "/v1/streams/events?limit=1000", "user");
    std::vector<std::unique_ptr<Client>> stalled;
    for (int i = 0; i < 20; ++i) {
        stalled.push_back(std::make_unique<Client>(house.server->port(), 4096));
        stalled.back()->send(page);
    }
    while (house.metrics.http_requests < 20) std::this_thread::yield();
    house.pass(base::seconds(1));  // whoever comes now has waited less than they
    Client reader(house.server->port());
    const Got got = reader.ask(page);
    EXPECT_EQ(got.status, 200);
    EXPECT_GT(got.body.size(), 4'000'000U);
    while (house.metrics.connections > 15) std::this_thread::yield();
    EXPECT_EQ(reader.ask(request("GET", "/healthz")).status, 200);
}

}  // namespace
}  // namespace belfry::net::test
