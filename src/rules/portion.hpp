#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/notification.hpp"
#include "model/session.hpp"

namespace belfry::rules {

// How what is due is divided under a budget of model tokens. Order is kept: nothing overtakes what did not fit.
struct Portion {
    std::vector<std::size_t> whole;    // handed over as they are, in order
    std::vector<std::size_t> counted;  // handed over as part of a summary: they waited long, or can never fit
    std::vector<std::size_t> waiting;  // wait for another time
};

// About what one item costs besides its content, and what a line of a summary does.
inline constexpr std::int64_t item_overhead_tokens = 12;
inline constexpr std::int64_t summary_line_tokens = 24;

// `due` in the order of handing over; `budget_tokens` 0: no limit; `left` is what of it went to nothing else yet. What
// was passed over `passed_over_max` times, and what alone is more than the whole budget, becomes part of a summary of
// one line a subscriber as far as there is room; for what was passed over so often room is kept, so that others who
// come before it every time do not starve it. What an agent must answer is never counted: it waits, and what can never
// fit is in nobody's way.
Portion divide(std::span<const model::Notification> due, std::int64_t budget_tokens, std::int64_t left);

// Of what the person has said meanwhile, in his order, so much as one hand-over holds, and at least one message: cuts
// off the rest, and tells about what the others cost.
std::int64_t keep_messages_that_fit(std::vector<model::SessionMessage>& messages);

// What is left of a budget for notifications once `spent` went to what comes before them; 0 stays without limit.
std::int64_t budget_left(std::int64_t budget_tokens, std::int64_t spent);

}  // namespace belfry::rules
