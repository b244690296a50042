#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/uuid.hpp"
#include "model/notification.hpp"
#include "model/session.hpp"

namespace belfry::rules {

// A lease that a caller names for one notification, by handle or id.
struct NamedLease {
    std::string key;
    std::int64_t lease = 0;
};

// Everything a caller gives to prove that it holds notifications of a session.
struct HoldProof {
    std::string_view by;  // the caller's principal
    std::optional<base::Uuid> pull_id;
    std::vector<NamedLease> leases;
    // A guest of the session (`is_guest`) proves by a lease only what it holds itself: leases are small numbers.
    bool is_guest = false;
    // A visitor (`is_visitor`) changes nothing of the turn of the session's own agent.
    bool is_visitor = false;
};

enum class Hold : std::uint8_t {
    proven,       // the caller holds it
    not_arrived,  // it went out with a later pull of the caller's own chain, whose answer was lost
    stale,        // the caller names a lease or a pull that was followed by another holder
    unnamed,      // the caller names nothing, and may be another one than the holder
};

// True if `key` is the handle or the id of the row.
bool is_named(const model::Notification& row, std::string_view key);

// Judges the caller's right over a row that somebody holds. In this order: a lease that is named for the row; the
// chain of the named pull; else the row must have had one holder only (lease 1), and that is the caller.
Hold judge_hold(const model::Notification& row, const HoldProof& proof, std::span<const model::PullLink> pulls);

// Adds a pull to the session's pulls. `after` is the pull that its caller names as received. A pull without it at
// `turn_start` begins a chain; at another injection point it is assumed to continue the latest chain, which proves only
// what had one holder. Of too many pulls the oldest empty one is dropped.
void link_pull(std::vector<model::PullLink>& pulls, model::PullLink link, const std::optional<base::Uuid>& after,
               bool begins_turn);

// True if the caller that names this pull has the latest turn of the session: no pull of another principal followed.
bool is_latest(std::span<const model::PullLink> pulls, const base::Uuid& pull);

// True if both pulls may be of one runtime: they have the same principal.
bool may_be_one(const model::PullLink& one, const model::PullLink& other);

// The pulls that are the caller's own: of the chain of the pull that it names, else those of its principal.
std::vector<model::PullLink*> own_pulls(std::vector<model::PullLink>& pulls, const HoldProof& proof);

// The caller has reported something, so the open pull has arrived if it is the caller's.
void close_open_pull(model::Progress& progress, std::string_view by);

// An assistant message was posted in the session by this principal.
void note_spoken(model::Progress& progress, std::string_view by);
// A turn of this principal begins or ends: its messages before tell nothing of what it is given later.
void forget_spoken(model::Progress& progress, std::string_view by);

}  // namespace belfry::rules
