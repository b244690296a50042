#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/limits.hpp"
#include "model/notification.hpp"
#include "model/session.hpp"
#include "ports/commands/notifications.hpp"
#include "ports/commands/sessions.hpp"

// Who may act on a notification that a session holds, said a second time (docs/decisions/0019).
namespace belfry::sim {

// Everything that a call gives to show that its caller is the holder.
struct Proof {
    std::string by;  // the caller's principal
    std::optional<base::Uuid> pull_id;
    std::vector<ports::Named> leases;

    [[nodiscard]] bool names_something() const { return pull_id.has_value() || !leases.empty(); }
};

enum class Right {
    holds,
    not_arrived,  // it went out with a later pull of the caller's chain, whose answer the caller did not get
    none,
};

// A session as far as hand-overs depend on it.
struct Seat {
    struct Pull {
        base::Uuid id;
        base::Uuid chain;
        bool names_one_before = false;
        bool is_empty = false;
        std::string by = {};
    };

    bool in_turn = false;
    bool turn_pulled = false;
    base::Duration lease = base::limits::lease_default;
    bool is_lease_sure = true;  // false: a caller may have set it, and the next report tells
    std::int64_t last_handle = 0;
    std::string agent;
    std::string user;  // empty: not known, or it may still become somebody else's
    std::vector<Pull> pulls;
    std::vector<base::Uuid> unnamed;  // pulls of this turn with items that no later call has named
    bool has_named = false;           // some call of this turn has named a pull
    std::map<std::string, base::Uuid>
        spoken;  // who has posted in its turn, and the newest pull before its last message
    struct Decided {
        base::Uuid id;
        bool is_sure = true;  // false: more may have happened to it than was heard
    };
    std::vector<Decided> decided;  // notifications for the agent's decision that have ended in this turn

    // Principals that a pull gave messages of the user. Which of them still hold some is not followed.
    std::set<std::string> had_messages;

    // True if the session has given out this handle.
    [[nodiscard]] bool has_given(const std::string& key) const;
    void begin_turn(const std::string& by);
    void forget_pulls();
    void name(const base::Uuid& pull);
    void received(const base::Uuid& pull) { std::erase(unnamed, pull); }
    void add_pull(const ports::PullReply& reply, const std::optional<base::Uuid>& after, bool is_start,
                  const std::string& by);
    void note_message(const std::string& by);
    // The holder has posted a message after it was given the notification.
    [[nodiscard]] bool is_told_by_message(const model::Notification& row) const;
    void note_decided(const base::Uuid& id, bool is_sure);
    [[nodiscard]] bool is_sure_of_decided() const;
    [[nodiscard]] bool is_unnamed(const std::optional<base::Uuid>& pull) const;
    [[nodiscard]] bool is_same_chain(const std::optional<base::Uuid>& one, const base::Uuid& other) const;
    [[nodiscard]] Right right_over(const model::Notification& row, const Proof& proof) const;
    // The same for what the store has of it.
    void adopt(const model::Progress& progress);
    void adopt_decided(const model::Progress& progress);

private:
    [[nodiscard]] const Pull* find(const base::Uuid& pull) const;
    void forget_pull();
};

// Whether a caller means this row by its handle or its id.
bool is_called(const model::Notification& row, const std::string& key);

}  // namespace belfry::sim
