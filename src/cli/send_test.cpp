#include <gtest/gtest.h>

#include "cli/scripted_daemon_test.hpp"
#include "cli/world_test.hpp"
#include "codec/json.hpp"

namespace belfry::cli {
namespace {

// A JSON-RPC server on a socket that answers one request with `outcome`.
struct Rpc {
    Rpc(const std::string& path, std::string outcome)
        : server({[this, outcome = std::move(outcome)](ServedConnection& connection) {
                     body = body_of(connection.request());
                     const auto json = codec::validate(body);
                     const std::string id = json.ok() ? json->member("id")->as_text() : "";
                     const std::string answer = R"({"jsonrpc":"2.0","id":")" + id + "\"," + outcome + "}";
                     connection.send("content-length: " + std::to_string(answer.size()) + "\r\n\r\n" + answer);
                 }},
                 path) {}

    std::string body;
    ScriptedServer server;
};

const std::string receipt = R"("result":{"success":true,"message":"delivered","notification_id":"n-1"})";

TEST(Send, the_receipt_is_printed) {
    World world;
    const std::string path = world.folder.file("rpc.sock");
    {
        Rpc rpc(path, receipt);
        EXPECT_EQ(world.run({"send", "s1", "Go on", "--rpc", "unix:" + path}), Exit::ok) << world.err;
        EXPECT_EQ(world.out, "n-1\n");
        EXPECT_EQ(world.err, "delivered\n");
        EXPECT_NE(rpc.body.find(R"("session_id":"s1","message_type":"user_input")"), std::string::npos);
        EXPECT_NE(rpc.body.find(R"("payload":{"text":"Go on"})"), std::string::npos);
    }
    const std::string other = world.folder.file("other.sock");
    Rpc rpc(other, receipt);
    EXPECT_EQ(world.run({"send", "s1", "--type", "control_signal", "--payload", R"({ "action": "cancel" })", "--id",
                         "0198f2a0-0000-7000-8000-000000000001", "--json", "--rpc", other}),
              Exit::ok)
        << world.err;
    EXPECT_NE(rpc.body.find(R"("payload":{"action":"cancel"})"), std::string::npos) << rpc.body;
    EXPECT_EQ(world.out, R"({"success":true,"message":"delivered","notification_id":"n-1",)"
                         R"("message_id":"0198f2a0-0000-7000-8000-000000000001"})"
                         "\n");
}

TEST(Send, a_refusal_is_told) {
    World world;
    const std::string path = world.folder.file("rpc.sock");
    const Rpc rpc(path, R"("error":{"code":-32602,"message":"Session ID not found or invalid"})");
    EXPECT_EQ(world.run({"send", "nobody", "x", "--rpc", path}), Exit::failure);
    EXPECT_NE(world.err.find("Session ID not found or invalid"), std::string::npos);
}

TEST(Send, wrong_usage_is_told_before_anything_is_sent) {
    World world;
    EXPECT_EQ(world.run({"send"}), Exit::usage);
    EXPECT_EQ(world.run({"send", "s1"}), Exit::usage);
    EXPECT_EQ(world.run({"send", "s1", ""}), Exit::usage);
    EXPECT_EQ(world.run({"send", "s1", "x", "--payload", "{}"}), Exit::usage);
    EXPECT_EQ(world.run({"send", "s1", "--payload", "{"}), Exit::usage);
    EXPECT_EQ(world.run({"send", "s1", "x", "--rpc", "tcp://"}), Exit::usage);
}

TEST(Wait, wrong_usage_does_not_look_like_something_due) {
    World world;
    EXPECT_EQ(world.run({"wait"}), Exit::failure);
    EXPECT_EQ(world.run({"wait", "--session", "s", "--timeout", "soon"}), Exit::failure);
    EXPECT_EQ(world.run({"wait", "--session", "s", "--url", "unix:" + world.folder.file("none")}), Exit::unreachable);
}

}  // namespace
}  // namespace belfry::cli
