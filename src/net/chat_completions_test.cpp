#include "net/outbound/chat_completions.hpp"

#include <condition_variable>
#include <future>
#include <gtest/gtest.h>
#include <mutex>
#include <thread>

#include "wire/scripted_server_test.hpp"

namespace belfry::net {
namespace {

using model::ChatAnswer;
using model::ChatFailure;
using model::ChatFailureKind;
using model::ChatLimit;
using wire::ScriptedServer;
using wire::ServedConnection;

const std::string stream_head =
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";
const std::string stream_end = "0\r\n\r\n";

std::string chunk(const std::string& bytes) {
    std::array<char, 16> digits{};
    std::snprintf(digits.data(), digits.size(), "%zx", bytes.size());
    return digits.data() + ("\r\n" + bytes + "\r\n");
}
std::string say(const std::string& text) {
    return chunk(R"(data: {"choices":[{"delta":{"content":")" + text + "\"}}]}\n\n");
}
const std::string stop = chunk("data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n");
const std::string done = chunk("data: [DONE]\n\n");

model::ChatRequest question(const ScriptedServer& server) {
    model::ChatRequest request;
    request.endpoint.base_url = server.endpoint().text() + "/v1";
    request.endpoint.secret = "sk-very-secret";
    request.model = "m";
    request.messages = {{model::ChatRole::user, "Hi", {}, {}}};
    return request;
}

ChatCompletions models() {
    return ChatCompletions([](std::string_view text) { return static_cast<std::int64_t>(text.size()); });
}

model::ChatOutcome ask(model::ChatRequest request, std::vector<std::string>* pieces = nullptr) {
    ChatCompletions model = models();
    return model.begin(std::move(request))->wait([pieces](std::string_view piece) {
        if (pieces != nullptr) pieces->emplace_back(piece);
    });
}

// What an answer of these bytes becomes; the connection ends after it.
model::ChatOutcome answered(const std::string& bytes) {
    const ScriptedServer server({[&bytes](ServedConnection& connection) {
        connection.request();
        connection.send(bytes);
    }});
    return ask(question(server));
}

ChatFailure failure_of(const model::ChatOutcome& outcome) {
    const auto* const failure = std::get_if<ChatFailure>(&outcome);
    EXPECT_NE(failure, nullptr) << "it answered";
    return failure != nullptr ? *failure : ChatFailure{};
}

std::string refusal_head(int status, const std::string& headers = {}) {
    return "HTTP/1.1 " + std::to_string(status) + " X\r\n" + headers + "Connection: close\r\n\r\n";
}

TEST(ChatCompletions, sends_the_question_where_it_belongs) {
    std::string seen;
    {
        const ScriptedServer server({[&seen](ServedConnection& connection) {
            seen = connection.request();
            connection.send(stream_head + say("a") + stop + done + stream_end);
        }});
        model::ChatRequest request = question(server);
        request.endpoint.base_url += "/?api-version=7";
        request.endpoint.headers = {{"X-Team", "blue"}};
        ASSERT_TRUE(std::holds_alternative<ChatAnswer>(ask(request)));
    }
    EXPECT_TRUE(seen.starts_with("POST /v1/chat/completions?api-version=7 HTTP/1.1\r\n")) << seen;
    EXPECT_NE(seen.find("\r\nAuthorization: Bearer sk-very-secret\r\n"), std::string::npos) << seen;
    EXPECT_NE(seen.find("\r\nX-Team: blue\r\n"), std::string::npos) << seen;
    EXPECT_NE(seen.find(R"({"model":"m","messages":[{"role":"user","content":"Hi"}])"), std::string::npos) << seen;
}

TEST(ChatCompletions, hands_the_text_on_as_it_comes_and_waits_for_nothing_behind_its_end) {
    std::mutex mutex;
    std::condition_variable changed;
    bool heard = false;
    const ScriptedServer server({[&](ServedConnection& connection) {
        connection.request();
        connection.send(stream_head + say("Hel"));
        {
            // The rest is only sent once the first piece was handed on.
            std::unique_lock lock(mutex);
            EXPECT_TRUE(changed.wait_for(lock, std::chrono::seconds(30), [&] { return heard; }));
        }
        connection.send(say("lo") + stop + done);
        connection.wait_for_hang_up();
    }});
    std::string text;
    ChatCompletions model = models();
    const auto outcome = model.begin(question(server))->wait([&](std::string_view piece) {
        text += piece;
        const std::lock_guard lock(mutex);
        heard = true;
        changed.notify_all();
    });
    ASSERT_TRUE(std::holds_alternative<ChatAnswer>(outcome)) << failure_of(outcome).message;
    const auto& answer = std::get<ChatAnswer>(outcome);
    EXPECT_EQ(answer.text, "Hello");
    EXPECT_EQ(text, "Hello");
    EXPECT_EQ(answer.usage, (model::TokenUsage{2, 5, model::TokenUsage::Source::estimate}));
    EXPECT_LE(answer.first_byte_time, answer.whole_time);
    EXPECT_GT(answer.first_byte_time.us, 0);
}

TEST(ChatCompletions, takes_an_answer_that_comes_whole) {
    const std::string body = R"({"choices":[{"message":{"content":"Hello"},"finish_reason":"stop"}],)"
                             R"("usage":{"prompt_tokens":7,"completion_tokens":3}})";
    const auto outcome =
        answered("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) +
                 "\r\n\r\n" + body);
    ASSERT_TRUE(std::holds_alternative<ChatAnswer>(outcome)) << failure_of(outcome).message;
    EXPECT_EQ(std::get<ChatAnswer>(outcome).text, "Hello");
    EXPECT_EQ(std::get<ChatAnswer>(outcome).usage, (model::TokenUsage{7, 3, model::TokenUsage::Source::server}));
}

TEST(ChatCompletions, tells_refusals_apart_and_never_repeats_the_secret) {
    const ChatFailure refused =
        failure_of(answered(refusal_head(401) + R"({"error":{"message":"Incorrect key: sk-very-secret."}})"));
    EXPECT_EQ(refused.kind, ChatFailureKind::refused);
    EXPECT_EQ(refused.http_status, 401);
    EXPECT_TRUE(refused.message.ends_with(": HTTP 401: Incorrect key: ***.")) << refused.message;
    const ChatFailure limited = failure_of(answered(refusal_head(429, "Retry-After: 17\r\n")));
    EXPECT_EQ(limited.kind, ChatFailureKind::rate_limited);
    EXPECT_EQ(limited.retry_after, base::seconds(17));
    const ChatFailure soon = failure_of(answered(refusal_head(429, "Retry-After: 1\r\nRetry-After-Ms: 250.5\r\n")));
    EXPECT_EQ(soon.retry_after, base::milliseconds(250));
    const ChatFailure late = failure_of(answered(refusal_head(503, "Retry-After: 99999999999999\r\n")));
    EXPECT_EQ(late.kind, ChatFailureKind::server);
    EXPECT_EQ(late.retry_after, base::hours(24));
    EXPECT_EQ(failure_of(answered(refusal_head(429, "Retry-After: soon\r\n"))).retry_after, std::nullopt);
    const ChatFailure moved = failure_of(answered(refusal_head(307, "Location: http://127.0.0.1:1/\r\n")));
    EXPECT_EQ(moved.kind, ChatFailureKind::protocol);
    const std::string long_words = std::string(495, 'x') + "sk-very-secret" + std::string(100'000, 'y');
    const ChatFailure wordy = failure_of(answered(refusal_head(500) + long_words));
    EXPECT_EQ(wordy.kind, ChatFailureKind::server);
    EXPECT_LT(wordy.message.size(), 600U);
    EXPECT_EQ(wordy.message.find("sk-"), std::string::npos);
}

TEST(ChatCompletions, tells_broken_connections_from_broken_answers) {
    EXPECT_EQ(failure_of(answered(stream_head + say("Hel"))).kind, ChatFailureKind::unreachable);
    EXPECT_EQ(failure_of(answered("")).kind, ChatFailureKind::unreachable);
    EXPECT_EQ(failure_of(answered(stream_head + say("Hel") + stream_end)).kind, ChatFailureKind::unreachable);
    EXPECT_EQ(failure_of(answered("SSH-2.0-OpenSSH\r\n")).kind, ChatFailureKind::protocol);
    EXPECT_EQ(failure_of(answered(stream_head + chunk("<html>") + stream_end)).kind, ChatFailureKind::protocol);
    model::ChatRequest request;
    {
        const ScriptedServer gone({});
        request = question(gone);
    }
    const ChatFailure unreachable = failure_of(ask(request));
    EXPECT_EQ(unreachable.kind, ChatFailureKind::unreachable);
    EXPECT_NE(unreachable.message.find("refused"), std::string::npos) << unreachable.message;
}

TEST(ChatCompletions, refuses_what_cannot_be_sent_without_sending_anything) {
    const ScriptedServer server({});
    const auto refused = [&server](const std::function<void(model::ChatRequest&)>& change) {
        model::ChatRequest request = question(server);
        change(request);
        const ChatFailure failure = failure_of(ask(request));
        return std::string(model::chat_failure_name(failure.kind)) + ": " + failure.message;
    };
    EXPECT_EQ(refused([](auto& r) { r.endpoint.base_url = "ftp://x"; }),
              "invalid: the model's address is no http or https address");
    EXPECT_EQ(refused([](auto& r) { r.endpoint.secret = "sk\nx"; }), "invalid: the secret is not printable ASCII");
    EXPECT_EQ(refused([](auto& r) { r.endpoint.headers = {{"a b", ""}}; }),
              "invalid: a header's name is letters, digits, `-` and `_`");
    EXPECT_EQ(refused([](auto& r) { r.endpoint.headers = {{"A", "\r\n"}}; }),
              "invalid: the header A is not printable ASCII");
    EXPECT_EQ(refused([](auto& r) { r.endpoint.headers = {{"authorization", "Basic"}}; }),
              "invalid: the header authorization is set by Belfry itself");
    EXPECT_EQ(refused([](auto& r) { r.model = ""; }), "invalid: model must name a model");
    EXPECT_EQ(refused([](auto& r) { r.bounds.request_bytes = 9; }), "too_long: the request has more than 9 bytes");
}

// -- time ------------------------------------------------------------------------------------------------------------

// A server that says this and then nothing more.
ChatFailure after_silence(const std::string& said, const std::function<void(model::ChatTimes&)>& limit) {
    const ScriptedServer server({[&said](ServedConnection& connection) {
        connection.request();
        connection.send(said);
        connection.wait_for_hang_up();
    }});
    model::ChatRequest request = question(server);
    limit(request.times);
    return failure_of(ask(request));
}

TEST(ChatCompletions, says_which_limit_of_time_was_reached) {
    const base::Duration soon = base::milliseconds(50);
    const auto first = [soon](auto& times) {
        times.first_byte = soon;
        times.whole = base::seconds(10);  // who waits for another limit ends with this one
    };
    EXPECT_EQ(after_silence("", first).limit, ChatLimit::first_byte);
    EXPECT_EQ(after_silence(stream_head, first).limit, ChatLimit::first_byte) << "a head is no answer";
    EXPECT_EQ(after_silence(refusal_head(500) + "half", first).limit, ChatLimit::first_byte);
    const auto silence = [soon](auto& times) { times.silence = soon; };
    const ChatFailure silent = after_silence(stream_head + say("Hel"), silence);
    EXPECT_EQ(silent.kind, ChatFailureKind::timed_out);
    EXPECT_EQ(silent.limit, ChatLimit::silence);
    const auto whole = [soon](auto& times) { times.whole = soon; };
    EXPECT_EQ(after_silence(stream_head + say("Hel"), whole).limit, ChatLimit::whole);
    EXPECT_EQ(after_silence("", whole).limit, ChatLimit::whole);
}

TEST(ChatCompletions, ends_a_server_that_never_stops_talking) {
    const ScriptedServer server({[](ServedConnection& connection) {
        connection.request();
        connection.send(stream_head);
        // Until the client hangs up.
        const std::string piece = chunk(": still here\n\n");
        while (::send(connection.descriptor(), piece.data(), piece.size(), MSG_NOSIGNAL) > 0) {
        }
    }});
    model::ChatRequest request = question(server);
    request.times.whole = base::milliseconds(100);
    const ChatFailure failure = failure_of(ask(request));
    EXPECT_EQ(failure.kind, ChatFailureKind::timed_out) << failure.message;
    EXPECT_EQ(failure.limit, ChatLimit::whole);
}

TEST(ChatCompletions, does_not_wait_for_a_first_byte_where_the_answer_comes_whole) {
    const ScriptedServer server({[](ServedConnection& connection) {
        connection.request();
        connection.wait_for_hang_up();
    }});
    model::ChatRequest request = question(server);
    request.endpoint.streaming = model::ChatStreaming::whole;
    request.times.first_byte = base::milliseconds(1);
    request.times.whole = base::milliseconds(60);
    EXPECT_EQ(failure_of(ask(request)).limit, ChatLimit::whole);
}

TEST(ChatCompletions, says_when_no_connection_came_about) {
    // A listener whose queue is full swallows whoever wants to connect.
    const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    ASSERT_EQ(::bind(listener, reinterpret_cast<sockaddr*>(&address), size), 0);
    ASSERT_EQ(::listen(listener, 0), 0);
    ::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size);
    std::vector<int> waiting;
    for (int i = 0; i < 4; ++i) {
        waiting.push_back(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
        (void)::connect(waiting.back(), reinterpret_cast<sockaddr*>(&address), size);
    }
    model::ChatRequest request;
    request.endpoint.base_url = "http://127.0.0.1:" + std::to_string(ntohs(address.sin_port));
    request.model = "m";
    request.messages = {{model::ChatRole::user, "Hi", {}, {}}};
    request.times.connect = base::milliseconds(100);
    const ChatFailure failure = failure_of(ask(request));
    EXPECT_EQ(failure.kind, ChatFailureKind::timed_out) << failure.message;
    EXPECT_EQ(failure.limit, ChatLimit::connect);
    for (const int one : waiting) ::close(one);
    ::close(listener);
}

// -- cancelling ------------------------------------------------------------------------------------------------------

TEST(ChatCompletions, can_be_cancelled_before_it_asks) {
    const ScriptedServer server({});
    ChatCompletions model = models();
    const auto call = model.begin(question(server));
    call->cancel();
    EXPECT_EQ(failure_of(call->wait({})).kind, ChatFailureKind::cancelled);
}

TEST(ChatCompletions, can_be_cancelled_from_another_thread_while_it_waits) {
    std::promise<void> begun;
    const ScriptedServer server({[&](ServedConnection& connection) {
        connection.request();
        connection.send(stream_head + say("Hel"));
        begun.set_value();
        connection.wait_for_hang_up();
    }});
    ChatCompletions model = models();
    const auto call = model.begin(question(server));
    std::thread canceller([&] {
        begun.get_future().wait();
        call->cancel();
    });
    EXPECT_EQ(failure_of(call->wait({})).kind, ChatFailureKind::cancelled);
    canceller.join();
    call->cancel();
}

TEST(ChatCompletions, can_be_cancelled_though_the_server_never_pauses) {
    const ScriptedServer server({[](ServedConnection& connection) {
        connection.request();
        connection.send(stream_head);
        const std::string piece = say("a");
        while (::send(connection.descriptor(), piece.data(), piece.size(), MSG_NOSIGNAL) > 0) {
        }
    }});
    ChatCompletions model = models();
    const auto call = model.begin(question(server));
    const auto outcome = call->wait([&call](std::string_view) { call->cancel(); });
    EXPECT_EQ(failure_of(outcome).kind, ChatFailureKind::cancelled) << failure_of(outcome).message;
}

}  // namespace
}  // namespace belfry::net
