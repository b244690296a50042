#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/time.hpp"
#include "model/notification.hpp"
#include "model/session.hpp"

// Shared awareness: an agent knows what its user was shown, and does not announce it again.
namespace belfry::rules {

// Returns the status of a notification that is sent to the user now.
model::FactStatus shown_status(const model::Notification& row);

// True if agents were not told this status of the row's content yet.
bool is_news(const model::Notification& row, model::FactStatus status);

// Returns the time from which on a session that was told nothing yet is told facts. A clock that was set back since the
// session's creation must not hide the facts of today: the earlier one of both times counts.
base::Timestamp first_facts_since(const model::Session& session, base::Timestamp now);

// The session gets its user, or another one if the first was only assumed. The agent knows no fact of the new user.
void set_user(model::Session& session, const std::string& user_id);

// The facts that an agent is told at the start of a turn.
struct Awareness {
    std::vector<std::string> seen;          // a line each, oldest first; the last line may count the others
    std::string digest;                     // the inbox as one sentence
    std::int64_t model_tokens = 0;          // of all lines and the digest
    std::optional<std::int64_t> last_told;  // the number of the last fact that has its own line

    [[nodiscard]] bool is_empty() const { return seen.empty() && digest.empty(); }
};

// How many facts there are in the ledger beyond those that were read.
struct FactCounts {
    std::int64_t all = 0;       // that were not told
    std::int64_t in_inbox = 0;  // of them in the user's inbox, and not counted by a digest
    std::int64_t counted = 0;   // the number of the last fact that a digest has counted
};

// Chooses from the oldest facts, sorted by number, those that an agent is told now: at most `seen_facts_max`, in at
// most half of the budget (0: no limit). The others are counted in one line and stay for later turns. The oldest fact
// is shortened rather than left out, so that every turn makes progress.
Awareness awareness_of(std::span<const model::Notification> oldest, const FactCounts& counts,
                       std::int64_t budget_tokens);

}  // namespace belfry::rules
