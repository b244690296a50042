#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "base/time.hpp"

// In which order devices begin a run that all of them come to at the same moment: an instant of a timer, a change that
// is synced. The order is that of the tie-break between two claims, and no clock decides: the greatest host is first.
namespace belfry::rules {

// Each device waits one step more for the claim of those before it. A claim is there within 150 ms: at most 100 ms
// behind a batch of earlier changes, and the way.
inline constexpr base::Duration claim_step = base::milliseconds(400);
inline constexpr std::size_t claim_steps_max = 8;
// A device that catches up was off or asleep: it waits so long for its links, and for what it has missed.
inline constexpr base::Duration catch_up_patience = base::seconds(3);

// True if two hosts have the same device part: stores of one device, or stores that come from one backup.
[[nodiscard]] bool are_of_one_device(std::string_view host, std::string_view other);

// Returns how many devices come before this one. A peer counts by its whole host: two devices whose stores come from
// one backup have the same device part. Other hosts (of devices behind a relay, and of stores that were restored since)
// count once for each device part. Parts of this device and of peers do not count again.
[[nodiscard]] std::size_t place_in_order(std::string_view host, const std::set<std::string>& peers,
                                         const std::set<std::string>& others);

// Returns how long a device in this place waits for the claim of a device before it. The first one does not wait.
[[nodiscard]] base::Duration claim_delay(std::size_t place);

}  // namespace belfry::rules
