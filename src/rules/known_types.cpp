#include "rules/known_types.hpp"

#include <algorithm>
#include <array>

namespace belfry::rules {
namespace {

using model::Severity;

constexpr PayloadField text(std::string_view name) {
    return {name, PayloadKind::text, true};
}
constexpr PayloadField number(std::string_view name) {
    return {name, PayloadKind::number, true};
}
constexpr PayloadField any(std::string_view name) {
    return {name, PayloadKind::any, true};
}
constexpr PayloadField maybe(PayloadField field) {
    return {field.name, field.kind, false};
}

constexpr std::array tool_pending{text("tool_name"), text("call_id"), maybe(any("arguments"))};
constexpr std::array tool_success{text("tool_name"), text("call_id"), number("duration_ms"),
                                  maybe(any("result_summary"))};
constexpr std::array tool_failure{text("tool_name"), text("call_id"), text("error_type"), text("error_message"),
                                  maybe(number("retry_count"))};
constexpr std::array tool_timeout{text("tool_name"), text("call_id"), number("timeout_ms"),
                                  maybe(number("retry_count"))};
constexpr std::array budget_warning{text("budget_type"), number("current"), number("limit"), number("percentage"),
                                    number("remaining")};
constexpr std::array budget_exceeded{number("current"), number("limit")};
constexpr std::array budget_timeout{number("elapsed_seconds"), number("limit_seconds"), number("remaining_seconds")};
constexpr std::array turn_start{number("turn_number"), text("session_id")};
constexpr std::array turn_end{number("turn_number"), text("session_id"), text("reason"), number("tool_calls"),
                              number("tokens_used")};
constexpr std::array loop_detected{text("pattern"), number("repetitions"), number("window_seconds")};
constexpr std::array subagent_complete{text("task_id"), any("result_summary"), number("duration_ms")};
constexpr std::array subagent_failed{text("task_id"), text("error_message")};
constexpr std::array cli_event{text("event_name"), maybe(any("data"))};
constexpr std::array self_notify{text("message"), maybe(text("priority")), maybe(text("category")),
                                 maybe(any("deliver_at"))};
constexpr std::array context_limit{number("current_tokens"), number("max_tokens"), number("percent"),
                                   number("remaining_tokens")};
constexpr std::array session_resumed{number("nodes_loaded"), any("last_question")};
constexpr std::array source_stale{text("path"), text("previous_hash"), text("current_hash")};
constexpr std::array task_checkpoint{text("message"), number("turn")};

// In the order of their names, so that they are found by halving.
constexpr std::array<KnownType, 21> types{{
    {"agent.loop.detected", Severity::warning, loop_detected},
    {"agent.self.notify", Severity::info, self_notify},
    {"agent.self.remind", Severity::info, self_notify},
    {"agent.turn.end", Severity::info, turn_end},
    {"agent.turn.start", Severity::info, turn_start},
    {"budget.iteration.exceeded", Severity::critical, budget_exceeded},
    {"budget.iteration.warning", Severity::warning, budget_warning},
    {"budget.timeout.warning", Severity::warning, budget_timeout},
    {"budget.token.exceeded", Severity::critical, budget_exceeded},
    {"budget.token.warning", Severity::warning, budget_warning},
    {"cli.event", Severity::info, cli_event},
    {"context.approaching_limit", Severity::warning, context_limit},
    {"session.resumed", Severity::info, session_resumed},
    {"source.stale", Severity::warning, source_stale},
    {"subagent.complete", Severity::info, subagent_complete},
    {"subagent.failed", Severity::error, subagent_failed},
    {"task.checkpoint", Severity::info, task_checkpoint},
    {"tool.call.failure", Severity::error, tool_failure},
    {"tool.call.pending", Severity::info, tool_pending},
    {"tool.call.success", Severity::info, tool_success},
    {"tool.call.timeout", Severity::warning, tool_timeout},
}};

static_assert(std::ranges::all_of(types,
                                  [](const KnownType& known) { return known.fields.size() <= known_fields_max; }));

}  // namespace

std::span<const KnownType> known_types() {
    return types;
}

const KnownType* find_known_type(std::string_view type) {
    const auto at = std::ranges::lower_bound(types, type, {}, &KnownType::type);
    return at != types.end() && at->type == type ? &*at : nullptr;
}

}  // namespace belfry::rules
