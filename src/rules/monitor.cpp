#include "rules/monitor.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace belfry::rules {
namespace {

using model::JsonWriter;

// After a warning the context has to shrink by so many hundredths of the window before the next one: one that sways
// about the threshold is told once.
constexpr std::int64_t context_shrinks_percent = 10;
constexpr std::int64_t us_per_second = 1'000'000;
// A second of a shorter timeout is more than a hundredth of it: in whole seconds, a warning at 80 % would say 66 %.
constexpr std::int64_t tenths_below_s = 100;

// The least count that is `percent` of the limit.
std::int64_t threshold(std::int64_t limit, std::int64_t percent) {
    return limit / 100 * percent + (limit % 100 * percent + 99) / 100;
}

std::int64_t percent_of(std::int64_t used, std::int64_t limit) {
    if (used > std::numeric_limits<std::int64_t>::max() / 100) return used / std::max<std::int64_t>(limit / 100, 1);
    return used * 100 / limit;
}

template <class Fill>
Finding finding(std::string type, Fill fill) {
    std::string json;
    JsonWriter writer(json);
    writer.begin_object();
    fill(writer);
    writer.end_object();
    return {std::move(type), model::RawJson::trusted(std::move(json))};
}

// A count with a warning before its limit.
struct Count {
    const char* budget_type;
    std::int64_t used;
    std::int64_t limit;
    std::int64_t percent;
    bool& told_warning;
    bool& told_exceeded;
};

void check(const Count& count, std::vector<Finding>& findings) {
    if (count.limit <= 0) return;
    const std::string prefix = std::string("budget.") + count.budget_type;
    if (count.used >= count.limit) {
        if (count.told_exceeded) return;
        count.told_exceeded = count.told_warning = true;
        findings.push_back(finding(prefix + ".exceeded", [&](JsonWriter& writer) {
            writer.field("current", count.used).field("limit", count.limit);
        }));
        return;
    }
    if (count.told_warning || count.used < threshold(count.limit, count.percent)) return;
    count.told_warning = true;
    findings.push_back(finding(prefix + ".warning", [&](JsonWriter& writer) {
        writer.field("budget_type", count.budget_type)
            .field("current", count.used)
            .field("limit", count.limit)
            .field("percentage", percent_of(count.used, count.limit))
            .field("remaining", count.limit - count.used);
    }));
}

void check_timeout(const model::Budget& budget, model::Progress& progress, base::Timestamp now,
                   const MonitorOptions& options, std::vector<Finding>& findings) {
    const auto due_at = timeout_due(budget, progress, options);
    if (!due_at || now < *due_at) return;
    progress.told_timeout = true;
    const std::int64_t elapsed_us = (now - *progress.counting_since).us;
    const std::int64_t elapsed_s = elapsed_us / us_per_second;
    findings.push_back(finding("budget.timeout.warning", [&](JsonWriter& writer) {
        if (budget.timeout_s < tenths_below_s) {
            const std::int64_t tenths = elapsed_us / (us_per_second / 10);
            const std::int64_t left = std::max<std::int64_t>(budget.timeout_s * 10 - tenths, 0);
            writer.name("elapsed_seconds").real(static_cast<double>(tenths) / 10);
            writer.field("limit_seconds", budget.timeout_s);
            writer.name("remaining_seconds").real(static_cast<double>(left) / 10);
            return;
        }
        writer.field("elapsed_seconds", elapsed_s)
            .field("limit_seconds", budget.timeout_s)
            .field("remaining_seconds", std::max<std::int64_t>(budget.timeout_s - elapsed_s, 0));
    }));
}

void check_context(const model::Budget& budget, model::Progress& progress, const MonitorOptions& options,
                   std::vector<Finding>& findings) {
    const std::int64_t limit = budget.context_tokens;
    if (limit <= 0) return;
    const std::int64_t used = progress.context_used;
    if (used < threshold(limit, options.context_percent)) {
        const std::int64_t anew = std::max<std::int64_t>(options.context_percent - context_shrinks_percent, 0);
        if (used < threshold(limit, anew)) progress.told_context = false;
        return;
    }
    if (progress.told_context) return;
    progress.told_context = true;
    findings.push_back(finding("context.approaching_limit", [&](JsonWriter& writer) {
        writer.field("current_tokens", used)
            .field("max_tokens", limit)
            .field("percent", percent_of(used, limit))
            .field("remaining_tokens", std::max<std::int64_t>(limit - used, 0));
    }));
}

}  // namespace

void count_anew(model::Progress& progress) {
    model::Progress fresh;
    fresh.in_turn = progress.in_turn;
    fresh.turn_pulled = progress.turn_pulled;
    fresh.lease = progress.lease;
    fresh.aware_pull = progress.aware_pull;
    fresh.aware_next = progress.aware_next;
    fresh.digest_next = progress.digest_next;
    fresh.digest_no = progress.digest_no;
    fresh.open_pull = progress.open_pull;
    fresh.open_point = progress.open_point;
    fresh.has_named = progress.has_named;
    fresh.unnamed = progress.unnamed;
    fresh.pulls = progress.pulls;
    fresh.spoken = progress.spoken;
    fresh.answered_through = progress.answered_through;
    fresh.effect_calls = progress.effect_calls;
    fresh.decided = progress.decided;
    fresh.decided_by_guests = progress.decided_by_guests;
    fresh.named_by_guests = progress.named_by_guests;
    fresh.heard_at = progress.heard_at;
    fresh.turn_asked = progress.turn_asked;
    fresh.turn_by = progress.turn_by;
    fresh.turn_agents = progress.turn_agents;
    fresh.guest_agent = progress.guest_agent;
    fresh.output_node = progress.output_node;
    fresh.alert_next = progress.alert_next;
    fresh.alert_end = progress.alert_end;
    progress = std::move(fresh);
}

std::vector<Finding> check_budget(const model::Budget& budget, model::Progress& progress, base::Timestamp now,
                                  const MonitorOptions& options) {
    std::vector<Finding> findings;
    check({"token", progress.tokens_used, budget.tokens, options.tokens_percent, progress.told_tokens_warning,
           progress.told_tokens_exceeded},
          findings);
    check({"iteration", progress.turn, budget.iterations, options.iterations_percent, progress.told_iterations_warning,
           progress.told_iterations_exceeded},
          findings);
    check_timeout(budget, progress, now, options, findings);
    check_context(budget, progress, options, findings);
    return findings;
}

std::optional<base::Timestamp> timeout_due(const model::Budget& budget, const model::Progress& progress,
                                           const MonitorOptions& options) {
    if (budget.timeout_s <= 0 || progress.told_timeout || !progress.counting_since) return {};
    // A timeout that the clock cannot reach is none.
    constexpr std::int64_t longest_s = std::numeric_limits<std::int64_t>::max() / us_per_second / 4;
    if (budget.timeout_s > longest_s) return {};
    return *progress.counting_since +
           base::microseconds(threshold(budget.timeout_s * us_per_second, options.timeout_percent));
}

}  // namespace belfry::rules
