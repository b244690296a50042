#include <array>
#include <utility>

#include "sim/expected.hpp"

// Whether a way through the states is one that can be gone.
namespace belfry::sim::expected {
namespace {

using model::DeliveryState;

bool is_allowed(DeliveryState from, DeliveryState to) {
    using enum DeliveryState;
    constexpr std::array<std::pair<DeliveryState, DeliveryState>, 12> ways{{{pending, dispatched},
                                                                            {pending, failed},
                                                                            {pending, escalated},
                                                                            {dispatched, locked},
                                                                            {dispatched, failed},
                                                                            {dispatched, escalated},
                                                                            {locked, locked},
                                                                            {locked, delivered},
                                                                            {locked, failed},
                                                                            {locked, escalated},
                                                                            {escalated, delivered},
                                                                            {escalated, failed}}};
    for (const auto& way : ways) {
        if (way == std::pair(from, to)) return true;
    }
    return from == to && !model::is_terminal(from);
}

bool is_letting_go(const model::Transition& step) {
    const bool is_so_called = step.reason == "pulled_again" || step.reason == "turn_lost" ||
                              step.reason == "not_arrived" || step.reason == "session_deleted";
    return is_so_called && step.to == DeliveryState::locked;
}

std::string named(const model::Transition& step) {
    return std::string(model::delivery_state_name(step.from)) + " to " +
           std::string(model::delivery_state_name(step.to)) + " (" + step.reason + ")";
}

}  // namespace

std::string fault_of(const model::Notification& row, const Steps& steps) {
    if (steps.empty()) return "it has no steps at all";
    if (steps.front().reason != "emitted" || steps.front().lease != 1) return "its way does not begin with its birth";
    DeliveryState state = DeliveryState::pending;
    std::int64_t lease = 1;
    base::Timestamp at = steps.front().at;
    bool has_escalated = false;
    bool is_let_go = false;
    bool is_narrated = false;
    for (const model::Transition& step : steps) {
        if (step.from != state) return "its way has a gap before " + named(step);
        if (!is_allowed(step.from, step.to)) return "its way goes from " + named(step);
        if (step.at < at) return "its way goes back in time at " + named(step);
        const bool is_escalation = step.to == DeliveryState::escalated && step.from != step.to;
        const bool is_raised = is_escalation || step.reason == "taken_over";
        if (step.lease != lease + (is_raised ? 1 : 0)) return "its fence is wrong after " + named(step);
        if (is_escalation && has_escalated) return "it escalates twice";
        has_escalated = has_escalated || is_escalation;
        if (is_let_go && is_letting_go(step)) return "it is let go twice";
        if (step.reason == "claimed" && step.from != DeliveryState::dispatched) return "it is claimed once more";
        if (is_letting_go(step)) is_let_go = true;
        else if (step.to != step.from || step.reason == "taken_over" || step.reason == "narrated") is_let_go = false;
        if (step.reason == "narrated" && (has_escalated || is_narrated)) return "it has two speakers";
        if (is_escalation && is_narrated) return "it was narrated, and the system speaks too";
        is_narrated = is_narrated || step.reason == "narrated";
        state = step.to;
        lease = step.lease;
        at = step.at;
    }
    if (state != row.state) return "its way does not end where it is";
    if (lease != row.lease) return "its way does not end under its lease";
    if (has_escalated && !is_shown(row)) return "it has escalated and is not the person's";
    if (model::is_terminal(state) != row.ended_at.has_value()) return "it has ended and has not";
    if (state == DeliveryState::failed && row.outcome.empty()) return "it has failed without a reason";
    if (state == DeliveryState::failed && steps.back().reason != row.outcome) return "it failed for another reason";
    if (is_narrated != !row.narration.empty()) return "its narration is not in its way";
    const bool has_no_holder = is_let_go || is_narrated;
    if (state == DeliveryState::locked && row.holder.empty() != has_no_holder) return "its holder is not who took it";
    if (!model::is_terminal(state) && !row.deadline) return "nobody will ever look at it";
    const bool is_agents = state == DeliveryState::locked && !has_no_holder;
    if (row.lease_until.has_value() != is_agents) return "a lease without a holder, or reverse";
    return {};
}

std::string difference(const model::Notification& one, const model::Notification& other) {
    if (one == other) return {};
    const auto what = [](const char* name, const auto& a, const auto& b) {
        return a == b ? std::string() : std::string(name);
    };
    using N = model::Notification;
    std::string names;
    const auto look = [&](const char* name, auto member) {
        const std::string found = what(name, one.*member, other.*member);
        if (!found.empty()) names += (names.empty() ? "" : ", ") + found;
    };
    look("state", &N::state);
    look("lease", &N::lease);
    look("version", &N::version);
    look("outcome", &N::outcome);
    look("ended_at", &N::ended_at);
    look("holder", &N::holder);
    look("lease_until", &N::lease_until);
    look("deadline", &N::deadline);
    look("deadline_max", &N::deadline_max);
    look("pull_id", &N::pull_id);
    look("handed_to", &N::handed_to);
    look("handle", &N::handle);
    look("scope", &N::scope);
    look("address", &N::address);
    look("target", &N::target);
    look("handler", &N::handler);
    look("content", &N::content);
    look("text", &N::text);
    look("narration", &N::narration);
    look("used_tools", &N::used_tools);
    look("answered_at", &N::answered_at);
    look("seen_at", &N::seen_at);
    look("acted_at", &N::acted_at);
    look("dismissed_at", &N::dismissed_at);
    look("depth", &N::depth);
    look("ttl", &N::ttl);
    look("caused_by", &N::caused_by);
    look("follows", &N::follows);
    look("retry_of", &N::retry_of);
    look("priority", &N::priority);
    look("severity", &N::severity);
    look("metadata", &N::metadata);
    look("emitter", &N::emitter);
    look("created_at", &N::created_at);
    look("model_tokens", &N::model_tokens);
    return names.empty() ? "something else" : names;
}

}  // namespace belfry::sim::expected
