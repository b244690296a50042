#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "sim/sent.hpp"
#include "sim/stock.hpp"

namespace belfry::sim {

// Remembers who was handed what under which lease, and says where it goes wrong:
// - in one hand-over they come by priority, then in the order of their making;
// - what was handed over is not handed over again before its lease has ended, and then under the next lease;
// - reports of the session's turn prolong that lease, and the end of the turn delivers what it carried;
// - what was confirmed is delivered and never handed over again; an old lease confirms nothing;
// - the store has each lease as it was answered.
class HandOversWitness {
public:
    void told(const SentPull& sent, const base::Result<ports::PullReply>& reply, base::Timestamp now,
              Complaints& complaints);
    void told(const SentAcknowledge& sent, const base::Result<ports::AcknowledgeReply>& reply, Complaints& complaints);
    void told(const SentTurn& sent, const base::Result<ports::ReportReply>& reply, base::Timestamp now);
    void told(const SentToolCall& sent, const base::Result<ports::ReportReply>& reply, base::Timestamp now);
    // Some hand-over or confirmation may have happened that nobody heard of.
    void unheard() { is_unheard_ = true; }
    // Sessions may have gone, and handles begin anew in those that come after them.
    void erased();
    void compare(const Stock& stock, Complaints& complaints);

private:
    using Place = std::pair<std::string, std::int64_t>;  // session and handle
    struct Hand {
        std::optional<base::Uuid> id;  // nothing: it went as part of a summary
        std::int64_t lease = 0;
        base::Timestamp until;
        base::Uuid pull;
        bool is_delivered = false;
        base::Timestamp unseen_until;  // from then on it may have failed, because nobody came for it any more
    };

    void judge_order(const ports::PullReply& reply, Complaints& complaints) const;
    void renew(const std::string& session, base::Timestamp until);
    void end_turn(const std::string& session, base::Timestamp now);
    void take(const Place& place, std::optional<base::Uuid> id, std::int64_t lease, base::Timestamp born,
              const SentPull& sent, const ports::PullReply& reply, base::Timestamp now, Complaints& complaints);
    void acknowledged(const base::Uuid& pull, const std::string& session, std::int64_t count, Complaints& complaints);
    [[nodiscard]] bool is_sure() const { return !is_unheard_ && !is_blurred_; }
    void compare_row(const model::Notification& row, Complaints& complaints) const;

    std::map<Place, Hand> hands_;
    std::map<base::Uuid, Place> places_;
    std::set<base::Uuid> delivered_;
    bool is_unheard_ = false;
    // A summary told handles without ids, or an erasure took some: not all of it is known until the store was seen.
    bool is_blurred_ = false;
};

}  // namespace belfry::sim
