#pragma once

#include <cstdint>
#include <optional>

#include "base/limits.hpp"
#include "base/time.hpp"

namespace belfry::net {

// Whether the other end of a WebSocket is still there. One that says nothing for a heartbeat is asked, and one that
// does not answer for another has gone, though its socket may stand.
class Pulse {
public:
    explicit Pulse(base::Duration now) : felt_at_(now) {}

    // A sign of life: it has said something, or has taken what it would not take before.
    void feel(base::Duration now) {
        felt_at_ = now;
        asked_at_.reset();
    }

    enum class State : std::uint8_t { there, to_be_asked, gone };
    // `to_be_asked` is told once until a sign comes.
    State beat(base::Duration now) {
        if (asked_at_) return now - *asked_at_ >= base::limits::stream_heartbeat ? State::gone : State::there;
        if (now - felt_at_ < base::limits::stream_heartbeat) return State::there;
        asked_at_ = now;
        return State::to_be_asked;
    }

private:
    base::Duration felt_at_;
    std::optional<base::Duration> asked_at_;
};

}  // namespace belfry::net
