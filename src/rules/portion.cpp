#include "rules/portion.hpp"

#include <algorithm>
#include <set>
#include <string_view>

#include "base/limits.hpp"
#include "rules/model_tokens.hpp"
#include "rules/route.hpp"

namespace belfry::rules {

Portion divide(std::span<const model::Notification> due, std::int64_t budget_tokens) {
    Portion portion;
    std::int64_t left = budget_tokens;
    std::set<std::string_view> summarised;
    bool is_open = true;  // until something did not fit
    for (std::size_t i = 0; i < due.size(); ++i) {
        const std::int64_t cost = due[i].model_tokens + item_overhead_tokens;
        const bool fits_ever = budget_tokens == 0 || cost <= budget_tokens;
        if (fits_ever && is_open && (budget_tokens == 0 || cost <= left)) {
            portion.whole.push_back(i);
            left -= cost;
            continue;
        }
        // What somebody must answer for is never summarised. Where it can never fit it keeps nobody else waiting.
        const bool needs_answer = route(due[i]).starts_turn;
        if (needs_answer || (fits_ever && due[i].passed_over < base::limits::passed_over_max)) {
            if (fits_ever) is_open = false;
            portion.waiting.push_back(i);
            continue;
        }
        const bool has_line = summarised.contains(due[i].subscriber_id);
        if (has_line || left >= summary_line_tokens) {
            if (!has_line) left -= summary_line_tokens;
            summarised.insert(due[i].subscriber_id);
            portion.counted.push_back(i);
        } else {
            is_open = false;
            portion.waiting.push_back(i);
        }
    }
    return portion;
}

std::int64_t keep_messages_that_fit(std::vector<model::SessionMessage>& messages) {
    std::size_t bytes = 0;
    std::size_t kept = 0;
    std::int64_t tokens = 0;
    for (const model::SessionMessage& message : messages) {
        bytes += message.content.size() + message.metadata.bytes().size();
        if (kept > 0 && bytes > base::limits::user_messages_pull_bytes_max) break;
        ++kept;
        tokens += estimate_model_tokens(message.content);
    }
    messages.resize(kept);
    return tokens;
}

std::int64_t budget_left(std::int64_t budget_tokens, std::int64_t spent) {
    return budget_tokens == 0 ? 0 : std::max<std::int64_t>(budget_tokens - spent, 1);
}

}  // namespace belfry::rules
