#include <filesystem>
#include <future>
#include <gtest/gtest.h>

#include "base/limits.hpp"
#include "net/rpc/buckets.hpp"
#include "net/test_socket.hpp"

namespace belfry::net::test {
namespace {

namespace limits = base::limits;

ServerOptions with_rpc() {
    ServerOptions options;
    options.rpc_host = "127.0.0.1";
    return options;
}

// A client that frames what it says.
class Peer : public Client {
public:
    explicit Peer(House& house, const std::string& token = "admin") : Client(house.server->rpc_port()) {
        if (!token.empty()) {
            tell(R"({"jsonrpc":"2.0","id":"hello","method":"authenticate","params":{"token":")" + token + "\"}}");
            EXPECT_NE(hear().find("\"result\""), std::string::npos);
        }
    }
    void tell(const std::string& text) const {
        send("Content-Length: " + std::to_string(text.size()) + "\r\n\r\n" + text);
    }
    std::string hear() {
        const std::string head = until("\r\n\r\n");
        if (head.size() < 20) return "";
        return exactly(std::stoul(head.substr(16)));
    }
    std::string ask(const std::string& text) {
        tell(text);
        return hear();
    }
};

std::string say(const std::string& session = "s1", const std::string& id = "1", const std::string& more = "") {
    return R"({"jsonrpc":"2.0",)" + (id.empty() ? "" : "\"id\":" + id + ",") +
           R"("method":"client/user_message","params":{"session_id":")" + session +
           R"(","message_type":"user_input","timestamp":"2025-12-30T10:30:00Z","payload":{"text":"Yes"})" + more + "}}";
}

const std::string receipt = R"({"jsonrpc":"2.0","id":1,"result":{"success":true,"message":"Message received",)"
                            R"("notification_id":"018f0000-0000-7000-8000-000000000005"}})";

TEST(Rpc, a_message_becomes_a_command_in_its_callers_name_and_gets_a_receipt) {
    House house(with_rpc());
    Peer peer(house, "user");
    EXPECT_EQ(peer.ask(say()), receipt);
    EXPECT_EQ(house.gateway.last_principal.role, model::Role::user);
    const auto& sent = house.gateway.last_as<ports::SendClientMessage>();
    EXPECT_EQ(sent.message.session_id, "s1");
    EXPECT_EQ(sent.message.payload->bytes(), R"({"text":"Yes"})");
    EXPECT_EQ(sent.lane, ports::Lane::control);
}

TEST(Rpc, a_stranger_may_only_say_who_it_is_and_not_for_long) {
    House house(with_rpc());
    Peer peer(house, "");
    EXPECT_NE(peer.ask(say()).find("-32001"), std::string::npos);
    EXPECT_NE(peer.ask(R"({"jsonrpc":"2.0","id":1,"method":"authenticate","params":{"token":"no"}})").find("-32001"),
              std::string::npos);
    EXPECT_NE(peer.ask(R"({"jsonrpc":"2.0","id":1,"method":"ping"})").find("-32001"), std::string::npos);
    EXPECT_TRUE(peer.is_closed());
    EXPECT_EQ(house.gateway.submitted, 0);
    Peer silent(house, "");
    EXPECT_NE(silent.ask(say()).find("-32001"), std::string::npos);
    house.pass(limits::rpc_authenticate_time_max + base::seconds(1));
    EXPECT_TRUE(silent.is_closed());
    Peer emitter(house, "");
    EXPECT_NE(
        emitter.ask(R"({"jsonrpc":"2.0","id":1,"method":"authenticate","params":{"token":"emitter"}})").find("-32003"),
        std::string::npos);
}

TEST(Rpc, who_is_of_the_same_user_on_the_unix_socket_is_known) {
    ServerOptions options;
    options.rpc_socket_path = (std::filesystem::temp_directory_path() / ("rpc" + std::to_string(::getpid()))).string();
    House house(options);
    const auto mode = std::filesystem::status(options.rpc_socket_path).permissions();
    EXPECT_EQ(mode, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
    Client peer(options.rpc_socket_path);
    const std::string text = say();
    peer.send("content-length: " + std::to_string(text.size()) + "\r\n\r\n" + text);
    EXPECT_NE(peer.until("}}").find("Message received"), std::string::npos);
    EXPECT_EQ(house.gateway.last_principal.proof, model::Proof::peer);
}

TEST(Rpc, a_refusal_names_code_field_and_reason) {
    House house(with_rpc());
    Peer peer(house);
    EXPECT_EQ(peer.ask(say("nobody")),
              R"({"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Session ID not found or invalid",)"
              R"("data":{"code":"not_found","reason":"session_not_found","field":"session_id"}}})");
    EXPECT_NE(peer.ask(say("s1", "1", ",\"extra\":1")).find("extra is not known"), std::string::npos);
    EXPECT_NE(peer.ask(R"({"jsonrpc":"2.0","id":1,"method":"no/such"})").find("-32601"), std::string::npos);
    EXPECT_NE(peer.ask("{").find("\"id\":null,\"error\":{\"code\":-32700"), std::string::npos);
    house.gateway.full = true;
    EXPECT_NE(peer.ask(say()).find("\"code\":-32004"), std::string::npos);
}

TEST(Rpc, a_notification_is_not_answered_and_its_refusal_is_told) {
    House house(with_rpc());
    Peer peer(house);
    peer.tell(say("s1", ""));
    peer.tell(say("nobody", ""));
    EXPECT_EQ(peer.hear(),
              R"({"jsonrpc":"2.0","method":"client/rejected","params":{"code":-32602,)"
              R"("message":"Session ID not found or invalid","field":"session_id","reason":"session_not_found",)"
              R"("session_id":"nobody","message_type":"user_input"}})");
    peer.tell(R"({"jsonrpc":"2.0","method":"$/anything"})");
    peer.tell(R"({"jsonrpc":"2.0","id":9,"result":1})");
    EXPECT_EQ(peer.ask(R"({"jsonrpc":"2.0","id":2,"method":"ping"})"),
              R"({"jsonrpc":"2.0","id":2,"result":{"pong":true}})");
}

TEST(Rpc, a_batch_is_answered_as_one_when_all_of_it_is) {
    House house(with_rpc());
    Peer peer(house);
    house.on_network([&] { house.gateway.hold = true; });
    peer.tell("[" + say("s1", "1") + "," + say("s1", "") + R"(,{"jsonrpc":"2.0","id":2,"method":"ping"}])");
    EXPECT_EQ(peer.ask(R"({"jsonrpc":"2.0","id":3,"method":"ping"})"),
              R"({"jsonrpc":"2.0","id":3,"result":{"pong":true}})")
        << "others are not held up by it";
    house.on_network([&] { house.gateway.deliver(); });
    EXPECT_EQ(peer.hear(), R"([{"jsonrpc":"2.0","id":2,"result":{"pong":true}},)" + receipt + "]");
}

TEST(Rpc, a_body_that_is_too_long_is_refused_before_it_comes) {
    House house(with_rpc());
    Peer peer(house);
    peer.send("Content-Length: " + std::to_string(limits::rpc_message_bytes_max + 1) + "\r\n\r\n");
    EXPECT_NE(peer.hear().find("Notification payload exceeds 1MB size limit"), std::string::npos);
    peer.send(std::string(limits::rpc_message_bytes_max + 1, 'x'));
    EXPECT_EQ(peer.ask(say()), receipt);
    peer.send("Content-Length: 10000000000\r\n\r\n");
    EXPECT_NE(peer.hear().find("-32600"), std::string::npos);
    EXPECT_TRUE(peer.is_closed());
}

TEST(Rpc, what_is_no_header_ends_the_connection_with_a_word) {
    House house(with_rpc());
    Peer peer(house);
    peer.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    EXPECT_NE(peer.hear().find("-32700"), std::string::npos);
    EXPECT_TRUE(peer.is_closed());
}

TEST(Rpc, a_peer_with_too_many_open_questions_is_not_read_from_until_they_are_answered) {
    House house(with_rpc());
    Peer peer(house, "service");
    house.on_network([&] { house.gateway.hold = true; });
    const std::string many = "[" + [] {
        std::string calls;
        for (int i = 0; i < 70; ++i) calls += (i > 0 ? "," : "") + say("s1", "1");
        return calls;
    }() + "]";
    peer.tell(many);
    peer.tell("[" + say("s1", "1") + R"(,{"jsonrpc":"2.0","id":1,"method":"ping"}])");
    for (int i = 0; i < 60; ++i) peer.tell(R"({"jsonrpc":"2.0","id":1,"method":"run/follow"})");
    house.on_network([] {});
    EXPECT_LE(house.gateway.submitted, 128);
    house.on_network([&] {
        house.gateway.hold = false;
        house.gateway.deliver();
    });
    bool batch_is_answered = false;  // others may be answered before it
    for (int i = 0; i < 61 && !batch_is_answered; ++i) batch_is_answered = peer.hear().front() == '[';
    EXPECT_TRUE(batch_is_answered);
}

TEST(Rpc, the_bucket_of_one_client_is_not_anothers) {
    House house(with_rpc());
    Peer peer(house, "user");
    for (int i = 0; i < limits::rpc_messages_burst; ++i) EXPECT_EQ(peer.ask(say()), receipt);
    EXPECT_EQ(peer.ask(say()), R"({"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"Rate limit exceeded",)"
                               R"("data":{"code":"rate_limited","retry_after_ms":600}}})");
    Peer same(house, "user");
    EXPECT_NE(same.ask(say()).find("-32000"), std::string::npos) << "a new connection is no new client";
    Peer other(house, "service");
    EXPECT_EQ(other.ask(say()), receipt);
    house.pass(base::milliseconds(600));
    EXPECT_EQ(peer.ask(say()), receipt);
    EXPECT_NE(peer.ask(say()).find("-32000"), std::string::npos);
}

TEST(Rpc, a_bucket_fills_up_with_time_and_never_beyond_its_brim) {
    MessageBuckets buckets;
    const base::Duration now = base::hours(1);
    for (int i = 0; i < 100; ++i) EXPECT_EQ(buckets.take("a", now).us, 0);
    EXPECT_EQ(buckets.take("a", now), base::milliseconds(600));
    EXPECT_EQ(buckets.take("a", now + base::milliseconds(599)), base::milliseconds(1));
    EXPECT_EQ(buckets.take("a", now + base::milliseconds(600)).us, 0);
    const base::Duration later = now + base::hours(2);
    for (int i = 0; i < 100; ++i) EXPECT_EQ(buckets.take("a", later).us, 0);
    EXPECT_GT(buckets.take("a", later).us, 0);
}

TEST(Rpc, a_run_is_followed_to_its_end) {
    House house(with_rpc());
    house.publish(R"({"n":1})", "llm.stream");
    Peer peer(house, "user");
    EXPECT_EQ(peer.ask(R"({"jsonrpc":"2.0","id":1,"method":"run/follow","params":{"run_id":7}})"),
              R"({"jsonrpc":"2.0","id":1,"result":{"subscription":1,"after":0}})");
    EXPECT_EQ(peer.hear(),
              R"({"jsonrpc":"2.0","method":"run/event","params":{"subscription":1,"sequence":1,"event":{"n":1}}})");
    house.publish(R"({"n":2})", "lifecycle.completed");
    EXPECT_NE(peer.hear().find(R"("sequence":2)"), std::string::npos);
    EXPECT_EQ(peer.hear(), R"({"jsonrpc":"2.0","method":"run/closed","params":{"subscription":1,"reason":"ended"}})");
    EXPECT_NE(peer.ask(R"({"jsonrpc":"2.0","id":1,"method":"unfollow","params":{"subscription":1}})").find("-32602"),
              std::string::npos);
    EXPECT_NE(peer.ask(R"({"jsonrpc":"2.0","id":1,"method":"run/follow","params":{"run_id":8}})").find("-32602"),
              std::string::npos);
}

TEST(Rpc, who_follows_a_run_is_told_after_which_position) {
    House house(with_rpc());
    for (int i = 0; i < 3; ++i) house.publish("{}");
    Peer peer(house, "user");
    const auto follow = [&](const std::string& from) {
        return peer.ask(R"({"jsonrpc":"2.0","id":1,"method":"run/follow","params":{"run_id":7,)" + from + "}}");
    };
    EXPECT_EQ(follow(R"("from":"live")"), R"({"jsonrpc":"2.0","id":1,"result":{"subscription":1,"after":3}})");
    EXPECT_EQ(follow(R"("after":2)"), R"({"jsonrpc":"2.0","id":1,"result":{"subscription":2,"after":2}})");
}

TEST(Rpc, an_inbox_is_followed_and_closed_with_its_connection) {
    House house(with_rpc());
    {
        Peer peer(house, "admin");
        EXPECT_EQ(peer.ask(R"({"jsonrpc":"2.0","id":1,"method":"inbox/follow","params":{"user":"ada"}})"),
                  R"({"jsonrpc":"2.0","id":1,"result":{"subscription":1}})");
        EXPECT_NE(peer.hear().find("waits 1"), std::string::npos);
        EXPECT_NE(peer.hear().find("waits 2"), std::string::npos);
        EXPECT_NE(peer.hear().find("caught_up"), std::string::npos);
        house.publish(R"({"type":"interaction"})");
        EXPECT_NE(peer.hear().find(R"("event":{"type":"interaction"})"), std::string::npos);
        house.on_network([&] { EXPECT_EQ(house.gateway.open_inboxes, 1); });
    }
    EXPECT_TRUE(house.wait_until([&] { return house.gateway.open_inboxes == 0; }));
}

TEST(Rpc, over_a_websocket_each_frame_is_a_message) {
    House house;
    Socket socket(house, "/v1/rpc", "user");
    ASSERT_EQ(socket.head.status, 101);
    socket.say(1, say());
    EXPECT_EQ(socket.frame().payload, receipt);
    socket.say(9, "there?");
    EXPECT_EQ(socket.frame().opcode, 10U);
    socket.say(8, std::string("\x03\xE8", 2));
    EXPECT_EQ(socket.frame().opcode, 8U);
    EXPECT_TRUE(socket.is_closed());
    Client client(house.server->port());
    EXPECT_EQ(client.ask(request("GET", "/v1/rpc", "user")).status, 426);
    EXPECT_EQ(client.ask(request("GET", "/v1/rpc", "", upgrade)).status, 401);
}

TEST(Rpc, a_websocket_that_does_not_answer_a_ping_is_closed_and_what_it_followed_with_it) {
    House house;
    Socket socket(house, "/v1/rpc", "user");
    socket.say(1, R"({"jsonrpc":"2.0","id":1,"method":"run/follow","params":{"run_id":7}})");
    EXPECT_EQ(socket.frame().payload, R"({"jsonrpc":"2.0","id":1,"result":{"subscription":1,"after":0}})");
    for (int i = 0; i < 3; ++i) {
        house.pass(limits::stream_heartbeat);
        EXPECT_EQ(socket.frame().opcode, 9U);
        socket.say(10, "");
        socket.say(9, "heard?");
        EXPECT_EQ(socket.frame().opcode, 10U);
    }
    house.pass(limits::stream_heartbeat);
    EXPECT_EQ(socket.frame().opcode, 9U);
    house.pass(limits::stream_heartbeat - base::seconds(1));
    EXPECT_EQ(house.metrics.stream_readers, 1);
    house.pass(base::seconds(1));
    EXPECT_EQ(socket.frame().payload,
              R"({"jsonrpc":"2.0","method":"run/closed","params":{"subscription":1,"reason":"silent"}})");
    EXPECT_EQ(socket.frame().opcode, 8U);
    EXPECT_TRUE(socket.is_closed());
    EXPECT_EQ(house.metrics.stream_readers, 0);
}

TEST(Rpc, who_follows_a_run_is_told_that_the_store_is_down_and_up_again) {
    House house(with_rpc());
    Peer peer(house, "user");
    Socket socket(house, "/v1/rpc", "user");
    Socket stream(house, "/v1/runs/7/events", "user");
    const std::string follow = R"({"jsonrpc":"2.0","id":1,"method":"run/follow","params":{"run_id":7}})";
    peer.ask(follow);
    socket.say(1, follow);
    EXPECT_NE(socket.frame().payload.find("subscription"), std::string::npos);
    for (const auto& [state, word] :
         {std::pair{ports::Readiness::store_down, "down"}, {ports::Readiness::ready, "up"}}) {
        house.on_network([&] { house.queries.state = state; });
        house.pass(base::seconds(1));
        house.pass(base::seconds(1));  // and no second time
        const std::string told = R"({"jsonrpc":"2.0","method":"run/store","params":{"subscription":1,"state":")" +
                                 std::string(word) + "\"}}";
        EXPECT_EQ(peer.hear(), told);
        EXPECT_EQ(socket.frame().payload, told);
        EXPECT_EQ(stream.frame().payload, R"({"type":"store","state":")" + std::string(word) + "\"}");
    }
    house.publish(R"({"n":1})");
    EXPECT_NE(peer.hear().find(R"("event":{"n":1})"), std::string::npos);
}

// What it is told when it listens again, after it took nothing for as long as is borne with.
template <class Reader, class Hear>
std::string last_word_to_a_slow_one(House& house, Reader& reader, Hear hear) {
    const std::string body = R"({"text":")" + std::string(8000, 'x') + "\"}";
    for (int i = 0; i < 2000; ++i) house.publish(body);
    house.pass(limits::http_write_time_max);
    EXPECT_EQ(house.metrics.stream_readers, 0);
    EXPECT_EQ(house.metrics.stream_readers_closed_slow, 1U);
    house.pass(limits::stream_farewell_max - base::seconds(60));  // it takes its time
    std::string last;
    for (std::string word = hear(reader); !word.empty(); word = hear(reader)) last = word;
    return last;
}

TEST(Rpc, who_takes_nothing_of_what_he_follows_is_closed_with_the_reason) {
    const std::string follow = R"({"jsonrpc":"2.0","id":1,"method":"run/follow","params":{"run_id":7}})";
    const std::string told =
        R"({"jsonrpc":"2.0","method":"run/closed","params":{"subscription":1,"reason":"slow_reader"}})";
    {
        House house(with_rpc());
        Peer peer(house, "user");
        peer.ask(follow);
        EXPECT_EQ(last_word_to_a_slow_one(house, peer, [](Peer& one) { return one.hear(); }), told);
    }
    House house;
    Socket socket(house, "/v1/rpc", "user");
    socket.say(1, follow);
    EXPECT_NE(socket.frame().payload.find("subscription"), std::string::npos);
    const auto hear = [](Socket& one) {
        const Frame frame = one.frame();
        return frame.opcode == 1 ? frame.payload : "";
    };
    EXPECT_EQ(last_word_to_a_slow_one(house, socket, hear), told);
}

TEST(Rpc, a_token_that_is_revoked_ends_its_connections) {
    House house(with_rpc());
    Peer peer(house, "user");
    house.on_network([&] {
        house.access.principals.erase("user");
        ++house.access.generation_count;
    });
    house.pass(base::seconds(1));
    EXPECT_TRUE(peer.is_closed());
}

TEST(Rpc, a_peer_that_has_said_its_last_word_is_answered_before_the_end) {
    House house(with_rpc());
    Peer peer(house);
    house.on_network([&] { house.gateway.hold = true; });
    peer.tell(say());
    peer.half_close();
    house.on_network([] {});
    house.on_network([&] { house.gateway.deliver(); });
    EXPECT_EQ(peer.hear(), receipt);
    EXPECT_TRUE(peer.is_closed());
}

TEST(Rpc, a_peer_that_has_said_its_last_word_gets_all_that_there_is_of_what_it_follows) {
    House house(with_rpc());
    Peer peer(house, "user");
    const std::string body = R"({"text":")" + std::string(8000, 'x') + "\"}";
    for (int i = 0; i < 2000; ++i) house.publish(body);
    peer.ask(R"({"jsonrpc":"2.0","id":1,"method":"run/follow","params":{"run_id":7}})");
    peer.half_close();
    for (int i = 1; i <= 2000; ++i) {
        ASSERT_NE(peer.hear().find(R"("sequence":)" + std::to_string(i) + ","), std::string::npos) << i;
    }
    EXPECT_EQ(peer.hear(),
              R"({"jsonrpc":"2.0","method":"run/closed","params":{"subscription":1,"reason":"half_closed"}})");
    EXPECT_TRUE(peer.is_closed());
}

TEST(Rpc, what_was_taken_is_answered_though_what_comes_after_it_ends_the_connection) {
    House house(with_rpc());
    Peer peer(house);
    house.on_network([&] { house.gateway.hold = true; });
    peer.tell(say());
    peer.send("Content-Length: 99999999999\r\n\r\n");
    EXPECT_NE(peer.hear().find("exceeds 1MB"), std::string::npos);
    house.on_network([&] { house.gateway.deliver(); });
    EXPECT_EQ(peer.hear(), receipt);
    EXPECT_TRUE(peer.is_closed());
}

TEST(Rpc, a_frame_that_ends_a_websocket_waits_for_the_answers_before_it) {
    House house(with_rpc());
    Socket socket(house, "/v1/rpc", "user");
    house.on_network([&] { house.gateway.hold = true; });
    socket.say(1, say());
    socket.say(8, "");
    house.on_network([] {});
    house.on_network([&] { house.gateway.deliver(); });
    EXPECT_EQ(socket.frame().payload, receipt);
    EXPECT_EQ(socket.frame().opcode, 8);
}

TEST(Interactions, are_asked_answered_listed_and_waited_for) {
    House house;
    Client client(house.server->port());
    const std::string json = "Content-Type: application/json\r\n";
    const Got asked =
        client.ask(request("POST", "/v1/sessions/s1/interactions", "agent", json,
                           R"({"kind":"confirmation","message":"May I?","tool_name":"rm","timeout_s":5})"));
    EXPECT_EQ(asked.status, 201);
    EXPECT_NE(asked.body.find(R"("state":"pending","message":"May I?","tool_name":"rm")"), std::string::npos);
    for (const char* wrong : {R"({"message":"x"})", R"({"kind":"confirmation"})", R"({"kind":"x","message":"x"})",
                              R"({"kind":"confirmation","message":"x","timeout_s":301})"}) {
        EXPECT_EQ(client.ask(request("POST", "/v1/sessions/s1/interactions", "agent", json, wrong)).status, 422)
            << wrong;
    }
    const std::string path = "/v1/interactions/018f0000-0000-7000-8000-000000000007";
    EXPECT_EQ(client.ask(request("POST", path + "/answer", "agent", json, R"({"decision":"deny"})")).status, 403);
    EXPECT_EQ(client.ask(request("POST", path + "/answer", "user", json, R"({"decision":"deny"})")).status, 200);
    EXPECT_EQ(client.ask(request("DELETE", path, "agent")).status, 200);
    EXPECT_EQ(client.ask(request("DELETE", "/v1/interactions/018f0000-0000-7000-8000-000000000009", "agent")).status,
              409);
    EXPECT_EQ(client.ask(request("GET", path, "agent")).status, 200);
    EXPECT_EQ(client.ask(request("GET", path + "?wait_s=61", "agent")).status, 422);
    EXPECT_EQ(client.ask(request("GET", "/v1/interactions/7", "agent")).status, 404);
    const Got list = client.ask(request("GET", "/v1/interactions?state=pending&limit=2", "agent"));
    EXPECT_NE(list.body.find(R"("next":2,"has_more":true)"), std::string::npos);
    EXPECT_EQ(house.queries.interaction_filter.state, model::InteractionState::pending);
}

TEST(Interactions, who_waits_is_told_by_the_news_of_the_inbox_or_by_the_clock) {
    House house;
    house.on_network([&] { house.queries.kept_interaction.user_id = "ada"; });
    const std::string path = "/v1/interactions/018f0000-0000-7000-8000-000000000007?wait_s=60";
    Client client(house.server->port());
    client.send(request("GET", path, "agent"));
    for (int i = 0; i < 5; ++i) house.on_network([] {});  // the two questions that come first
    house.on_network([&] { house.queries.kept_interaction.state = model::InteractionState::answered; });
    house.publish("{}");
    EXPECT_NE(client.response().body.find(R"("state":"answered")"), std::string::npos);
    house.on_network([&] { house.queries.kept_interaction.state = model::InteractionState::pending; });
    client.send(request("GET", path, "agent"));
    for (int i = 0; i < 5; ++i) house.on_network([] {});
    house.pass(base::seconds(61));
    EXPECT_NE(client.response().body.find(R"("state":"pending")"), std::string::npos);
}

TEST(Interactions, who_waits_when_the_server_stops_is_told_what_there_is) {
    House house;
    house.on_network([&] { house.queries.kept_interaction.user_id = "ada"; });
    Client client(house.server->port());
    client.send(request("GET", "/v1/interactions/018f0000-0000-7000-8000-000000000007?wait_s=60", "agent"));
    for (int i = 0; i < 5; ++i) house.on_network([] {});
    std::promise<void> stopped;
    house.server->stop([&] { stopped.set_value(); });
    const Got got = client.response();
    EXPECT_EQ(got.status, 200);
    EXPECT_NE(got.body.find(R"("state":"pending")"), std::string::npos);
    EXPECT_TRUE(client.is_closed());
    client.half_close();
    stopped.get_future().wait();
}

}  // namespace
}  // namespace belfry::net::test
