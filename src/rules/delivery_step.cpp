#include "rules/delivery_step.hpp"

#include "base/assert.hpp"
#include "rules/route.hpp"
#include "rules/step_reason.hpp"

namespace belfry::rules::delivery {

using base::Timestamp;
using model::DeliveryState;
using model::Notification;

void step(Notification& row, DeliveryState to, Timestamp now, std::string_view who, std::string_view reason,
          Steps& steps) {
    ASSERT(!model::is_terminal(row.state));
    model::Transition made;
    made.notification = row.id;
    made.at = now;
    made.from = row.state;
    made.to = to;
    made.lease = row.lease;
    made.holder = who;
    made.reason = reason;
    steps.push_back(std::move(made));
    row.state = to;
}

base::Duration wait_of(const Notification& row) {
    const Route way = route(row);
    if (way.to_interface) return base::limits::interface_wait_max;
    if (row.ttl > base::Duration{}) return row.ttl;
    return way.starts_turn ? base::limits::agent_ttl_default : base::limits::passive_ttl_default;
}

void take(Notification& row, Timestamp now, std::string_view who, std::string_view reason, Steps& steps) {
    if (row.state == DeliveryState::pending) {
        step(row, DeliveryState::dispatched, now, who, step_reason::dispatched, steps);
    }
    row.holder = who;
    step(row, DeliveryState::locked, now, who, reason, steps);
}

namespace {

void end(Notification& row, Timestamp now) {
    row.ended_at = now;
    row.lease_until.reset();
    row.deadline.reset();
}

}  // namespace

void deliver(Notification& row, Timestamp now, std::string_view who, std::string_view reason, Steps& steps) {
    row.holder = who;
    step(row, DeliveryState::delivered, now, who, reason, steps);
    end(row, now);
}

void fail(Notification& row, Timestamp now, std::string_view who, std::string_view outcome, Steps& steps) {
    row.outcome = outcome;
    step(row, DeliveryState::failed, now, who, outcome, steps);
    end(row, now);
}

void name_tools(Notification& row) {
    const bool is_plain = row.content == row.text;
    row.text = text_with_tools(row.text, row.used_tools);
    if (is_plain) row.content = row.text;
    ++row.version;
}

void escalate(Notification& row, Timestamp now, std::string_view who, std::string_view reason, Steps& steps) {
    const std::string audited(who);  // it may be the holder's own name
    ++row.lease;
    row.handler = model::Handler::system;
    row.target = model::Target::user;
    row.holder.clear();
    row.lease_until.reset();
    if (!row.used_tools.empty()) name_tools(row);
    row.deadline = now + wait_of(row);
    row.deadline_max = row.deadline;  // no update reaches it any more
    step(row, DeliveryState::escalated, now, audited, reason, steps);
}

}  // namespace belfry::rules::delivery
