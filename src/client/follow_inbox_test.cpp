#include <gtest/gtest.h>

#include "client/client.hpp"
#include "client/scripted_server_test.hpp"

namespace belfry::client {
namespace {

const std::string head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n";

std::string message(const std::string& id) {
    return "event: notification\ndata: {\"type\":\"notification\",\"id\":\"" + id + "\"}\n\n";
}

Options options_for(const ScriptedServer& server) {
    Options options;
    options.endpoint = server.endpoint();
    options.token = "bf_a_b";
    options.pauses = {base::milliseconds(1)};
    return options;
}

TEST(FollowInbox, a_lost_connection_is_made_again_until_the_handler_has_enough) {
    std::vector<std::string> asked;
    ScriptedServer server({[&](ServedConnection& connection) {
                               asked.push_back(connection.request());
                               connection.send(head + message("a"));
                           },
                           [](ServedConnection& connection) {
                               connection.request();
                               connection.answer(503, R"({"code":"unavailable","detail":"starting"})");
                           },
                           [&](ServedConnection& connection) {
                               asked.push_back(connection.request());
                               connection.send(head + message("a") + message("b") + message("c"));
                               connection.wait_for_hang_up();
                           }});
    Client client(options_for(server));
    std::vector<std::string> shown;
    int lost = 0;
    InboxHandlers handlers;
    handlers.on_message = [&](const model::RawJson& json) {
        shown.push_back(json.member("id")->as_text());
        return shown.back() != "b";
    };
    handlers.on_lost = [&](const base::Error&, base::Duration) { ++lost; };
    const auto done = client.follow_inbox("a da", "s", handlers);
    ASSERT_TRUE(done.ok()) << done.error().message;
    EXPECT_EQ(shown, (std::vector<std::string>{"a", "a", "b"}));
    EXPECT_EQ(lost, 2);
    ASSERT_EQ(asked.size(), 2U);
    EXPECT_TRUE(asked[0].starts_with("GET /v1/inbox/live?user=a%20da&session=s HTTP/1.1\r\n")) << asked[0];
    EXPECT_NE(asked[0].find("Accept: text/event-stream\r\n"), std::string::npos);
}

TEST(Inbox, a_question_that_says_nothing_asks_for_a_page) {
    std::vector<std::string> asked;
    ScriptedServer server({[&](ServedConnection& connection) {
        for (int i = 0; i < 2; ++i) {
            asked.push_back(connection.request());
            connection.answer(200, R"({"data":[],"unread":0,"waiting":0,"has_more":false})");
        }
    }});
    Client client(options_for(server));
    EXPECT_TRUE(client.inbox({}).ok());
    EXPECT_TRUE(client.ledger({}).ok());
    for (const std::string& request : asked) EXPECT_NE(request.find("limit=50"), std::string::npos) << request;
}

TEST(FollowInbox, a_gap_is_told_as_a_message) {
    ScriptedServer server({[](ServedConnection& connection) {
        connection.request();
        connection.send(head + "event: gap\ndata: {\"type\":\"gap\",\"from\":1,\"to\":9}\n\n");
        connection.wait_for_hang_up();
    }});
    Client client(options_for(server));
    InboxHandlers handlers;
    std::string told;
    handlers.on_message = [&](const model::RawJson& json) {
        told = json.bytes();
        return false;
    };
    ASSERT_TRUE(client.follow_inbox("", "", handlers).ok());
    EXPECT_EQ(told, R"({"type":"gap","from":1,"to":9})");
}

TEST(FollowInbox, what_another_attempt_would_not_mend_ends_it) {
    ScriptedServer server({[](ServedConnection& connection) {
                               connection.request();
                               connection.answer(403, R"({"code":"forbidden","detail":"not yours"})");
                           },
                           [](ServedConnection& connection) {
                               connection.request();
                               connection.send(head + "event: close\ndata: {\"reason\":\"revoked\"}\n\n");
                               connection.wait_for_hang_up();
                           }});
    Client client(options_for(server));
    InboxHandlers handlers;
    handlers.on_message = [](const model::RawJson&) { return true; };
    EXPECT_EQ(client.follow_inbox("", "", handlers).error().code, base::Code::forbidden);
    Client second(options_for(server));
    EXPECT_EQ(second.follow_inbox("", "", handlers).error().code, base::Code::unauthenticated);
}

}  // namespace
}  // namespace belfry::client
