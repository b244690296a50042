#include "rules/delivery_wake.hpp"

#include <string>

#include "rules/delivery_step.hpp"
#include "rules/route.hpp"
#include "rules/step_reason.hpp"

namespace belfry::rules {

using base::Timestamp;
using model::DeliveryState;
using model::Notification;

bool waits_for_agent(const Notification& row) {
    return !model::is_terminal(row.state) && route(row).starts_turn;
}

bool raise_to_user(Notification& row, Timestamp now, std::string_view by, Steps& steps) {
    if (model::is_terminal(row.state) || route(row).escalates != Escalates::when_unanswered) return false;
    row.target = model::Target::user;
    delivery::step(row, row.state, now, by, step_reason::promoted, steps);
    return true;
}

Refusal tell_with(Notification& row, Timestamp now, std::string_view by, Steps& steps) {
    if (model::is_terminal(row.state)) return Refusal::terminal;
    if (!waits_for_agent(row)) return Refusal::wrong_channel;
    if (row.state != DeliveryState::locked) delivery::take(row, now, by, step_reason::claimed, steps);
    delivery::deliver(row, now, by, step_reason::told_with, steps);
    return Refusal::none;
}

bool release_to_ttl(Notification& row, Timestamp now, Steps& steps) {
    if (!let_go(row, now, step_reason::attempt_failed, steps)) return false;
    if (!waits_for_agent(row)) return true;
    const Timestamp ttl_ends = row.created_at + delivery::wait_of(row);
    if (ttl_ends <= now) delivery::escalate(row, now, "belfry", step_reason::ttl, steps);
    else row.deadline = ttl_ends;
    return true;
}

bool give_to_user(Notification& row, Timestamp now, std::string_view why, Steps& steps, std::string_view reason) {
    if (!waits_for_agent(row)) return false;
    if (!why.empty()) {
        const bool is_plain = row.content == row.text;
        row.text.append(" (").append(why).append(")");
        if (is_plain) row.content = row.text;
        ++row.version;
    }
    const std::string who = row.holder.empty() ? "belfry" : row.holder;
    delivery::escalate(row, now, who, reason, steps);
    return true;
}

}  // namespace belfry::rules
