#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/effects.hpp"
#include "model/sink.hpp"
#include "model/tool.hpp"
#include "sim/delivery_book.hpp"
#include "sim/holding.hpp"
#include "sim/inbox_witness.hpp"
#include "sim/random.hpp"
#include "sim/sent.hpp"
#include "sim/stock.hpp"

namespace belfry::sim {

// Follows every notification from outside: what it was told by answers, and what must therefore be so, to the byte.
// - Each command about a notification is taken or refused as its lease, version, holder and channel demand.
// - What readers are sent is what these commands, and the watchdog at its time, bring about: no entry more or less.
// - At every look each row of the store, and its audited way, is what was foretold. Where an outcome was not heard,
//   its way is one that can be gone, and goes on from what was known.
// What subscribers make is learnt when it is seen.
class DeliveryWitness {
public:
    DeliveryWitness(SeededRandom random, base::Duration kept) : random_(random), kept_(kept) {}

    void told(const SentEmit& sent, const base::Result<ports::EmittedNotification>& reply, base::Timestamp now);
    void told(const SentAck& sent, const base::Result<model::Notification>& reply, base::Timestamp now);
    void told(const SentMark& sent, const base::Result<model::Notification>& reply, base::Timestamp now);
    void told(const SentNarrate& sent, const base::Result<model::Notification>& reply, base::Timestamp now);
    void told(const SentRetry& sent, const base::Result<model::Notification>& reply, base::Timestamp now);
    void told(const SentOpen& sent, const base::Result<ports::OpenedInbox>& reply, base::Timestamp now);
    void told(const SentContinue& sent, const base::Result<ports::InboxPortion>& reply, base::Timestamp now);
    void told(const SentClose& sent, const base::Result<ports::Nothing>& reply);
    void told(const SentSession& sent, const base::Result<model::Session>& reply);
    void told(const SentMessage& sent, const base::Result<model::SessionMessage>& reply);
    void told(const SentDelete& sent, const base::Result<ports::Nothing>& reply, base::Timestamp now);
    void told(const SentTool& sent, bool is_ok, const base::Error* error);
    void told(const SentHeartbeat& sent, const base::Result<ports::HeartbeatReply>& reply, base::Timestamp now);
    void told(const SentPull& sent, const base::Result<ports::PullReply>& reply, base::Timestamp now);
    void told(const SentAcknowledge& sent, const base::Result<ports::AcknowledgeReply>& reply, base::Timestamp now);
    void told(const SentTurn& sent, const base::Result<ports::ReportReply>& reply, base::Timestamp now);
    void told(const SentToolCall& sent, const base::Result<ports::ReportReply>& reply, base::Timestamp now);

    // What is known of a step before its answers are told.
    void began(const engine::Effects& effects);
    // The clock's work was done without trouble: whoever had time until now had it.
    void tended(base::Timestamp now);
    // What a step let out, after all its answers were told.
    void published(const engine::Effects& effects, base::Timestamp now);
    // Something may have happened that nobody heard of.
    void unheard() { is_unheard_ = was_ever_unheard_ = true; }
    // The process began anew: nobody's interface is there.
    void restarted();
    // Rows of this user may be gone, and handles of sessions.
    void erased(const std::string& user);
    void compare(const Stock& stock);
    // Nobody did anything for longer than anything waits: all has come to an end.
    void expect_rest(const Stock& stock);

    // What was found wrong since the last call.
    Complaints drain() { return std::exchange(complaints_, {}); }

    // One of those that something happened to lately; nothing yet: null.
    [[nodiscard]] const model::Notification* some_row();
    [[nodiscard]] const model::Notification* under_key(const std::string& user, const std::string& key) const;
    [[nodiscard]] bool is_deleted(const std::string& session) const { return deleted_.contains(session); }
    // How an interface came last: what it is owed may be asked for in portions.
    [[nodiscard]] const std::optional<SentContinue>& opening() const { return opening_; }
    InboxWitness& inboxes() { return inboxes_; }

private:
    using State = model::DeliveryState;
    // Where the outcome is not known, or nothing was recorded.
    template <class R>
    bool is_out_of_reach(const base::Result<R>& reply) {
        if (reply.ok()) return false;
        if (reply.error().code == base::Code::outcome_unknown) unheard();
        return reply.error().code == base::Code::outcome_unknown || reply.error().code == base::Code::unavailable;
    }
    [[nodiscard]] bool knows_seats() const { return !is_unheard_ && erased_.empty(); }
    void complain(const std::string& what) { complaints_.push_back(what); }
    void complain(const model::Notification& row, const std::string& what);
    [[nodiscard]] bool is_all_sure() const { return !is_unheard_ && !is_blurred_ && erased_.empty(); }
    [[nodiscard]] bool is_sure(const Followed& one) const;
    // Whether it may have been removed by now, because it ended long ago.
    [[nodiscard]] bool may_be_gone(const Followed* one, base::Timestamp now) const;
    // Whether an answer was a yes where it should be one; says so where not. Nothing is said where nobody can know.
    bool agrees(bool is_ok, bool should_be, const Followed* about, base::Timestamp now, const std::string& what);
    void touch(const base::Uuid& id);
    // The row as the answer has it must be the one that was foretold.
    void settle(const base::Uuid& id, const model::Notification& answered, const char* after);
    // What a command must have done to it. Of what is uncertain it is only a guess.
    template <class Work>
    void predict(const base::Uuid& id, Work&& work) {
        book_.change(id, [&](Followed& one) {
            if (!is_sure(one)) one.is_sure = one.knows_steps = false;
            work(one);
        });
    }
    void learn(const model::Notification& row);
    void tell_state(const model::Notification& row);
    // What its readers are to be sent, in this order.
    void tell_turn(const model::Notification& row);
    void tell_sent(const model::Notification& row);
    // It has become one for the person's eyes: interfaces that are there get it.
    void send_to_user(Followed& one, base::Timestamp now);

    std::optional<std::string> user_of(const SentEmit& sent) const;
    model::Notification filled(const SentEmit& sent, const model::Notification& answered, const Followed* cause) const;
    // False if a row that more may have happened to has the key.
    [[nodiscard]] bool knows_key(const std::string& user, const std::string& key) const;
    const Followed* cause_of(const SentEmit& sent, const std::string& user) const;
    bool is_emit_taken(const SentEmit& sent, const base::Result<ports::EmittedNotification>& reply,
                       base::Timestamp now);
    void judge_portion(const SentContinue& asked, const ports::InboxPortion& portion, base::Timestamp now);
    void give_way(Followed& one, const model::Notification& answered, base::Timestamp now);
    void send_at_once(Followed& one, const model::Notification& answered, base::Timestamp now);
    void made(Followed one, const model::Notification& answered, const char* how);
    // What a session's agent has in hand, and what of it this caller holds. It is sure where all of that is known.
    struct Holding {
        DeliveryBook::Ids all;
        DeliveryBook::Ids own;          // the caller's
        DeliveryBook::Ids not_arrived;  // the caller's, if it had got the answer of its pull
        bool is_sure = true;
    };
    Holding holding(const std::string& session, const Proof& proof) const;
    [[nodiscard]] Right right_over(const Followed& one, const Proof& proof) const;
    [[nodiscard]] bool knows_user(const std::string& session) const;
    [[nodiscard]] const Followed* find_lost(const std::string& session, const std::string& key) const;
    // Whether a caller names a lease that is not the one under which its session holds the notification.
    struct Naming {
        bool is_stale = false;
        bool is_sure = true;
    };
    [[nodiscard]] Naming naming(const std::string& session, const Proof& proof, base::Timestamp now) const;
    bool is_refused_rightly(const base::Error& error, const Proof& proof);
    void renew(const std::string& session, const std::optional<base::Duration>& lease, const Proof& proof,
               base::Timestamp now);
    void name_done(Followed& one, Seat& seat, const std::string& by, base::Timestamp now);
    std::int64_t end_turn(const std::string& session, const Proof& proof, base::Timestamp now);
    void free_lost(const SentPull& sent, base::Timestamp now);
    bool use_tool(const SentToolCall& sent, const Proof& proof, bool is_taken, base::Timestamp now);
    void tell_effect(const base::Uuid& id, const std::string& tool, base::Timestamp now);
    void blur_notice(const base::Uuid& id);
    void may_have_effect(const base::Uuid& id, const std::string& tool);
    void expect_effect(const base::Uuid& id, const std::string& tool);
    void compare_effects(const Stock& stock);
    DeliveryBook::Ids let_go(const std::string& session, std::string_view why, base::Timestamp now);
    void judge_again(const DeliveryBook::Ids& let_go, const SentPull& sent, const ports::PullReply& reply);
    bool is_turn_taken(const SentTurn& sent, const base::Result<ports::ReportReply>& reply, base::Timestamp now);
    void judge_seat(const std::string& session, const model::Progress& progress);
    std::pair<std::int64_t, std::int64_t> confirm(const base::Uuid& pull, const std::string& session,
                                                  const std::string& by, base::Timestamp now);
    void hand_over(const model::Notification& answered, const SentPull& sent, const base::Uuid& pull,
                   base::Timestamp now);
    void hand_over_unnamed(const ports::PulledItem& item, const SentPull& sent, const base::Uuid& pull,
                           base::Timestamp now);
    void judge_order(const ports::PullReply& reply);
    void compare_row(const model::Notification& row, const expected::Steps& steps);
    void compare_places(const Stock& stock);
    void compare_seats(const Stock& stock);
    void compare_tools(const Stock& stock);
    // The least and the greatest depth that what this agent has in hand may have.
    struct Depths {
        std::optional<std::int64_t> least;
        std::optional<std::int64_t> most;
    };
    [[nodiscard]] Depths depths_in_hand(const model::Principal& who) const;

    SeededRandom random_;
    base::Duration kept_;
    DeliveryBook book_;
    InboxWitness inboxes_;
    std::deque<base::Uuid> recent_;
    std::set<base::Uuid> learnt_;  // in this step, from answers: what was sent of them before was not foretold
    std::map<std::string, model::Impact> tools_;
    std::map<std::string, Seat> seats_;
    std::optional<SentContinue> opening_;
    std::set<std::string> deleted_;  // sessions
    std::set<std::string> ever_deleted_;
    std::set<std::string> erased_;  // users, since the last look
    std::int64_t last_ordinal_ = 0;
    // Notifications and the EXTERNAL tools that were used for them: the person has to see both in one item.
    using Effects = std::set<std::pair<base::Uuid, std::string>>;
    Effects effects_;       // of which it is not certain yet that he does
    Effects told_effects_;  // that some item has named at some time
    Effects ever_effects_;  // all of them
    bool is_unheard_ = false;
    bool was_ever_unheard_ = false;
    bool gave_way_ = false;    // something did, in this step
    bool is_blurred_ = false;  // a summary named some by handles alone: of passive context not all is known
    Complaints complaints_;
};

}  // namespace belfry::sim
