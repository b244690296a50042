#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <gtest/gtest.h>
#include <vector>

#include "client/scripted_server_test.hpp"
#include "client/sender.hpp"
#include "codec/json.hpp"

// What the tests of the sender share: time that they move, and a server that answers as they like.
namespace belfry::client {

using base::milliseconds;
using base::seconds;
using base::Timestamp;

inline constexpr Timestamp start{1'794'657'600'000'000};  // 2026-11-14T12:00:00Z

// Time stands still until a test moves it.
class ManualClock final : public SendClock {
public:
    Timestamp now() override {
        const std::lock_guard lock(mutex_);
        return now_;
    }
    Timestamp wall() override {
        const std::lock_guard lock(mutex_);
        return now_ + slept_;
    }
    // The machine was asleep: the clock on the wall has gone on.
    void sleep(base::Duration time) {
        const std::lock_guard lock(mutex_);
        slept_ = time;
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
    base::Duration slept_;
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

inline bool eventually(const std::function<bool()>& condition) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (!condition()) {
        if (std::chrono::steady_clock::now() > end) return false;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return true;
}

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

inline std::string body_of(const std::string& frame) {
    return frame.substr(frame.find("\r\n\r\n") + 4);
}

inline std::string member(const std::string& body, std::string_view name) {
    const auto json = codec::validate(body);
    if (!json.ok()) return "no JSON";
    const auto value = json->member(name);
    return value ? value->as_text() : "";
}

inline std::string framed(const std::string& body) {
    return "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

inline void give_receipt(ServedConnection& connection, const std::string& request) {
    connection.send(framed(R"({"jsonrpc":"2.0","id":")" + member(body_of(request), "id") +
                           R"(","result":{"success":true,"message":"taken","notification_id":"n-1"}})"));
}

// Answers so many requests of one connection and keeps their bodies.
inline ScriptedServer::Script answering(std::vector<std::string>& bodies, int count) {
    return [&bodies, count](ServedConnection& connection) {
        for (int i = 0; i < count; ++i) {
            const std::string request = connection.request();
            if (request.empty()) return;
            bodies.push_back(body_of(request));
            give_receipt(connection, request);
        }
    };
}

}  // namespace belfry::client
