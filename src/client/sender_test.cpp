#include "client/sender.hpp"

#include <algorithm>

#include "client/sending_test.hpp"

namespace belfry::client {
namespace {

TEST_F(Sending, a_message_brings_a_receipt) {
    std::vector<std::string> bodies;
    const ScriptedServer server({answering(bodies, 1)}, path);
    Sender sender(options, clock);
    UserMessage one = message();
    one.message_id = "0198f2a0-0000-7000-8000-000000000001";
    const auto receipt = sender.send(one);
    ASSERT_TRUE(receipt.ok()) << receipt.error().message;
    EXPECT_EQ(receipt->notification_id, "n-1");
    EXPECT_EQ(receipt->message, "taken");
    EXPECT_EQ(receipt->message_id, one.message_id);
    ASSERT_EQ(bodies.size(), 1U);
    EXPECT_EQ(bodies[0],
              R"({"jsonrpc":"2.0","id":"0198f2a0-0000-7000-8000-000000000001","method":"client/user_message",)"
              R"("params":{"session_id":"s1","message_type":"user_input","timestamp":"2026-11-14T12:00:00Z",)"
              R"("payload":{"text":"hello"},"message_id":"0198f2a0-0000-7000-8000-000000000001"}})");
    EXPECT_TRUE(outcomes.said().empty());
}

TEST_F(Sending, a_server_that_is_down_is_tried_at_once_and_three_times_more) {
    Sender sender(options, clock);
    ASSERT_TRUE(sender.submit(message(), outcomes.taker()).ok());
    EXPECT_EQ(clock.sleeps_until(), start + milliseconds(100));
    EXPECT_EQ(outcomes.said(), std::vector<std::string>{"Connection lost, retrying..."});  // before any time has passed
    clock.advance_to(start + milliseconds(100));
    EXPECT_EQ(clock.sleeps_until(), start + milliseconds(600));
    clock.advance_to(start + milliseconds(600));
    EXPECT_EQ(clock.sleeps_until(), start + milliseconds(2600));
    EXPECT_EQ(outcomes.count(), 0U);
    clock.advance_to(start + milliseconds(2600));
    ASSERT_TRUE(pass_until_done(1));
    EXPECT_EQ(outcomes.said(),
              (std::vector<std::string>{"Connection lost, retrying...", "Failed to send notification"}));
    ASSERT_FALSE(outcomes.all[0].ok());
    EXPECT_EQ(outcomes.all[0].error().code, base::Code::unavailable);
    EXPECT_NE(outcomes.all[0].error().message.find("cannot connect"), std::string::npos);
}

TEST_F(Sending, a_server_that_comes_back_in_time_gets_them_once_and_in_order) {
    std::vector<std::string> bodies;
    Sender sender(options, clock);
    std::vector<std::string> ids;
    for (const char* const text : {"one", "two", "three"}) {
        auto id = sender.submit(message(text), outcomes.taker());
        ASSERT_TRUE(id.ok());
        ids.push_back(*id);
    }
    EXPECT_EQ(clock.sleeps_until(), start + milliseconds(100));
    clock.advance_to(start + milliseconds(100));
    EXPECT_EQ(clock.sleeps_until(), start + milliseconds(600));
    const ScriptedServer server({answering(bodies, 3)}, path);
    ASSERT_TRUE(pass_until_done(3));
    EXPECT_EQ(clock.now(), start + milliseconds(600));
    for (const auto& outcome : outcomes.all) EXPECT_TRUE(outcome.ok());
    ASSERT_EQ(bodies.size(), 3U);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(member(bodies[i], "id"), ids[i]);
    // Each of them has waited, and was told so.
    EXPECT_EQ(outcomes.said(), std::vector<std::string>(3, "Connection lost, retrying..."));
}

TEST_F(Sending, a_message_whose_answer_was_lost_is_sent_again_under_the_same_id) {
    std::vector<std::string> bodies;
    const ScriptedServer server(
        {[&](ServedConnection& connection) { bodies.push_back(body_of(connection.request())); }, answering(bodies, 1)},
        path);
    Sender sender(options, clock);
    ASSERT_TRUE(sender.submit(message(), outcomes.taker()).ok());
    ASSERT_TRUE(pass_until_done(1));
    EXPECT_TRUE(outcomes.all[0].ok());
    ASSERT_EQ(bodies.size(), 2U);
    EXPECT_EQ(bodies[0], bodies[1]);
}

TEST_F(Sending, the_eleventh_is_refused_and_every_discarded_one_is_told) {
    Sender sender(options, clock);
    for (int i = 0; i < 10; ++i) ASSERT_TRUE(sender.submit(message(), outcomes.taker()).ok());
    const auto eleventh = sender.submit(message(), [](const auto&) { ADD_FAILURE() << "it was refused already"; });
    ASSERT_FALSE(eleventh.ok());
    EXPECT_EQ(eleventh.error().code, base::Code::overloaded);
    EXPECT_NE(eleventh.error().message.find("10"), std::string::npos);
    ASSERT_TRUE(pass_until_done(10));
    EXPECT_LE(clock.now(), start + seconds(10));
    for (const auto& outcome : outcomes.all) EXPECT_FALSE(outcome.ok());
    EXPECT_EQ(std::ranges::count(outcomes.said(), "Failed to send notification"), 10);
    EXPECT_TRUE(sender.submit(message(), outcomes.taker()).ok());  // there is room again
}

TEST_F(Sending, what_the_server_refuses_is_not_tried_again) {
    const ScriptedServer server(
        {[](ServedConnection& connection) {
            for (const char* const error :
                 {R"("code":-32602,"message":"Session ID not found or invalid","data":{"field":"session_id"})",
                  R"("code":-32000,"message":"Rate limit exceeded","data":{"retry_after_ms":600})"}) {
                const std::string id = member(body_of(connection.request()), "id");
                connection.send(framed(R"({"jsonrpc":"2.0","method":"client/rejected","params":{}})"));
                connection.send(framed(R"({"jsonrpc":"2.0","id":")" + id + R"(","error":{)" + error + "}}"));
            }
        }},
        path);
    Sender sender(options, clock);
    const auto unknown = sender.send(message());
    ASSERT_FALSE(unknown.ok());
    EXPECT_EQ(unknown.error(), base::error(base::Code::invalid, "Session ID not found or invalid", "session_id"));
    EXPECT_EQ(sender.retry_after(), base::Duration{});
    EXPECT_EQ(sender.send(message()).error().code, base::Code::rate_limited);
    EXPECT_EQ(sender.retry_after(), milliseconds(600));
    EXPECT_TRUE(outcomes.said().empty());
}

TEST_F(Sending, a_server_that_cannot_now_is_tried_again) {
    std::vector<std::string> bodies;
    const ScriptedServer server(
        {[&](ServedConnection& connection) {
            const std::string id = member(body_of(connection.request()), "id");
            connection.send(framed(R"({"jsonrpc":"2.0","id":")" + id +
                                   R"(","error":{"code":-32603,"message":"down","data":{"code":"unavailable"}}})"));
            const std::string request = connection.request();
            bodies.push_back(body_of(request));
            give_receipt(connection, request);
        }},
        path);
    Sender sender(options, clock);
    ASSERT_TRUE(sender.submit(message(), outcomes.taker()).ok());
    ASSERT_TRUE(pass_until_done(1));
    EXPECT_TRUE(outcomes.all[0].ok());
    EXPECT_EQ(bodies.size(), 1U);
}

TEST_F(Sending, a_connection_that_was_ended_between_two_messages_is_no_loss) {
    std::vector<std::string> bodies;
    std::vector<ScriptedServer::Script> scripts;
    for (int i = 0; i < 2; ++i) {
        scripts.push_back([&bodies](ServedConnection& connection) {
            const std::string request = connection.request();
            bodies.push_back(body_of(request));
            // Answer and end come together: when the receipt is there, so is the end.
            ::shutdown(connection.descriptor(), SHUT_RD);
            give_receipt(connection, request);
            ::shutdown(connection.descriptor(), SHUT_WR);
        });
    }
    const ScriptedServer server(scripts, path);
    Sender sender(options, clock);
    ASSERT_TRUE(sender.submit(message("one"), outcomes.taker()).ok());
    ASSERT_TRUE(pass_until_done(1));
    ASSERT_TRUE(sender.submit(message("two"), outcomes.taker()).ok());
    ASSERT_TRUE(pass_until_done(2));
    EXPECT_TRUE(outcomes.all[1].ok());
    EXPECT_GE(bodies.size(), 2U);
}

TEST_F(Sending, a_token_is_shown_first) {
    std::vector<std::string> bodies;
    const ScriptedServer server({[&](ServedConnection& connection) {
                                     for (int i = 0; i < 2; ++i) {
                                         const std::string request = connection.request();
                                         bodies.push_back(body_of(request));
                                         give_receipt(connection, request);
                                     }
                                 },
                                 [](ServedConnection& connection) {
                                     connection.request();
                                     connection.send(framed(R"({"jsonrpc":"2.0","id":"authenticate","error":)"
                                                            R"({"code":-32001,"message":"unknown token"}})"));
                                 }});
    options.server.endpoint = server.endpoint();
    options.server.token = "bf_x";
    {
        Sender sender(options, clock);
        EXPECT_TRUE(sender.send(message()).ok());
        ASSERT_EQ(bodies.size(), 2U);
        EXPECT_EQ(member(bodies[0], "method"), "authenticate");
        EXPECT_EQ(member(bodies[0], "params"), R"({"token":"bf_x"})");
    }
    Sender sender(options, clock);
    EXPECT_EQ(sender.send(message()).error().code, base::Code::unauthenticated);
}

TEST_F(Sending, who_waits_when_the_sender_is_closed_is_told) {
    {
        Sender sender(options, clock);
        ASSERT_TRUE(sender.submit(message(), outcomes.taker()).ok());
        ASSERT_TRUE(sender.submit(message(), outcomes.taker()).ok());
        ASSERT_TRUE(clock.sleeps_until().has_value());
    }
    ASSERT_EQ(outcomes.all.size(), 2U);
    EXPECT_NE(outcomes.all[1].error().message.find("closed"), std::string::npos);
}

TEST_F(Sending, what_is_too_large_is_refused_before_it_is_sent) {
    Sender sender(options, clock);
    const auto refused = sender.submit(message(std::string(1 << 20, 'x')), outcomes.taker());
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().code, base::Code::too_large);
    EXPECT_TRUE(refused.error().message.starts_with("Notification payload exceeds 1MB size limit"));
}

TEST_F(Sending, who_answers_something_else_is_found_out) {
    const ScriptedServer server({[](ServedConnection& connection) {
                                    connection.request();
                                    connection.answer(200, "<html>");
                                }},
                                path);
    options.queue.pauses = {};
    Sender sender(options, clock);
    const auto strange = sender.send(message());
    ASSERT_FALSE(strange.ok());
    EXPECT_NE(strange.error().message.find("JSON-RPC"), std::string::npos) << strange.error().message;
}

TEST(RpcAddress, is_a_socket_or_a_host_plain_or_secret) {
    using Scheme = wire::Endpoint::Scheme;
    EXPECT_EQ(parse_rpc_address("unix:/a/b")->socket_path, "/a/b");
    EXPECT_EQ(parse_rpc_address("/a/b")->scheme, Scheme::unix_socket);
    EXPECT_EQ(parse_rpc_address("tcp://h:7118")->scheme, Scheme::http);
    EXPECT_EQ(parse_rpc_address("tcps://h:7118")->scheme, Scheme::https);
    EXPECT_EQ(parse_rpc_address("tcps://h:7118")->port, 7118);
    EXPECT_FALSE(parse_rpc_address("https://h:7118").ok());
    EXPECT_FALSE(parse_rpc_address("localhost:7118").ok());
}

TEST(SendQueue, the_machines_clock_moves_a_real_sender) {
    SenderOptions options;
    options.server.endpoint.scheme = wire::Endpoint::Scheme::unix_socket;
    options.server.endpoint.socket_path = "/nonexistent/belfry.sock";
    options.queue.pauses = {milliseconds(1), milliseconds(1)};
    Sender sender(options);
    UserMessage message;
    message.session_id = "s1";
    EXPECT_EQ(sender.send(message).error().code, base::Code::unavailable);
}

}  // namespace
}  // namespace belfry::client
