#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"
#include "model/sync_message.hpp"

namespace belfry::rules {

// One side of a link between two devices, without the link: what is said next, and what has to be asked of the engine
// for it. Whoever drives it passes on what comes and carries out what it wants, in that order. It holds no records.
class SyncTalk {
public:
    SyncTalk(std::string peer_id, base::Timestamp now);

    // What has to be done. Each is done once, and its outcome told.
    struct Wish {
        enum class Kind : std::uint8_t {
            send,          // `message`
            note_peer,     // `hello`, or `has`, or both
            give,          // GiveChanges; then `given`
            take,          // TakeChanges of `frame`; then `taken`
            confirm_gone,  // ConfirmGone of `ranges`; then `confirmed`
            accept_gone,   // AcceptGone of `ranges`; then `taken`
            close,         // the link is over; `message`, a refusal, was the last word if there is one
        };
        Kind kind = Kind::send;
        std::optional<model::SyncMessage> message;
        std::optional<model::SyncHello> hello;
        std::optional<model::VectorClock> has;
        std::optional<model::SyncFrame> frame;
        std::vector<model::CounterRange> ranges;
    };

    // The link is up: our hello goes first.
    void opened(model::SyncHello ours);
    // Something was said. What must not be said now, or is none, ends the link with a refusal.
    void heard(model::SyncMessage message, base::Timestamp now);
    // Something is new here.
    void changed();
    // What the engine answered.
    void given(const base::Result<std::optional<model::SyncFrame>>& frame);
    void taken(const base::Result<model::SyncAck>& ack);
    void confirmed(const base::Result<model::SyncGone>& gone);
    void noted(const base::Result<void>& peer);
    // Time goes by: pings, and silence that was too long.
    void tick(base::Timestamp now);
    void refuse(std::string code, std::string message);

    [[nodiscard]] std::vector<Wish> take_wishes();
    [[nodiscard]] const model::VectorClock& peer_has() const { return peer_has_; }
    // What the next GiveChanges is asked with: what the peer has, and what is on its way to it.
    [[nodiscard]] const model::VectorClock& peer_will_have() const { return peer_will_have_; }
    [[nodiscard]] const std::vector<model::CounterRange>& asked() const { return asked_; }
    [[nodiscard]] const std::string& whole_cursor() const { return whole_cursor_; }
    [[nodiscard]] bool in_whole() const { return in_whole_; }
    [[nodiscard]] bool is_over() const { return over_; }
    // Nothing is on its way, and the peer has all that we had when it was last asked.
    [[nodiscard]] bool is_quiet() const;

private:
    enum class Phase : std::uint8_t { closed, greeting, talking };
    void go_on();
    void say(model::SyncMessage message);

    std::string peer_id_;
    Phase phase_ = Phase::closed;
    bool over_ = false;
    std::vector<Wish> wishes_;
    model::VectorClock peer_has_;
    model::VectorClock peer_will_have_;
    std::vector<model::CounterRange> asked_;
    std::string whole_cursor_;
    bool in_whole_ = false;
    std::size_t in_flight_ = 0;
    bool asking_ = false;  // the engine was asked and has not answered
    bool may_have_more_ = false;
    base::Timestamp heard_at_;
    base::Timestamp said_at_;
};

}  // namespace belfry::rules
