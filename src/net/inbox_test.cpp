#include "base/limits.hpp"
#include "net/test_socket.hpp"
#include "net/test_talk.hpp"

namespace belfry::net::test {
namespace {

namespace limits = base::limits;

const std::string live = "/v1/inbox/live";
const std::string seven = base::format_uuid(test_uuid(7));

std::string ack(const std::string& id, int lease) {
    return R"({"type":"ack","id":")" + id + R"(","lease":)" + std::to_string(lease) +
           R"(,"version":1,"how":"clicked"})";
}

class LiveInbox : public Talk {
protected:
    int open_inboxes() {
        int open = 0;
        house.on_network([&] { open = house.gateway.open_inboxes; });
        return open;
    }
    // Waits until so many are open; the closing of a socket is noticed when the server looks at it.
    int settled_at(int wanted) {
        for (int i = 0; i < 10'000 && open_inboxes() != wanted; ++i) std::this_thread::yield();
        return open_inboxes();
    }
    static void expect_greeting(Socket& socket) {
        EXPECT_EQ(socket.head.status, 101);
        const std::string first = socket.frame().payload;
        EXPECT_TRUE(first.starts_with(R"({"type":"notification","id":"018f0000-0000-7000-8000-000000000001",)"))
            << first;
        EXPECT_TRUE(socket.frame().payload.find(R"("text":"waits 2")") != std::string::npos);
        EXPECT_EQ(socket.frame().payload, R"({"type":"caught_up","waiting":2,"as_of":0})");
    }
};

TEST_F(LiveInbox, sends_what_waits_and_then_what_comes) {
    Socket socket(house, live + "?user=ada&session=s1", "user");
    expect_greeting(socket);
    house.publish(R"({"type":"notification","id":"x"})");
    house.publish("");
    house.publish(R"({"type":"notification_state","id":"x"})");
    EXPECT_EQ(socket.frame().payload, R"({"type":"notification","id":"x"})");
    EXPECT_EQ(socket.frame().payload, R"({"type":"notification_state","id":"x"})");
    house.on_network([&] {
        EXPECT_EQ(house.streams.last_open.stream, "inbox:ada");
        EXPECT_EQ(house.streams.last_open.filter.session_id, "s1");
        EXPECT_EQ(house.streams.last_open.start, ports::StartAt::after);
        EXPECT_EQ(house.streams.last_open.principal.id, "token:user");
    });
    EXPECT_EQ(open_inboxes(), 1);
}

TEST_F(LiveInbox, goes_out_as_named_server_sent_events_too) {
    client.send(request("GET", live, "user", "Accept: text/event-stream\r\n"));
    EXPECT_EQ(client.response(false).status, 200);
    EXPECT_EQ(client.until("\n\n"), "retry: 1000\n\n");
    EXPECT_TRUE(client.until("\n\n").starts_with("event: notification\ndata: {\"type\":\"notification\","));
    EXPECT_TRUE(client.until("\n\n").starts_with("event: notification\ndata: {\"type\":\"notification\","));
    EXPECT_TRUE(client.until("\n\n").starts_with("event: caught_up\ndata: "));
    house.publish(R"({"type":"notification","id":"x"})");
    EXPECT_EQ(client.until("\n\n"), "id: 1\nevent: notification\ndata: {\"type\":\"notification\",\"id\":\"x\"}\n\n");
}

TEST_F(LiveInbox, what_does_not_fit_one_answer_follows_before_the_stream_goes_on) {
    house.on_network([&] { house.gateway.hold = true; });
    client.send(request("GET", live + "?session=full", "user", "Accept: text/event-stream\r\n"));
    while (submitted() < 1) std::this_thread::yield();
    house.on_network([&] { house.gateway.deliver(); });
    EXPECT_EQ(client.response(false).status, 200);
    while (submitted() < 2) std::this_thread::yield();
    house.publish(R"({"type":"notification","id":"x"})");
    house.on_network([&] {
        house.gateway.hold = false;
        house.gateway.deliver();
    });
    EXPECT_EQ(client.until("\n\n"), "retry: 1000\n\n");
    for (int number = 1; number <= 4; ++number) {
        EXPECT_NE(client.until("\n\n").find("\"text\":\"waits " + std::to_string(number) + "\""), std::string::npos);
    }
    EXPECT_NE(client.until("\n\n").find(R"(data: {"type":"caught_up","waiting":4,"as_of":0})"), std::string::npos);
    EXPECT_EQ(client.until("\n\n"), "id: 1\nevent: notification\ndata: {\"type\":\"notification\",\"id\":\"x\"}\n\n");
    EXPECT_EQ(open_inboxes(), 1);
}

TEST_F(LiveInbox, a_portion_that_cannot_be_had_ends_it) {
    house.on_network([&] { house.gateway.hold = true; });
    Client reader(house.server->port());
    reader.send(request("GET", live + "?session=full", "user", "Accept: text/event-stream\r\n"));
    while (submitted() < 1) std::this_thread::yield();
    house.on_network([&] {
        house.gateway.deliver();
        house.gateway.full = true;
    });
    EXPECT_EQ(reader.response(false).status, 200);
    EXPECT_EQ(reader.until("event: close\n").find("caught_up"), std::string::npos);
    EXPECT_EQ(reader.until("\n\n"), "data: {\"type\":\"close\",\"reason\":\"store\"}\n\n");
    house.on_network([&] { house.gateway.full = house.gateway.hold = false; });
}

TEST_F(LiveInbox, words_become_commands_and_are_answered_in_order) {
    Socket socket(house, live + "?session=s1", "user");
    expect_greeting(socket);
    house.on_network([&] { house.gateway.hold = true; });
    socket.say(1, ack(seven, 1));
    socket.say(1, ack("n7", 2));
    socket.say(1, "{");
    socket.say(1, R"({"type":"read","id":"n7","mark":"acted"})");
    while (submitted() < 4) std::this_thread::yield();
    house.on_network([&] {
        house.gateway.deliver();
        const auto& mark = house.gateway.last_as<ports::MarkNotification>();
        EXPECT_EQ(mark.which.key, "n7");
        EXPECT_EQ(mark.which.session_id, "s1");
        EXPECT_EQ(mark.mark, model::ReadMark::acted);
        EXPECT_EQ(mark.lane, ports::Lane::control);
        EXPECT_EQ(mark.principal.id, "token:user");
    });
    EXPECT_EQ(socket.frame().payload, R"({"type":"ack_result","id":")" + seven + R"(","status":"delivered"})");
    EXPECT_EQ(socket.frame().payload, R"({"type":"ack_result","id":"n7","status":"stale_lease",)"
                                      R"("detail":"another one has it by now","field":"lease"})");
    EXPECT_TRUE(socket.frame().payload.starts_with(R"({"type":"error","code":"malformed",)"));
    EXPECT_EQ(socket.frame().payload, R"({"type":"read_result","id":"n7","status":"acted"})");
}

TEST_F(LiveInbox, a_bad_word_is_answered_and_the_connection_stays) {
    Socket socket(house, live, "user");
    expect_greeting(socket);
    const auto say = [&](const std::string& word) {
        socket.say(1, word);
        const auto json = codec::validate(socket.frame().payload);
        const auto field = json->member("field");
        return json->member("type")->as_text() + " " + json->member("code")->as_text() + " " +
               (field ? field->as_text() : "-") + ": " + json->member("detail")->as_text();
    };
    EXPECT_EQ(say(R"({"id":"n7"})"), "error invalid type: must be given");
    EXPECT_EQ(say(R"({"type":"ack"})"), "error invalid id: must be given");
    EXPECT_EQ(say(R"({"type":"shout","id":"n7"})"), "error invalid type: must be ack or read");
    EXPECT_EQ(say(R"({"type":"ack","id":"seven"})"), "error invalid id: must be a handle such as n7, or an id");
    EXPECT_EQ(say(R"({"type":"ack","id":"n7","how":"heard"})"), "error invalid how: must be rendered or clicked");
    EXPECT_EQ(say(R"({"type":"ack","id":"n7","mark":"seen"})"), "error invalid mark: does not belong to type ack");
    EXPECT_EQ(say(R"({"type":"read","id":"n7","lease":1})"), "error invalid lease: does not belong to type read");
    EXPECT_EQ(say(R"({"type":"read","id":"n7"})"), "error invalid mark: must be given");
    EXPECT_EQ(say(R"({"type":"read","id":"n7","who":1})"), "error invalid who: is not known");
    EXPECT_TRUE(say("[1]").starts_with("error invalid "));
    EXPECT_TRUE(say("\xFF").starts_with("error malformed "));
    socket.say(1, ack("n7", 1));
    EXPECT_EQ(socket.frame().payload, R"({"type":"ack_result","id":"n7","status":"delivered"})");
    EXPECT_EQ(open_inboxes(), 1);
}

TEST_F(LiveInbox, a_full_queue_is_told_as_the_answer) {
    Socket socket(house, live, "user");
    expect_greeting(socket);
    house.on_network([&] { house.gateway.full = true; });
    socket.say(1, ack("n7", 1));
    EXPECT_EQ(socket.frame().payload,
              R"({"type":"ack_result","id":"n7","status":"overloaded","detail":"the queue is full"})");
    house.on_network([&] { house.gateway.full = false; });
}

TEST_F(LiveInbox, the_engine_is_told_when_it_ends_however_it_ends) {
    {
        Socket socket(house, live, "user");
        expect_greeting(socket);
        EXPECT_EQ(open_inboxes(), 1);
        socket.say(8, std::string("\x03\xE8", 2));
        EXPECT_EQ(socket.frame().opcode, 8U);
        EXPECT_EQ(settled_at(0), 0);
    }
    {
        Socket socket(house, live, "user");
        expect_greeting(socket);
    }
    EXPECT_EQ(settled_at(0), 0);
    Socket socket(house, live, "user");
    expect_greeting(socket);
    house.on_network([&] { house.access.principals.erase("user"); });
    house.pass(limits::stream_heartbeat);
    EXPECT_EQ(socket.frame().payload, R"({"type":"close","reason":"revoked"})");
    EXPECT_EQ(settled_at(0), 0);
}

TEST_F(LiveInbox, is_closed_even_when_its_interface_left_before_it_was_open) {
    house.on_network([&] { house.gateway.hold = true; });
    {
        Client gone(house.server->port());
        gone.send(request("GET", live, "user", "Accept: text/event-stream\r\n"));
        while (submitted() == 0) std::this_thread::yield();
    }
    house.on_network([&] { house.gateway.deliver(); });
    while (submitted() < 2) std::this_thread::yield();
    EXPECT_EQ(open_inboxes(), 0);
}

TEST_F(LiveInbox, its_closing_is_not_lost_in_a_full_queue) {
    Socket socket(house, live, "user");
    expect_greeting(socket);
    house.on_network([&] { house.gateway.full = true; });
    socket.say(8, std::string("\x03\xE8", 2));
    EXPECT_EQ(socket.frame().opcode, 8U);
    house.pass(base::seconds(1));
    EXPECT_EQ(open_inboxes(), 1);
    house.on_network([&] { house.gateway.full = false; });
    house.pass(base::seconds(1));
    EXPECT_EQ(open_inboxes(), 0);
}

TEST_F(LiveInbox, its_closing_outlives_a_store_that_is_down) {
    Socket socket(house, live, "user");
    expect_greeting(socket);
    house.on_network([&] { house.gateway.down = true; });
    socket.say(8, std::string("\x03\xE8", 2));
    EXPECT_EQ(socket.frame().opcode, 8U);
    while (submitted() < 2) std::this_thread::yield();
    house.pass(base::seconds(1));
    EXPECT_EQ(open_inboxes(), 1);
    house.on_network([&] { house.gateway.down = false; });
    for (int i = 0; i < 100 && open_inboxes() != 0; ++i) house.pass(base::seconds(1));
    EXPECT_EQ(open_inboxes(), 0);
}

TEST_F(LiveInbox, one_that_cannot_be_followed_is_refused_and_closed) {
    EXPECT_EQ(refusal(ask("GET", live + "?user=ada", "", "user")),
              "406 not_acceptable -: this goes out live only: ask with Accept: text/event-stream or as a WebSocket; "
              "/v1/inbox is the list");
    const std::string sse = "Accept: text/event-stream\r\n";
    EXPECT_EQ(refusal(client.ask(request("GET", live + "?user=bob", "user", sse))), "403 forbidden user: not yours");
    EXPECT_EQ(refusal(client.ask(request("GET", live + "?user=lost", "user", sse))),
              "404 not_found -: there is no such stream");
    EXPECT_EQ(settled_at(0), 0);
    EXPECT_EQ(refusal(client.ask(request("GET", live + "?after=1", "user", sse))),
              "422 invalid after: there is no such parameter");
    EXPECT_EQ(client.ask(request("GET", live, "emitter", sse)).status, 403);
    EXPECT_EQ(client.ask(request("GET", live, "", sse)).status, 401);
}

TEST_F(LiveInbox, takes_a_ticket) {
    const auto json = codec::validate(ask("POST", "/v1/tickets", "", "user").body);
    Socket socket(house, live + "?ticket=" + json->member("ticket")->as_text(), "");
    expect_greeting(socket);
    socket.say(1, ack("n7", 1));
    EXPECT_EQ(socket.frame().payload, R"({"type":"ack_result","id":"n7","status":"delivered"})");
}

TEST_F(LiveInbox, who_talks_without_listening_is_closed) {
    Socket socket(house, live, "user");
    expect_greeting(socket);
    house.on_network([&] { house.gateway.hold = true; });
    std::string words;
    for (std::size_t i = 0; i <= limits::inbox_words_max; ++i) {
        const std::string word = R"({"type":"read","id":"n7","mark":"seen"})";
        words += std::string("\x81") + static_cast<char>(0x80U | word.size()) + std::string("\0\0\0\0", 4) + word;
    }
    socket.send(words);
    EXPECT_EQ(socket.frame().payload, R"({"type":"close","reason":"slow_reader"})");
    house.on_network([&] { house.gateway.deliver(); });
    EXPECT_EQ(settled_at(0), 0);
}

}  // namespace
}  // namespace belfry::net::test
