#pragma once

#include <array>
#include <string_view>

namespace belfry::rules {

// The kinds of records in the order in which they are told as a whole, and taken: what others need to be there comes
// first.
inline constexpr std::array<std::string_view, 18> sync_kinds{
    "erasure",   "category",  "label", "entry", "task",        "checklist",     "checklist_item",     "time_entry",
    "day_plan",  "rating",    "link",  "agent", "agent_state", "agent_message", "agent_subscription", "agent_timer",
    "run_claim", "read_mark",
};

// Its place in that order.
[[nodiscard]] constexpr std::size_t sync_rank(std::string_view kind) {
    std::size_t rank = 0;
    while (rank < sync_kinds.size() && sync_kinds[rank] != kind) ++rank;
    return rank;
}

}  // namespace belfry::rules
