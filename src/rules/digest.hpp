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

// One fact that the person has seen, in a line: `[SEEN] 15:30:01 error tool_failure: …`, at most `bytes_max` bytes, cut
// between characters; never more than one line.
std::string seen_fact(const model::Notification& shown, std::size_t bytes_max);

}  // namespace belfry::rules
