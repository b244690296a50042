#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "base/result.hpp"
#include "base/time.hpp"
#include "client/rpc_connection.hpp"
#include "client/send_queue.hpp"
#include "model/raw_json.hpp"
#include "wire/interrupt.hpp"

namespace belfry::client {

// Time as a sender knows it: the machine's, or a test's.
class SendClock {
public:
    virtual ~SendClock() = default;
    virtual base::Timestamp now() = 0;
    // Sleeps until then, or until `changed` is notified, or for no reason, as condition variables do.
    virtual void wait_until(std::unique_lock<std::mutex>& lock, std::condition_variable& changed,
                            base::Timestamp until) = 0;
};

struct UserMessage {
    std::string session_id;
    std::string message_type = "user_input";
    std::optional<model::RawJson> payload;
    // Makes a repeat harmless; made where it is empty. A UUID.
    std::string message_id;
};

inline constexpr std::string_view retrying_text = "Connection lost, retrying...";
inline constexpr std::string_view failed_text = "Failed to send notification";

struct SenderOptions {
    RpcOptions server;
    base::Duration answer_time_max = base::seconds(5);
    SendQueue::Rules queue;
    // What a person should read meanwhile, one of the two texts above, and about which message: `retrying` after a
    // message's first failed attempt, `failed` when it is given up. Called on the sender's thread. May be empty.
    std::function<void(std::string_view text, const std::string& message_id)> on_feedback;
};

// Sends a person's messages to the sessions of a daemon (`client/user_message`), each with a receipt. A lost server is
// tried again after 100 ms, 500 ms and 2 s; at most ten messages wait for it, none longer than ten seconds. Every
// attempt of a message carries the same id, and the server takes an id once: so what arrives, arrives exactly once, in
// the order in which it was given here.
//
// For any number of threads. Messages go out on a thread of its own.
class Sender {
public:
    using OnDone = std::function<void(const base::Result<Receipt>&)>;

    explicit Sender(SenderOptions options);
    Sender(SenderOptions options, SendClock& clock);
    // Whoever still waits is told that it was not sent.
    ~Sender();
    Sender(const Sender&) = delete;
    Sender& operator=(const Sender&) = delete;

    // Returns the message's id at once. `on_done` is called exactly once, on the sender's thread: with the receipt,
    // with the server's refusal, or with unavailable where it was given up. Refused at once, and then not called:
    // overloaded (ten wait already) and too_large.
    base::Result<std::string> submit(const UserMessage& message, OnDone on_done);
    // The same, waiting for the outcome.
    base::Result<Receipt> send(const UserMessage& message);

private:
    void work();
    void try_first(std::unique_lock<std::mutex>& lock);
    base::Result<RpcAnswer> attempt(const std::string& id, const std::string& params_json, base::Duration patience);
    void give_up(const Outgoing& message, const std::string& why);

    SenderOptions options_;
    std::unique_ptr<SendClock> own_clock_;
    SendClock& clock_;
    wire::Interrupt interrupt_;
    std::unique_ptr<RpcConnection> connection_;  // of the sender's thread alone
    std::string last_failure_;                   // likewise

    std::mutex mutex_;  // of the two below; nothing is sent or called under it
    std::condition_variable changed_;
    SendQueue queue_;
    bool closing_ = false;
    std::thread thread_;
};

}  // namespace belfry::client
