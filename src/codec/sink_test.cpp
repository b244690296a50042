#include "codec/sink.hpp"

#include <gtest/gtest.h>

#include "codec/http_url.hpp"
#include "codec/standard_webhooks.hpp"
#include "codec/subscriber.hpp"

namespace belfry::codec {
namespace {

const std::string secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

std::string problems(const std::string& text) {
    std::string lines;
    for (const auto& problem : parse_sink(text, "f").problems) {
        lines += (lines.empty() ? "" : "\n") + problem_line(problem);
    }
    return lines;
}

TEST(Sink, every_field_of_a_webhook_is_read) {
    const ParsedSink parsed = parse_sink(
        "[sink]\nid = \"ops\"\nkind = \"webhook\"\ntimeout_s = 5\n"
        "[when]\nusers = [\"ada\"]\npriorities = [\"critical\", \"high\"]\nseverities = [\"error\"]\n"
        "[webhook]\nurl = \"https://ops.example/in?team=1\"\nsecret = \"" +
            secret + "\"\n[webhook.headers]\nX-Team = \"blue\"\n",
        "/s/ops.toml");
    ASSERT_TRUE(parsed.problems.empty()) << problem_line(parsed.problems[0]);
    model::Sink expected;
    expected.id = "ops";
    expected.kind = model::SinkKind::webhook;
    expected.time_max = base::seconds(5);
    expected.users = {"ada"};
    expected.priorities = {model::Priority::critical, model::Priority::high};
    expected.severities = {model::Severity::error};
    expected.url = "https://ops.example/in?team=1";
    expected.secret = *parse_webhook_secret(secret);
    expected.headers = {{"X-Team", "blue"}};
    expected.origin = "/s/ops.toml";
    EXPECT_EQ(parsed.sink, expected);
}

TEST(Sink, the_other_kinds_have_their_tables) {
    const ParsedSink command =
        parse_sink("[sink]\nid = \"c\"\nkind = \"command\"\n[command]\nargv = [\"/bin/say\", \"x y\"]\n", "f");
    ASSERT_TRUE(command.problems.empty()) << problem_line(command.problems[0]);
    EXPECT_EQ(command.sink.argv, (std::vector<std::string>{"/bin/say", "x y"}));
    EXPECT_EQ(command.sink.time_max, base::seconds(10));
    const ParsedSink ntfy = parse_sink(
        "[sink]\nid = \"n\"\nkind = \"ntfy\"\n[ntfy]\nurl = \"http://127.0.0.1:8080\"\ntopic = \"my-bell\"\n"
        "token = \"tk_1\"\n",
        "f");
    ASSERT_TRUE(ntfy.problems.empty()) << problem_line(ntfy.problems[0]);
    EXPECT_EQ(ntfy.sink.topic, "my-bell");
    EXPECT_EQ(ntfy.sink.token, "tk_1");
    EXPECT_TRUE(parse_sink("[sink]\nid = \"d\"\nkind = \"desktop\"\n", "f").problems.empty());
}

TEST(Sink, what_is_wrong_is_said_with_its_place_and_field) {
    EXPECT_EQ(problems("[sink]\nid = \"A\"\nkind = \"pigeon\"\ntimeout_s = 31\n"),
              "f:2:6: sink.id: must be a lower-case letter followed by lower-case letters, digits and `_`, at most 64 "
              "characters, not \"A\"\n"
              "f:3:8: sink.kind: must be desktop, command, ntfy or webhook, not \"pigeon\"\n"
              "f:4:13: sink.timeout_s: must be a whole number from 1 to 30, not 31");
    EXPECT_EQ(problems("[sink]\nid = \"a\"\nkind = \"command\"\n[comand]\nx = 1\n"),
              "f: command.argv: is missing: the program and its arguments, without a shell\n"
              "f:5:5: comand.x: is no field of a sink");
    EXPECT_EQ(problems("[sink]\nid = \"a\"\nkind = \"desktop\"\n[when]\npriorities = [\"loud\"]\n"),
              "f:5:14: when.priorities[0]: \"loud\" is no priority: critical, high, normal or low");
    EXPECT_EQ(problems("[sink]\nid = \"a\"\nkind = \"desktop\"\n[ntfy]\ntopic = \"x\"\n"),
              "f:4:1: ntfy: is for a sink of kind ntfy, and this one is of kind desktop");
    EXPECT_EQ(problems("[sink"), "f:1:6: " + parse_sink("[sink", "f").problems.at(0).message);
}

TEST(Sink, a_refused_secret_is_not_repeated_and_our_own_headers_are_ours) {
    const std::string said = problems(
        "[sink]\nid = \"a\"\nkind = \"webhook\"\n[webhook]\nurl = \"ftp://x\"\nsecret = \"hunter2\"\n"
        "headers = { Webhook-Id = \"1\", X-A = \"a\\nb\" }\n");
    EXPECT_EQ(said.find("hunter2"), std::string::npos) << said;
    EXPECT_EQ(said.find("ftp://x"), std::string::npos) << said;
    EXPECT_NE(said.find("f:6:10: webhook.secret: must be whsec_ and the base64 of 24 to 64 bytes"), std::string::npos)
        << said;
    EXPECT_NE(said.find("webhook.url: must be http://"), std::string::npos) << said;
    EXPECT_NE(said.find("webhook.headers.Webhook-Id: is set by Belfry itself"), std::string::npos) << said;
    EXPECT_NE(said.find("webhook.headers.X-A: must be a text of printable ASCII"), std::string::npos) << said;
}

TEST(HttpUrl, is_split_into_server_and_target) {
    EXPECT_EQ(split_http_url("http://a.b:81/c?d=e")->origin, "http://a.b:81");
    EXPECT_EQ(split_http_url("http://a.b:81/c?d=e")->target, "/c?d=e");
    EXPECT_EQ(split_http_url("https://[::1]")->target, "/");
    EXPECT_EQ(split_http_url("https://x?y")->target, "/?y");
    for (const std::string_view wrong :
         {"x", "ftp://x", "http://", "http://u@x", "http://u:p@x/", "http://x:0", "http://x:99999", "http://x/#f",
          "http://x/a b", "http://x/\n", "http://[::1", "file:///etc/passwd", "unix:/x"}) {
        EXPECT_FALSE(split_http_url(wrong)) << wrong;
    }
}

TEST(StandardWebhooks, the_signature_is_that_of_the_specification) {
    const auto bytes = parse_webhook_secret(secret);
    ASSERT_TRUE(bytes);
    EXPECT_EQ(sign_webhook(*bytes, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, R"({"test": 2432232314})"),
              "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    EXPECT_FALSE(parse_webhook_secret("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"));
    EXPECT_FALSE(parse_webhook_secret("whsec_c2hvcnQ="));
}

}  // namespace
}  // namespace belfry::codec
