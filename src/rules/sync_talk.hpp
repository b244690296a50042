#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"
#include "model/sync_message.hpp"
#include "rules/counter_ranges.hpp"

namespace belfry::rules {

// One side of a link between two devices, without the link: what is said next, and what has to be asked of the engine
// for it. Whoever drives it passes on what comes and carries out what it wants, in that order. It holds no records.
//
// Messages may be lost, doubled or come in another order, after the hello: what is not acknowledged for
// limits::sync_ack_patience is told again.
class SyncTalk {
public:
    explicit SyncTalk(base::Timestamp now);

    // What has to be done. Each is done once, and its outcome told.
    struct Wish {
        enum class Kind : std::uint8_t {
            send,          // `message`
            note_peer,     // `hello`, or `has`, or both
            give,          // GiveChanges; then `given`
            take,          // TakeChanges of `frame`; then `taken`
            confirm_gone,  // ConfirmGone of `ranges`; then `confirmed`
            accept_gone,   // AcceptGone of `ranges`; then `taken`
            close,         // the link is over; `message`, a refusal, was the last word of one of the two, if any
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
    void given(const base::Result<std::optional<model::SyncFrame>>& frame,
               const std::optional<model::SyncAck>& ask = {});
    void taken(const base::Result<model::SyncAck>& ack);
    void confirmed(const base::Result<model::SyncGone>& gone);
    void noted(const base::Result<void>& peer);
    // A large message takes its time on a slow link: bytes of one are coming, or some of ours have not gone yet. The
    // one is no silence, and the other no reason to tell anything again.
    void bytes_come(base::Timestamp now) { heard_at_ = now; }
    void bytes_wait(base::Timestamp now) { moved_at_ = now; }
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
    // `introduced`: the peer's hello was heard and is not noted yet; what it says meanwhile waits.
    enum class Phase : std::uint8_t { closed, greeting, introduced, talking };
    // What waits to be acknowledged, in the order in which it was sent.
    enum class Sent : std::uint8_t { changes, page, gone };

    void hear(model::SyncHello hello);
    void hear(model::SyncFrame frame);
    void hear(model::SyncAck ack);
    void hear(model::SyncGone gone);
    void hear(model::SyncRefusal refusal);
    void hear(model::SyncPing) {}
    void hear_page_taken(const model::SyncAck& ack);
    void answer();
    void go_on();
    void send_again();
    void say(model::SyncMessage message);
    void wish(Wish wish);
    void refuse(const base::Error& error);
    [[nodiscard]] bool is_under_way() const;
    [[nodiscard]] bool is_page_under_way() const;

    Phase phase_ = Phase::closed;
    bool over_ = false;
    std::vector<Wish> wishes_;
    std::string host_;  // ours
    // Those that one of the two knew when it said hello, and has vouched for: one that came later is told of on a new
    // link, which begins with its seal.
    std::set<std::string, std::less<>> introduced_;
    std::optional<model::SyncHello> hello_;  // theirs
    std::vector<model::SyncMessage> early_;
    // What we tell.
    model::VectorClock peer_has_;
    model::VectorClock peer_will_have_;
    std::vector<model::CounterRange> asked_;
    std::vector<model::CounterRange> answered_;   // gaps are filled once on a link
    std::vector<model::CounterRange> confirmed_;  // and so it is with what is gone
    std::deque<CounterRanges> to_answer_;         // of that, what the engine is asked about, one after the other
    std::deque<CounterRanges> unsure_;            // and what it did not know; others may tell us
    bool is_answering_ = false;
    std::string whole_cursor_;
    model::VectorClock whole_cover_;
    bool in_whole_ = false;
    int stalls_ = 0;  // acknowledgements of pages in a row that came to nothing
    std::deque<Sent> in_flight_;
    bool asking_ = false;  // the engine was asked and has not answered
    bool may_have_more_ = true;
    bool changed_meanwhile_ = false;  // while it was asked
    // What we are told.
    std::size_t taking_ = 0;
    std::vector<model::CounterRange> to_confirm_;  // we have asked whether these are gone
    base::Timestamp now_;
    base::Timestamp heard_at_;
    base::Timestamp said_at_;
    base::Timestamp moved_at_;  // something was acknowledged, or sent while nothing was under way
    base::Duration patience_;
};

}  // namespace belfry::rules
