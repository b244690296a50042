#include "client/sender.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <gtest/gtest.h>
#include <vector>

#include "client/scripted_server_test.hpp"
#include "codec/json.hpp"

namespace belfry::client {
namespace {

using base::milliseconds;
using base::seconds;
using base::Timestamp;

constexpr Timestamp start{1'794'657'600'000'000};  // 2026-11-14T12:00:00Z

// Time stands still until a test moves it.
class ManualClock final : public SendClock {
public:
    Timestamp now() override {
        const std::lock_guard lock(mutex_);
        return now_;
    }
    void wait_until(std::unique_lock<std::mutex>& lock, std::condition_variable& changed, Timestamp until) override {
        {
            const std::lock_guard own(mutex_);
            if (now_ >= until) return;
            until_ = until;
            sleeper_ = lock.mutex();
            changed_ = &changed;
        }
        asleep_.notify_all();
        changed.wait(lock);
    }

    // Waits (really) until the sender sleeps until a time that is not longer away than `near`, and tells it. Nothing:
    // it does not in ten seconds, or `unless` has come true.
    std::optional<Timestamp> sleeps_until(base::Duration near = seconds(10), const std::function<bool()>& unless = {}) {
        std::unique_lock lock(mutex_);
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
        while (until_ <= now_ || until_ - now_ > near) {
            if (unless && unless()) return std::nullopt;
            if (std::chrono::steady_clock::now() > end) return std::nullopt;
            asleep_.wait_for(lock, std::chrono::milliseconds(5));
        }
        return until_;
    }

    void advance_to(Timestamp time) {
        std::mutex* sleeper = nullptr;
        std::condition_variable* changed = nullptr;
        {
            const std::lock_guard lock(mutex_);
            now_ = time;
            sleeper = sleeper_;
            changed = changed_;
        }
        if (sleeper == nullptr) return;
        {
            const std::lock_guard lock(*sleeper);
        }  // it sleeps, or has seen the new time
        changed->notify_all();
    }

private:
    std::mutex mutex_;
    std::condition_variable asleep_;
    Timestamp now_ = start;
    Timestamp until_;
    std::mutex* sleeper_ = nullptr;
    std::condition_variable* changed_ = nullptr;
};

// What became of messages, for the test's thread.
struct Outcomes {
    std::mutex mutex;
    std::vector<base::Result<Receipt>> all;
    std::vector<std::string> feedback;

    Sender::OnDone taker() {
        return [this](const base::Result<Receipt>& result) {
            const std::lock_guard lock(mutex);
            all.push_back(result);
        };
    }
    std::size_t count() {
        const std::lock_guard lock(mutex);
        return all.size();
    }
    std::vector<std::string> said() {
        const std::lock_guard lock(mutex);
        return feedback;
    }
};

class Sending : public testing::Test {
protected:
    Sending() {
        path = testing::TempDir() + "belfry-send-" + std::to_string(::getpid()) + ".sock";
        std::filesystem::remove(path);
        options.server.endpoint.scheme = wire::Endpoint::Scheme::unix_socket;
        options.server.endpoint.socket_path = path;
        options.on_feedback = [this](std::string_view text, const std::string&) {
            const std::lock_guard lock(outcomes.mutex);
            outcomes.feedback.emplace_back(text);
        };
    }
    ~Sending() override { std::filesystem::remove(path); }

    static UserMessage message(std::string text = "hello") {
        UserMessage made;
        made.session_id = "s1";
        std::string payload;
        model::JsonWriter(payload).begin_object().field("text", text).end_object();
        made.payload = model::RawJson::trusted(std::move(payload));
        return made;
    }

    // Lets time pass from sleep to sleep until so many messages have an outcome.
    bool pass_until_done(std::size_t count) {
        while (outcomes.count() < count) {
            const auto until = clock.sleeps_until(seconds(10), [&] { return outcomes.count() >= count; });
            if (until) clock.advance_to(*until);
            else if (outcomes.count() < count) return false;
        }
        return true;
    }

    std::string path;
    SenderOptions options;
    ManualClock clock;
    Outcomes outcomes;
};

std::string body_of(const std::string& frame) {
    return frame.substr(frame.find("\r\n\r\n") + 4);
}

std::string member(const std::string& body, std::string_view name) {
    const auto json = codec::validate(body);
    if (!json.ok()) return "no JSON";
    const auto value = json->member(name);
    return value ? value->as_text() : "";
}

std::string framed(const std::string& body) {
    return "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

void give_receipt(ServedConnection& connection, const std::string& request) {
    connection.send(framed(R"({"jsonrpc":"2.0","id":")" + member(body_of(request), "id") +
                           R"(","result":{"success":true,"message":"taken","notification_id":"n-1"}})"));
}

// Answers so many requests of one connection and keeps their bodies.
ScriptedServer::Script answering(std::vector<std::string>& bodies, int count) {
    return [&bodies, count](ServedConnection& connection) {
        for (int i = 0; i < count; ++i) {
            const std::string request = connection.request();
            if (request.empty()) return;
            bodies.push_back(body_of(request));
            give_receipt(connection, request);
        }
    };
}

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
    EXPECT_EQ(outcomes.said(), std::vector<std::string>{"Connection lost, retrying..."});
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
    EXPECT_EQ(sender.send(message()).error().code, base::Code::rate_limited);
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
