#include <gtest/gtest.h>

#include "net/test_client.hpp"
#include "net/test_house.hpp"

namespace belfry::net::test {
namespace {

std::string post(const std::string& type, const std::string& body, const std::string& fields = "") {
    return request("POST", "/v1/events", "emitter", "Content-Type: " + type + "\r\n" + fields, body);
}

TEST(Events, one_event_is_answered_with_its_id_and_sequence) {
    House house;
    Client client(house.server->port());
    const Got got = client.ask(post_event());
    EXPECT_EQ(got.status, 201);
    EXPECT_EQ(got.header("Content-Type"), "application/json");
    EXPECT_EQ(got.body, R"({"id":"00000000-0000-0000-0000-000000000000","sequence":1})");
}

TEST(Events, one_refused_event_gives_the_problem_itself) {
    House house;
    Client client(house.server->port());
    const Got got = client.ask(post("application/json", R"({"type":"refuse.me","source":"s"})"));
    EXPECT_EQ(got.status, 422);
    EXPECT_EQ(got.header("Content-Type"), "application/problem+json");
    EXPECT_NE(got.body.find(R"("code":"invalid")"), std::string::npos);
    EXPECT_NE(got.body.find(R"("field":"type")"), std::string::npos);
}

TEST(Events, a_batch_is_answered_entry_by_entry) {
    House house;
    Client client(house.server->port());
    const std::string good = R"({"type":"a.b","source":"s"})";
    const std::string bad = R"({"type":"refuse.me","source":"s"})";
    const Got some = client.ask(post("application/json", "[" + good + "," + bad + "," + good + "]"));
    EXPECT_EQ(some.status, 207);
    EXPECT_TRUE(some.body.starts_with(R"({"accepted":2,"refused":1,"data":[{"id":)")) << some.body;
    EXPECT_NE(some.body.find(R"({"error":{"code":"invalid","detail":"refused","field":"type"}})"), std::string::npos);
    EXPECT_EQ(client.ask(post("application/x-ndjson", good + "\n" + good + "\n")).status, 201);
    const Got none = client.ask(post("application/json", "[" + bad + "]"));
    EXPECT_EQ(none.status, 422);
    EXPECT_TRUE(none.body.starts_with(R"({"accepted":0,"refused":1)"));
}

TEST(Events, cloud_events_come_in_three_modes) {
    House house;
    Client client(house.server->port());
    const std::string event = R"({"specversion":"1.0","type":"a.b","source":"s","id":"1"})";
    EXPECT_EQ(client.ask(post("application/cloudevents+json", event)).status, 201);
    const Got batch = client.ask(post("application/cloudevents-batch+json", "[" + event + "]"));
    EXPECT_EQ(batch.status, 201);
    EXPECT_TRUE(batch.body.starts_with(R"({"accepted":1)"));
    const std::string attributes = "ce-specversion: 1.0\r\nce-type: a.b\r\nce-source: s\r\nCE-id: 2\r\n";
    const Got binary = client.ask(post("application/json", R"({"x":1})", attributes));
    EXPECT_EQ(binary.status, 201);
    EXPECT_TRUE(binary.body.starts_with(R"({"id":)"));
}

TEST(Events, what_is_no_event_is_refused_before_it_is_sent_on) {
    House house;
    Client client(house.server->port());
    EXPECT_EQ(client.ask(post("application/json", "{")).status, 400);
    EXPECT_EQ(client.ask(post("text/plain", "hello")).status, 415);
    EXPECT_EQ(client.ask(post("application/json", R"({"type":1})")).status, 422);
    EXPECT_EQ(house.gateway.submitted, 0);
}

TEST(Events, a_repeat_says_so) {
    House house;
    Client client(house.server->port());
    EXPECT_EQ(client.ask(post_event("emitter", "Idempotency-Key: first\r\n")).header("Idempotent-Replayed"), "");
    EXPECT_EQ(client.ask(post_event("emitter", "Idempotency-Key: again\r\n")).header("Idempotent-Replayed"), "true");
    house.on_network([&] { EXPECT_EQ(house.gateway.last_key, "again"); });
    const std::string longest(256, 'k');
    EXPECT_EQ(client.ask(post_event("emitter", "Idempotency-Key: " + longest + "\r\n")).status, 413);
}

TEST(Events, a_repeat_is_told_from_another_request_by_all_that_makes_the_event) {
    House house;
    Client client(house.server->port());
    const auto fingerprint = [&](const std::string& type, const std::string& fields, const std::string& body) {
        EXPECT_EQ(client.ask(post(type, body, "Idempotency-Key: k\r\n" + fields)).status, 201);
        std::array<std::uint8_t, 16> got{};
        house.on_network([&] { got = house.gateway.last_fingerprint; });
        return got;
    };
    const std::string json = "application/json";
    const std::string ce = "ce-specversion: 1.0\r\nce-source: s\r\nce-id: 1\r\n";
    const auto first = fingerprint(json, ce + "ce-type: a.b\r\n", "{}");
    EXPECT_EQ(first, fingerprint(json, "CE-Type: a.b\r\nX-Trace: 7\r\n" + ce, "{}"));
    EXPECT_NE(first, fingerprint(json, ce + "ce-type: a.c\r\n", "{}"));
    EXPECT_NE(first, fingerprint(json, ce + "ce-type: a.b\r\nce-subject: x\r\n", "{}"));
    EXPECT_NE(first, fingerprint(json, ce + "ce-type: a.b\r\n", "{ }"));
    EXPECT_NE(first, fingerprint("text/plain", ce + "ce-type: a.b\r\n", "{}"));
}

TEST(Events, a_full_queue_says_when_to_come_back) {
    House house;
    house.on_network([&] { house.gateway.full = true; });
    Client client(house.server->port());
    const Got got = client.ask(post_event());
    EXPECT_EQ(got.status, 503);
    EXPECT_EQ(got.header("Retry-After"), "1");
    EXPECT_NE(got.body.find(R"("code":"overloaded")"), std::string::npos);
}

TEST(Events, a_token_has_its_rate) {
    House house;
    house.on_network([&] { house.access.add("slow", model::Role::emitter, 2); });
    Client client(house.server->port());
    EXPECT_EQ(client.ask(post_event("slow")).status, 201);
    EXPECT_EQ(client.ask(post_event("slow")).status, 201);
    const Got refused = client.ask(post_event("slow"));
    EXPECT_EQ(refused.status, 429);
    EXPECT_EQ(refused.header("Retry-After"), "1");
    EXPECT_EQ(client.ask(post_event("emitter")).status, 201);
    house.pass(base::seconds(1));
    EXPECT_EQ(client.ask(post_event("slow")).status, 201);
}

TEST(Events, a_batch_counts_by_its_entries) {
    House house;
    house.on_network([&] { house.access.add("slow", model::Role::emitter, 2); });
    Client client(house.server->port());
    const std::string one = R"({"type":"a.b","source":"s"})";
    const std::string three = "[" + one + "," + one + "," + one + "]";
    const std::string fields = "Content-Type: application/json\r\n";
    EXPECT_EQ(client.ask(request("POST", "/v1/events", "slow", fields, three)).status, 201);
    EXPECT_EQ(client.ask(post_event("slow")).status, 429) << "three of two";
}

}  // namespace
}  // namespace belfry::net::test
