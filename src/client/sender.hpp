#pragma once

#include <atomic>
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
    // For waiting: it never jumps. Where it begins says nothing.
    virtual base::Timestamp now() = 0;
    // What a message is dated with. It may jump: a machine that was asleep, or that has just heard what time it is.
    virtual base::Timestamp wall() = 0;
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
    // One attempt, with connecting: four of them and the pauses fit into ten seconds. A large message may take longer.
    base::Duration attempt_time_max = base::milliseconds(1800);
    // An attempt that says nothing for so long counts as lost for those who wait.
    base::Duration silence_max = base::milliseconds(700);
    SendQueue::Rules queue;
    // What a person should read meanwhile, one of the two texts above, and about which message; docs/clients.md says
    // when. Called on the sender's thread, and must not throw. May be empty.
    std::function<void(std::string_view text, const std::string& message_id)> on_feedback;
};

// Sends a person's messages to the sessions of a daemon (`client/user_message`), each with a receipt. A lost server is
// tried again after 100 ms, 500 ms and 2 s; at most ten messages wait for it, none longer than ten seconds. Every
// attempt of a message carries the same id, and the server takes an id once: so what arrives, arrives exactly once, in
// the order in which it was given here.
//
// For any number of threads. Everything that is called back is called on one thread of its own, and there `submit` is
// allowed; `send` is refused (invalid), because it would wait for itself, and destroying the sender is a bug.
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
    // overloaded (ten wait already) and too_large. `on_done` may be empty, and must not throw.
    base::Result<std::string> submit(const UserMessage& message, OnDone on_done);
    // The same, waiting for the outcome.
    base::Result<Receipt> send(const UserMessage& message);
    // How long the server's last refusal asked to wait (rate_limited); zero where it said nothing of it.
    [[nodiscard]] base::Duration retry_after() const { return retry_after_.load(); }

private:
    void work();
    void try_first(std::unique_lock<std::mutex>& lock);
    base::Result<RpcAnswer> attempt_telling(const std::string& id, const std::string& params, base::Duration time,
                                            std::unique_lock<std::mutex>& lock);
    base::Result<RpcAnswer> attempt(const std::string& id, const std::string& params_json, wire::Deadline deadline);
    void settle(const Outgoing& message, const base::Result<Receipt>& outcome);
    void give_up(const Outgoing& message, const std::string& why);
    void tell_waiting(std::unique_lock<std::mutex>& lock);

    SenderOptions options_;
    std::unique_ptr<SendClock> own_clock_;
    SendClock& clock_;
    wire::Interrupt interrupt_;
    std::atomic<base::Duration> retry_after_{base::Duration{}};
    std::unique_ptr<RpcConnection> connection_;  // of the attempt that is under way alone
    std::string last_failure_;                   // of the sender's thread alone

    std::mutex mutex_;  // of those below; nothing is sent or called under it
    std::condition_variable changed_;
    SendQueue queue_;
    bool lost_ = false;  // the line is down, as far as is known
    bool closing_ = false;
    std::thread thread_;
};

}  // namespace belfry::client
