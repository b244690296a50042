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
    // A guest of the session (`is_guest`) proves only what it holds itself: leases are small numbers, and it may read
    // the `pull_id` of another principal. Other principals prove nothing of what a guest holds.
    bool is_guest = false;
    // A visitor (`is_visitor`) changes nothing of the turn of the session's own agent.
    bool is_visitor = false;
    // Another principal's turn runs in the session (`works_beside`): the caller changes nothing of that turn.
    bool is_beside = false;
};

enum class Hold : std::uint8_t {
    proven,       // the caller holds it
    not_arrived,  // it went out with a later pull of the caller's own chain, whose answer was lost
    stale,        // the caller names a lease or a pull that was followed by another holder
    unnamed,      // the caller names nothing, and may be another one than the holder
};

// True if `key` is the handle or the id of the row.
bool is_named(const model::Notification& row, std::string_view key);

// False if another principal holds the row, and that one or the caller is a guest.
bool may_be_own(const model::Notification& row, const HoldProof& proof, std::span<const model::PullLink> pulls);

// Judges the caller's right over a row that somebody holds. In this order: the row may be the caller's own; a lease
// that is named for the row; the chain of the named pull; else the row must have had one holder only (lease 1), and
// that is the caller.
Hold judge_hold(const model::Notification& row, const HoldProof& proof, std::span<const model::PullLink> pulls);

// Adds a pull to the session's pulls. `after` is the pull that its caller names as received. A pull without it at
// `turn_start` begins a chain; at another injection point it is assumed to continue the latest chain of its principal,
// which proves only what had one holder. Of too many pulls the oldest empty one is dropped. A pull that precedes the
// latest message of a principal stays: it decides what that message tells.
void link_pull(model::Progress& progress, model::PullLink link, const std::optional<base::Uuid>& after,
               bool begins_turn);

// True if a pull of the session may be the caller's: a guest names only its own pulls, and nobody else names them.
bool may_be_own_pull(std::span<const model::PullLink> pulls, const base::Uuid& pull, const HoldProof& proof);

// True if the session remembers the pull.
bool knows_pull(std::span<const model::PullLink> pulls, const base::Uuid& pull);

// True if pulls of this principal returned messages of the user that were not confirmed yet.
bool has_words(std::span<const model::PullLink> pulls, std::string_view by);

// True if the caller that names this pull has the latest turn of the session: no pull of another principal followed,
// but for pulls of guests.
bool is_latest(std::span<const model::PullLink> pulls, const base::Uuid& pull);

// True if both pulls may be of one runtime: they have the same principal.
bool may_be_one(const model::PullLink& one, const model::PullLink& other);

// The pulls that are the caller's own: of the chain of the pull that it names, else those of its principal. Of a guest
// only pulls of its principal.
std::vector<model::PullLink*> own_pulls(std::vector<model::PullLink>& pulls, const HoldProof& proof);

// The pulls of the caller whose words of the user were not confirmed yet. Nothing: all words of the session that were
// handed over are the caller's, also those of pulls that the session does not remember.
std::optional<std::vector<model::PullLink*>> pulls_with_words(std::vector<model::PullLink>& pulls,
                                                              const HoldProof& proof);

// True if the caller has said in this turn which pull it has.
bool has_named_pull(const model::Progress& progress, const HoldProof& proof);
// A guest has named a pull of its turn.
void note_named(model::Progress& progress, std::string_view guest);
// The turn of this guest ends or begins.
void forget_named(model::Progress& progress, std::string_view guest);

// The guest's latest pull, if it was made at this point and the guest has reported nothing since.
model::PullLink* open_pull_of(std::vector<model::PullLink>& pulls, std::string_view guest, model::InjectAt point);

// The caller has reported something, so the open pull has arrived if it is the caller's.
void close_open_pull(model::Progress& progress, std::string_view by);

// A notification for the caller's decision has ended in its turn.
void note_decided(model::Progress& progress, const base::Uuid& id, const HoldProof& proof);
// Those of the caller's turn. A guest shares the turn of a session with others and has its own list.
std::vector<base::Uuid> decided_in_turn(const model::Progress& progress, const HoldProof& proof);
// A turn of this guest begins.
void forget_decided(model::Progress& progress, std::string_view by);

// An assistant message was posted in the session by this principal.
void note_spoken(model::Progress& progress, std::string_view by, bool is_guest = false);
// A turn of this principal begins or ends: its messages before tell nothing of what it is given later.
void forget_spoken(model::Progress& progress, std::string_view by);

}  // namespace belfry::rules
