#pragma once

#include <span>
#include <string>

#include "model/notification.hpp"

namespace belfry::rules {

// The inbox as one sentence for an agent: how many the person was shown, by kind, the most severe one in its words, and
// that none is to be announced. Empty for none. Says that no person wrote it. At most `bytes_max` bytes. `total`: how
// many there were in all, where `shown` holds only the newest of them.
std::string ambient_digest(std::span<const model::Notification> shown, std::size_t total, std::size_t bytes_max);
inline std::string ambient_digest(std::span<const model::Notification> shown, std::size_t bytes_max) {
    return ambient_digest(shown, shown.size(), bytes_max);
}

// Returns a fact as one line: status, date and time (UTC) of the notification, severity, kind and text, such as
// `[SEEN] 2026-03-01 15:30:01 error tool_failure: …`. The status is `[SEEN]` (acknowledged by the user), `[SHOWN]` (not
// acknowledged) or `[SHOWN, escalated]` (shown by the system because the agent was silent). If the content has changed
// since the user was shown it, the line says so. At most `bytes_max` bytes, cut between characters.
std::string fact_line(const model::Notification& row, std::size_t bytes_max);

// Returns only the status and the text: `[SEEN] …`. For budgets that have no room for the whole line.
std::string short_fact_line(const model::Notification& row, std::size_t bytes_max);

}  // namespace belfry::rules
