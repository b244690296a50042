#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/limits.hpp"
#include "base/result.hpp"
#include "base/time.hpp"

namespace belfry::client {

// That a message has arrived, in the server's words.
struct Receipt {
    std::string message_id;       // which the client made
    std::string notification_id;  // what became of it there
    std::string message;
};

// A message on its way. What it becomes is told once.
struct Outgoing {
    std::string message_id;
    std::string params_json;
    base::Timestamp since;
    base::Timestamp next_at;  // when it is to be tried
    std::size_t failures = 0;
    bool told = false;  // that it is being tried again
    std::function<void(const base::Result<Receipt>&)> on_done;
};

// The order in which messages wait for a server, and when each is tried: at once, and after a failure when the pause
// that is its turn has passed; after the last pause it is given up. The first keeps the others waiting, so that they
// arrive in their order. Time is an argument; nothing here waits, locks or sends.
class SendQueue {
public:
    struct Rules {
        std::vector<base::Duration> pauses{base::milliseconds(100), base::milliseconds(500), base::seconds(2)};
        std::size_t waiting_max = base::limits::send_queue_max;
        base::Duration wait_max = base::limits::send_wait_max;
    };

    explicit SendQueue(Rules rules) : rules_(std::move(rules)) {}

    // Refused (overloaded) where as many wait already as may.
    base::Result<void> put(Outgoing message, base::Timestamp now);

    // The first one, where its time has come.
    [[nodiscard]] const Outgoing* due(base::Timestamp now) const;
    // When the next thing is to be done: an attempt, or the end of somebody's patience. Nothing: nobody waits.
    [[nodiscard]] std::optional<base::Timestamp> next_at() const;
    // How long the first one may still wait.
    [[nodiscard]] base::Duration patience(base::Timestamp now) const;

    // The first one has its answer and leaves.
    Outgoing take();
    // An attempt with the first one failed. It waits for the next one, or leaves where it was the last.
    std::optional<Outgoing> failed(base::Timestamp now);
    // The ids of those that were not told yet that the line is lost; now they count as told.
    std::vector<std::string> tell();
    [[nodiscard]] bool has_untold() const;
    // Those that have waited too long leave.
    std::vector<Outgoing> expired(base::Timestamp now);
    std::vector<Outgoing> clear();

    [[nodiscard]] std::size_t size() const { return waiting_.size(); }

private:
    Rules rules_;
    std::deque<Outgoing> waiting_;
};

}  // namespace belfry::client
