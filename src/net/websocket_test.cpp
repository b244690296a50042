#include <gtest/gtest.h>

#include "base/limits.hpp"
#include "net/test_socket.hpp"

namespace belfry::net::test {
namespace {

TEST(WebSocketStream, is_opened_by_an_upgrade) {
    House house;
    Socket socket(house);
    EXPECT_EQ(socket.head.status, 101);
    EXPECT_EQ(socket.head.header("Sec-WebSocket-Accept"), "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
    house.publish("{\"x\":1}");
    house.publish("");
    const std::string large = "{\"text\":\"" + std::string(300, 'x') + "\"}";
    house.publish(large);
    EXPECT_EQ(socket.frame().payload, R"({"type":"entry","sequence":1,"event":{"x":1}})");
    EXPECT_EQ(socket.frame().payload, R"({"type":"entry","sequence":2,"erased":true})");
    EXPECT_EQ(socket.frame().payload, R"({"type":"entry","sequence":3,"event":)" + large + "}");
}

TEST(WebSocketStream, begins_where_it_is_told_and_tells_of_gaps) {
    House house;
    for (int i = 1; i <= 3; ++i) house.publish("{}");
    house.on_network([&] { house.streams.floor = 1; });
    Socket socket(house, "?after=0");
    EXPECT_EQ(socket.frame().payload, R"({"type":"gap","from":1,"to":1})");
    EXPECT_EQ(socket.frame().payload, R"({"type":"entry","sequence":2,"event":{}})");
}

TEST(WebSocketStream, a_bad_handshake_is_refused) {
    House house;
    Client client(house.server->port());
    const std::string old = "Connection: upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 8\r\n";
    const Got got = client.ask(request("GET", "/v1/streams/events", "user", old));
    EXPECT_EQ(got.status, 426);
    EXPECT_EQ(got.header("Sec-WebSocket-Version"), "13");
    const std::string keyless = "Connection: upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n";
    EXPECT_EQ(client.ask(request("GET", "/v1/streams/events", "user", keyless)).status, 400);
    EXPECT_EQ(client.ask(request("GET", "/v1/streams/events", "", upgrade)).status, 401);
}

TEST(WebSocketStream, answers_pings_and_closes_in_order) {
    House house;
    Socket socket(house);
    socket.say(1, "who cares");
    socket.say(9, "there?");
    const Frame pong = socket.frame();
    EXPECT_EQ(pong.opcode, 10U);
    EXPECT_EQ(pong.payload, "there?");
    socket.say(8, std::string("\x03\xE8", 2));
    const Frame close = socket.frame();
    EXPECT_EQ(close.opcode, 8U);
    EXPECT_EQ(close.payload, std::string("\x03\xE8", 2));
    EXPECT_TRUE(socket.is_closed());
}

TEST(WebSocketStream, who_breaks_the_protocol_is_closed_with_its_code) {
    House house;
    Socket socket(house);
    socket.send(std::string("\x81\x01xyzab", 7));
    const Frame close = socket.frame();
    EXPECT_EQ(close.opcode, 8U);
    EXPECT_EQ(close.payload, std::string("\x03\xEA", 2));
    EXPECT_TRUE(socket.is_closed());
}

constexpr std::string_view beat = R"({"type":"beat"})";

TEST(WebSocketStream, an_idle_one_is_pinged_and_told_in_words_that_a_script_sees) {
    House house;
    Socket socket(house);
    house.pass(base::limits::stream_heartbeat);
    EXPECT_EQ(socket.frame().payload, beat);
    EXPECT_EQ(socket.frame().opcode, 9U);
}

TEST(WebSocketStream, one_that_does_not_answer_a_ping_is_closed_however_much_it_is_told) {
    House house;
    Socket there(house);
    Socket gone(house);
    const base::Duration half{base::limits::stream_heartbeat.us / 2};
    for (int i = 0; i < 2; ++i) {
        house.publish("{}");
        EXPECT_EQ(there.frame().opcode, 1U);
        EXPECT_EQ(gone.frame().opcode, 1U);
        house.pass(half);
    }
    for (Socket* const socket : {&there, &gone}) {
        EXPECT_EQ(socket->frame().payload, beat);
        EXPECT_EQ(socket->frame().opcode, 9U);
    }
    there.say(10, "");
    there.say(9, "heard?");
    EXPECT_EQ(there.frame().opcode, 10U);
    house.pass(half);
    EXPECT_EQ(house.metrics.stream_readers, 2) << "it has a heartbeat's time to answer";
    house.pass(half);
    EXPECT_EQ(gone.frame().payload, R"({"type":"close","reason":"silent"})");
    EXPECT_EQ(gone.frame().opcode, 8U);
    EXPECT_EQ(house.metrics.stream_readers, 1);
    EXPECT_EQ(there.frame().payload, beat);
    EXPECT_EQ(there.frame().opcode, 9U) << "asked again";
    there.say(10, "");
    house.publish("{}");
    EXPECT_EQ(there.frame().payload, R"({"type":"entry","sequence":3,"event":{}})");
}

TEST(WebSocketStream, says_why_it_closes) {
    House house;
    Socket socket(house);
    house.server->stop([] {});
    EXPECT_EQ(socket.frame().payload, R"({"type":"close","reason":"stopping"})");
    const Frame close = socket.frame();
    EXPECT_EQ(close.opcode, 8U);
    EXPECT_EQ(close.payload, std::string("\x03\xE9", 2) + "stopping");
    EXPECT_TRUE(socket.is_closed());
}

}  // namespace
}  // namespace belfry::net::test
