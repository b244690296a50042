#include "client/client.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <gtest/gtest.h>
#include <mutex>

#include "client/requests.hpp"
#include "client/scripted_server_test.hpp"
#include "codec/sse.hpp"

namespace belfry::client {
namespace {

const std::string taken_one = R"({"accepted":1,"refused":0,"data":[{"id":"e1","sequence":7}]})";

Options options_for(const ScriptedServer& server) {
    Options options;
    options.endpoint = server.endpoint();
    options.token = "bf_a_b";
    options.pauses = {base::milliseconds(1)};
    return options;
}

std::string header_of(const std::string& request, const std::string& name) {
    const std::size_t at = request.find("\r\n" + name + ": ");
    if (at == std::string::npos) return {};
    const std::size_t begin = at + name.size() + 4;
    return request.substr(begin, request.find("\r\n", begin) - begin);
}

std::string first_line(const std::string& request) {
    return request.substr(0, request.find("\r\n"));
}

model::Event event_of(std::string type) {
    model::Event event;
    event.type = std::move(type);
    return event;
}

TEST(ClientEmit, sends_the_event_and_returns_its_place) {
    std::string seen;
    const ScriptedServer server({[&](ServedConnection& connection) {
        seen = connection.request();
        connection.answer(201, taken_one);
    }});
    Client client(options_for(server));
    model::Event event = event_of("a.b");
    event.source = "t\"est";
    event.severity = model::Severity::error;
    event.source_id = "mine";
    event.run_id = 5;
    event.tokens = {"x"};
    event.payload = model::RawJson::trusted(R"({"k":1})");
    const auto emitted = client.emit({event}, "my key");
    ASSERT_TRUE(emitted.ok()) << emitted.error().message;
    EXPECT_EQ(emitted->entries.at(0)->id, "e1");
    EXPECT_EQ(emitted->entries.at(0)->sequence, 7U);
    EXPECT_EQ(first_line(seen), "POST /v1/events HTTP/1.1");
    EXPECT_EQ(header_of(seen, "Authorization"), "Bearer bf_a_b");
    EXPECT_EQ(header_of(seen, "Idempotency-Key"), "my key");
    EXPECT_EQ(header_of(seen, "Content-Type"), "application/x-ndjson");
    EXPECT_EQ(
        seen.substr(seen.find("\r\n\r\n") + 4),
        R"({"id":"mine","type":"a.b","source":"t\"est","severity":"error","run_id":5,"tokens":["x"],"payload":{"k":1}})"
        "\n");
}

TEST(ClientEmit, every_retry_carries_the_same_key_and_body) {
    std::vector<std::string> seen;
    const auto refuse = [&](ServedConnection& connection) {
        seen.push_back(connection.request());
        connection.answer(503, R"({"code":"overloaded","detail":"full","status":503})", "Connection: close\r\n");
    };
    const auto lose = [&](ServedConnection& connection) { seen.push_back(connection.request()); };
    const auto half = [&](ServedConnection& connection) {
        seen.push_back(connection.request());
        connection.send("HTTP/1.1 201 Created\r\nContent-Le");
    };
    const auto take = [&](ServedConnection& connection) {
        seen.push_back(connection.request());
        connection.answer(201, taken_one, "Idempotent-Replayed: true\r\n");
    };
    const ScriptedServer server({refuse, lose, half, take});
    Client client(options_for(server));
    const auto emitted = client.emit({event_of("a.b")});
    ASSERT_TRUE(emitted.ok()) << emitted.error().message;
    EXPECT_TRUE(emitted->replayed);
    ASSERT_EQ(seen.size(), 4U);
    EXPECT_GE(header_of(seen[0], "Idempotency-Key").size(), 20U);
    for (const std::string& request : seen) EXPECT_EQ(request, seen[0]);
}

TEST(ClientEmit, waits_when_it_was_too_fast_and_asks_nobody_about_nothing) {
    int asked = 0;
    std::chrono::steady_clock::duration waited{};
    const ScriptedServer server({[&](ServedConnection& connection) {
        connection.request();
        ++asked;
        const auto answered = std::chrono::steady_clock::now();
        connection.answer(429, R"({"code":"rate_limited","detail":"slower"})", "Retry-After: 1\r\n");
        connection.request();
        waited = std::chrono::steady_clock::now() - answered;
        ++asked;
        connection.answer(201, taken_one);
    }});
    Client client(options_for(server));
    EXPECT_TRUE(client.emit({event_of("a.b")}).ok());
    EXPECT_EQ(asked, 2);
    EXPECT_GE(waited, std::chrono::seconds(1)) << "it was told when to come back";
    EXPECT_TRUE(client.emit(std::vector<model::Event>{})->entries.empty());
}

TEST(ClientEmit, two_emits_have_different_keys) {
    std::vector<std::string> keys;
    const ScriptedServer server({[&](ServedConnection& connection) {
        for (int i = 0; i < 2; ++i) {
            keys.push_back(header_of(connection.request(), "Idempotency-Key"));
            connection.answer(201, taken_one);
        }
    }});
    Client client(options_for(server));
    ASSERT_TRUE(client.emit({event_of("a.b")}).ok());
    ASSERT_TRUE(client.emit({event_of("a.b")}).ok());
    ASSERT_EQ(keys.size(), 2U);
    EXPECT_NE(keys[0], keys[1]);
}

TEST(ClientEmit, gives_up_after_its_attempts_and_says_why) {
    std::vector<ScriptedServer::Script> scripts;
    int asked = 0;
    for (int i = 0; i < 10; ++i) {
        scripts.emplace_back([&](ServedConnection& connection) {
            connection.request();
            ++asked;
            connection.answer(503, R"({"code":"outcome_unknown","detail":"the disk is odd"})", "Connection: close\r\n");
        });
    }
    const ScriptedServer server(std::move(scripts));
    Options options = options_for(server);
    options.emit_attempts_max = 3;
    Client client(options);
    const auto emitted = client.emit({event_of("a.b")});
    ASSERT_FALSE(emitted.ok());
    EXPECT_EQ(emitted.error().code, base::Code::outcome_unknown);
    EXPECT_EQ(emitted.error().message, "the disk is odd");
    EXPECT_EQ(asked, 3);
}

TEST(ClientEmit, a_refusal_is_not_repeated) {
    int asked = 0;
    const auto refuse = [&](ServedConnection& connection) {
        connection.request();
        ++asked;
        connection.answer(403, R"({"code":"forbidden","detail":"not yours","field":"user_id"})",
                          "Connection: close\r\n");
    };
    const ScriptedServer server({refuse, refuse});
    Client client(options_for(server));
    const auto emitted = client.emit({event_of("a.b")});
    ASSERT_FALSE(emitted.ok());
    EXPECT_EQ(emitted.error(), base::error(base::Code::forbidden, "not yours", "user_id"));
    EXPECT_EQ(asked, 1);
}

TEST(ClientEmit, single_refusals_are_told_one_by_one) {
    const ScriptedServer server({[](ServedConnection& connection) {
        connection.request();
        connection.answer(207, R"({"accepted":1,"refused":1,"data":[{"error":{"code":"invalid","detail":"bad",)"
                               R"("field":"type"}},{"id":"e2","sequence":9}]})");
        connection.request();
        connection.answer(422, R"({"accepted":0,"refused":1,"data":[{"error":{"code":"too_large","detail":"long"}}]})");
        connection.request();
        connection.answer(422, R"({"status":422,"code":"invalid","detail":"nothing there"})");
    }});
    Client client(options_for(server));
    const auto some = client.emit({event_of("a.b"), event_of("a.c")});
    ASSERT_TRUE(some.ok()) << some.error().message;
    EXPECT_EQ(some->refused(), 1U);
    EXPECT_EQ(some->entries[0].error(), base::error(base::Code::invalid, "bad", "type"));
    EXPECT_EQ(some->entries[1]->sequence, 9U);
    const auto none = client.emit({event_of("a.b")});
    ASSERT_TRUE(none.ok());
    EXPECT_EQ(none->entries[0].error().code, base::Code::too_large);
    EXPECT_EQ(client.emit({event_of("a.b")}).error(), base::error(base::Code::invalid, "nothing there"));
}

TEST(Client, says_how_to_start_a_daemon_that_is_not_there) {
    Options options;
    {
        const ScriptedServer gone({});
        options = options_for(gone);
    }
    Client client(options);
    const auto emitted = client.emit({event_of("a.b")});
    ASSERT_FALSE(emitted.ok());
    EXPECT_EQ(emitted.error().code, base::Code::unavailable);
    EXPECT_EQ(emitted.error().message, "cannot connect to " + options.endpoint.text() +
                                           ": Connection refused; is the daemon running? start it with `belfry serve`");
}

TEST(Client, reads_pages_with_filters) {
    std::string seen;
    const ScriptedServer server({[&](ServedConnection& connection) {
        seen = connection.request();
        connection.answer(200, R"({"data":[{"sequence":4,"event":{"type":"a.b","payload":{"x":[1]}}},)"
                               R"({"sequence":5,"erased":true}],"next":5,"has_more":true})");
    }});
    Client client(options_for(server));
    model::StreamFilter filter;
    filter.type_patterns = {"tool.*", "a&b"};
    filter.severity_min = model::Severity::warning;
    filter.user_id = "ada l";
    const auto page = client.page("events", 3, 50, filter);
    ASSERT_TRUE(page.ok()) << page.error().message;
    EXPECT_EQ(
        first_line(seen),
        "GET /v1/streams/events?after=3&limit=50&type=tool.%2A&type=a%26b&severity=warning&user=ada%20l HTTP/1.1");
    ASSERT_EQ(page->entries.size(), 2U);
    EXPECT_EQ(page->entries[0].event.bytes(), R"({"type":"a.b","payload":{"x":[1]}})");
    EXPECT_TRUE(page->entries[1].erased);
    EXPECT_EQ(page->next, 5U);
    EXPECT_TRUE(page->has_more);
}

TEST(Client, an_answer_of_somebody_else_is_known_as_such) {
    const ScriptedServer server({[](ServedConnection& connection) {
        for (const char* body : {"<html>", "{}", R"({"data":5})", R"({"data":[{"sequence":1}]})"}) {
            connection.request();
            connection.answer(200, body);
        }
    }});
    Client client(options_for(server));
    for (int i = 0; i < 4; ++i) EXPECT_EQ(client.page("events", 0, 0).error().code, base::Code::malformed) << i;
}

TEST(Client, administers) {
    std::vector<std::string> seen;
    const ScriptedServer server({[&](ServedConnection& connection) {
        seen.push_back(connection.request());
        connection.answer(201, R"({"id":"t1","token":"bf_t1_s","name":"ci","role":"emitter","expires_at":null})");
        seen.push_back(connection.request());
        connection.answer(200, R"({"data":[{"id":"t1","name":"ci"}],"next":null,"has_more":false})");
        seen.push_back(connection.request());
        connection.answer(204, "");
        seen.push_back(connection.request());
        connection.answer(201, R"({"ticket":"tick","expires_in":60})");
        seen.push_back(connection.request());
        connection.answer(202, R"({"id":"er1"})");
        seen.push_back(connection.request());
        connection.answer(200, R"({"id":"er1","state":"done","attempts":2,"progress":{"erased":3},"last_error":null})");
        seen.push_back(connection.request());
        connection.answer(200,
                          R"({"readiness":"ready","version":"1","pid":5,"store":{"backend":"sqlite","wal_bytes":9},)"
                          R"("streams":[{"name":"events","head":3,"floor":1}],"connections":2})");
    }});
    Client client(options_for(server));
    TokenRequest request;
    request.name = "ci";
    request.ttl_s = 60;
    request.bounds.type_prefixes = {"ci"};
    request.bounds.severity_max = model::Severity::error;
    const auto minted = client.mint_token(request);
    ASSERT_TRUE(minted.ok()) << minted.error().message;
    EXPECT_EQ(minted->token, "bf_t1_s");
    EXPECT_EQ(minted->expires_at, "");
    EXPECT_EQ(client.tokens()->at(0).name, "ci");
    EXPECT_TRUE(client.revoke_token("t/1").ok());
    EXPECT_EQ(client.ticket()->ticket, "tick");
    EXPECT_EQ(client.erase_user("ada")->id, "er1");
    const auto erasure = client.erasure("er1");
    EXPECT_EQ(erasure->state, "done");
    EXPECT_EQ(erasure->progress.bytes(), R"({"erased":3})");
    const auto status = client.status();
    EXPECT_EQ(status->readiness, "ready");
    EXPECT_EQ(status->wal_bytes, 9);
    EXPECT_EQ(status->streams.at(0).head, 3U);
    ASSERT_EQ(seen.size(), 7U);
    EXPECT_EQ(seen[0].substr(seen[0].find("\r\n\r\n") + 4),
              R"({"name":"ci","role":"emitter","ttl_s":60,"bounds":{"type_prefixes":["ci"],"severity_max":"error"}})");
    EXPECT_EQ(first_line(seen[2]), "DELETE /v1/tokens/t%2F1 HTTP/1.1");
    EXPECT_EQ(seen[4].substr(seen[4].find("\r\n\r\n") + 4), R"({"user_id":"ada"})");
}

TEST(Client, making_a_token_is_never_repeated) {
    std::atomic<int> asked = 0;
    const auto lose = [&](ServedConnection& connection) {
        connection.request();
        ++asked;
    };
    const ScriptedServer server({lose, lose});
    Client client(options_for(server));
    EXPECT_EQ(client.mint_token({}).error().code, base::Code::outcome_unknown);
    EXPECT_EQ(asked, 1);
}

}  // namespace
}  // namespace belfry::client
