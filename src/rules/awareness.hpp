#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "model/notification.hpp"

namespace belfry::rules {

// What the person knows already, for an agent to know and not to announce.
struct Awareness {
    std::vector<std::string> seen;  // facts in a line each, oldest first
    std::string digest;             // the inbox as one sentence
    std::int64_t model_tokens = 0;  // of all of it

    [[nodiscard]] bool is_empty() const { return seen.empty() && digest.empty(); }
};

// Out of what he was shown, oldest first. Takes at most half of the budget (0: no limit); where there is not room for
// all, the newest facts go first. `in_inbox`: how many live with the user in all, where `shown` holds only the newest.
Awareness awareness_of(std::span<const model::Notification> shown, std::int64_t in_inbox, std::int64_t budget_tokens);

}  // namespace belfry::rules
