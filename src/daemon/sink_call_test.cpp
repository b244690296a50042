#include "daemon/sink_call.hpp"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

#include "base/hash.hpp"
#include "codec/json.hpp"
#include "codec/standard_webhooks.hpp"
#include "host/files.hpp"
#include "host/signals.hpp"
#include "host/temporary_folder_test.hpp"
#include "wire/scripted_server_test.hpp"

namespace belfry::daemon {
namespace {

const std::string secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

std::string header_of(const std::string& request, const std::string& name) {
    const std::size_t at = request.find("\r\n" + name + ": ");
    if (at == std::string::npos) return {};
    const std::size_t begin = at + name.size() + 4;
    return request.substr(begin, request.find("\r\n", begin) - begin);
}

std::string body_of(const std::string& request) {
    return request.substr(request.find("\r\n\r\n") + 4);
}

// A real server that gives the answers in their order, one a connection, and keeps what it was asked.
struct Receiver {
    explicit Receiver(const std::vector<int>& statuses) : server(scripts(statuses)) {}

    std::vector<wire::ScriptedServer::Script> scripts(const std::vector<int>& statuses) {
        std::vector<wire::ScriptedServer::Script> made;
        for (const int status : statuses) {
            made.push_back([this, status](wire::ServedConnection& connection) {
                requests.push_back(connection.request());
                connection.answer(status, status / 100 == 2 ? "" : "not now\nreally");
            });
        }
        return made;
    }

    std::vector<std::string> requests;
    wire::ScriptedServer server;
};

class SinkCalls : public ::testing::Test {
protected:
    SinkCalls() { host::ignore_broken_pipes(); }

    static model::Notification notification() {
        model::Notification made;
        made.id.uuid = *base::parse_uuid("01890a5d-ac96-774b-bcce-b302099a8057");
        made.scope.user_id = "ada";
        made.address = model::Address::user;
        made.target = model::Target::user;
        made.priority = model::Priority::critical;
        made.text = "It <burns> & hurts";
        made.created_at = *base::parse_timestamp("2026-01-02T03:04:05Z");
        return made;
    }

    static model::Sink webhook(const Receiver& receiver) {
        model::Sink sink;
        sink.id = "ops";
        sink.kind = model::SinkKind::webhook;
        sink.url = receiver.server.endpoint().text() + "/in?team=1";
        sink.secret = *codec::parse_webhook_secret(secret);
        sink.headers = {{"X-Team", "blue"}};
        return sink;
    }

    std::string script(const std::string& name, const std::string& body) {
        const std::string path = folder.file(name);
        std::ofstream(path) << "#!/bin/sh\n" << body;
        std::filesystem::permissions(path, std::filesystem::perms(0755));
        return path;
    }

    base::Result<std::string> call(const model::Sink& sink) {
        return call_sink({sink, notification(), "call-1", base::Timestamp{1'614'265'330'000'000}}, environment,
                         interrupt);
    }

    host::TemporaryFolder folder;
    host::Environment environment{{{"PATH", folder.path() + ":/usr/bin:/bin"}}};
    wire::Interrupt interrupt;
};

TEST_F(SinkCalls, a_webhook_is_signed_so_that_its_receiver_can_check_it) {
    Receiver receiver({204});
    const auto outcome = call(webhook(receiver));
    ASSERT_TRUE(outcome.ok()) << outcome.error().message;
    EXPECT_EQ(*outcome, "HTTP 204");
    const std::string& request = receiver.requests.at(0);
    EXPECT_TRUE(request.starts_with("POST /in?team=1 HTTP/1.1\r\n")) << request;
    EXPECT_EQ(header_of(request, "X-Team"), "blue");
    EXPECT_EQ(header_of(request, "webhook-id"), "call-1");
    EXPECT_EQ(header_of(request, "webhook-timestamp"), "1614265330");
    // As a receiver does it, from the text of the secret.
    const base::Sha256 code =
        base::hmac_sha256(*base::parse_base64(secret.substr(6)), "call-1.1614265330." + body_of(request));
    EXPECT_EQ(header_of(request, "webhook-signature"),
              "v1," + base::base64({reinterpret_cast<const char*>(code.data()), code.size()}));
    const auto body = codec::validate(body_of(request));
    ASSERT_TRUE(body.ok());
    EXPECT_EQ(body->member("data")->member("text")->as_text(), "It <burns> & hurts");
}

TEST_F(SinkCalls, a_server_that_refuses_or_is_away_is_a_failure_with_its_words) {
    Receiver receiver({503, 302, 410});
    model::Sink sink = webhook(receiver);
    EXPECT_EQ(call(sink).error().message, receiver.server.endpoint().text() + " answered HTTP 503: not now");
    EXPECT_EQ(call(sink).error().message, receiver.server.endpoint().text() + " answered HTTP 302: not now");
    EXPECT_EQ(call(sink).error().code, base::Code::gone);
    sink.url = "http://127.0.0.1:1/";
    EXPECT_EQ(call(sink).error().code, base::Code::unavailable);
}

TEST_F(SinkCalls, ntfy_gets_a_message_for_its_topic) {
    Receiver receiver({200});
    model::Sink sink;
    sink.id = "phone";
    sink.kind = model::SinkKind::ntfy;
    sink.url = receiver.server.endpoint().text();
    sink.topic = "bell";
    sink.token = "tk_1";
    ASSERT_TRUE(call(sink).ok());
    EXPECT_TRUE(receiver.requests.at(0).starts_with("POST / HTTP/1.1\r\n"));
    EXPECT_EQ(header_of(receiver.requests[0], "Authorization"), "Bearer tk_1");
    EXPECT_EQ(body_of(receiver.requests[0]), R"({"topic":"bell","title":"Belfry","message":"It <burns> & hurts",)"
                                             R"("priority":5,"tags":["info"]})");
}

TEST_F(SinkCalls, a_command_reads_the_notification_and_its_failure_is_told) {
    const std::string heard = folder.file("heard");
    model::Sink sink;
    sink.kind = model::SinkKind::command;
    sink.argv = {script("say", "cat > \"$1\""), heard};
    ASSERT_TRUE(call(sink).ok());
    const auto json = codec::validate(*host::read_file(heard, 10'000));
    ASSERT_TRUE(json.ok());
    EXPECT_EQ(json->member("user_id")->as_text(), "ada");
    EXPECT_EQ(json->member("type")->as_text(), "notification");
    sink.argv = {script("fail", "echo broken >&2; exit 7")};
    EXPECT_EQ(call(sink).error().message, sink.argv[0] + " ended with exit code 7: broken");
}

TEST_F(SinkCalls, the_desktop_is_told_by_its_own_program_without_markup) {
    model::Sink sink;
    sink.kind = model::SinkKind::desktop;
    const std::string heard = folder.file("heard");
    script("notify-send", "printf '%s\\n' \"$@\" > " + heard);
    ASSERT_TRUE(call(sink).ok());
    EXPECT_EQ(*host::read_file(heard, 10'000),
              "--app-name=Belfry\n--urgency=critical\n--\nBelfry\nIt &lt;burns&gt; &amp; hurts\n");
    environment = host::Environment(std::map<std::string, std::string, std::less<>>{{"PATH", "/nope"}});
    EXPECT_EQ(call(sink).error().message, "there is no program notify-send");
}

}  // namespace
}  // namespace belfry::daemon
