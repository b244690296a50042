#include "rules/portion.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "base/limits.hpp"
#include "rules/model_tokens.hpp"
#include "rules/route.hpp"

namespace belfry::rules {

namespace {

using Subscribers = std::set<std::string_view>;

bool is_overdue(const model::Notification& one) {
    return one.passed_over >= base::limits::passed_over_max && !route(one).starts_turn;
}

// With a line of the budget set apart for each of `promised`.
Portion fill(std::span<const model::Notification> due, std::int64_t budget_tokens, std::int64_t left,
             const Subscribers& promised) {
    Portion portion;
    left -= std::ssize(promised) * summary_line_tokens;
    Subscribers summarised = promised;
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
        if (needs_answer || (fits_ever && !is_overdue(due[i]))) {
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

// Whose rows waited too long and would have to wait on: those that have waited longest, for half of the room at most.
Subscribers kept_out(std::span<const model::Notification> due, const Portion& portion, std::int64_t left) {
    std::map<std::string_view, std::int64_t> longest;
    for (const std::size_t i : portion.waiting) {
        if (!is_overdue(due[i])) continue;
        std::int64_t& times = longest[due[i].subscriber_id];
        times = std::max(times, due[i].passed_over);
    }
    std::vector<std::pair<std::int64_t, std::string_view>> order;
    for (const auto& [subscriber, times] : longest) order.emplace_back(-times, subscriber);
    std::ranges::sort(order);
    const std::int64_t lines = std::max(left / 2, summary_line_tokens) / summary_line_tokens;
    Subscribers promised;
    for (const auto& [times, subscriber] : order) {
        const std::int64_t taken = std::ssize(promised);
        if (taken == lines || (taken + 1) * summary_line_tokens > left) break;
        promised.insert(subscriber);
    }
    return promised;
}

}  // namespace

Portion divide(std::span<const model::Notification> due, std::int64_t budget_tokens, std::int64_t left) {
    Portion portion = fill(due, budget_tokens, left, {});
    const Subscribers promised = kept_out(due, portion, left);
    return promised.empty() ? portion : fill(due, budget_tokens, left, promised);
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
