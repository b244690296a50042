#include "rules/delivery.hpp"

#include <algorithm>

#include "rules/delivery_step.hpp"
#include "rules/route.hpp"
#include "rules/step_reason.hpp"

namespace belfry::rules {

using base::Timestamp;
using delivery::deliver;
using delivery::step;
using model::DeliveryState;
using model::Notification;

std::string_view refusal_name(Refusal refusal) {
    switch (refusal) {
        case Refusal::none: return "none";
        case Refusal::terminal: return "terminal";
        case Refusal::no_lease: return "no_lease";
        case Refusal::stale_lease: return "stale_lease";
        case Refusal::stale_version: return "stale_version";
        case Refusal::not_held: return "not_held";
        case Refusal::wrong_channel: return "wrong_channel";
        case Refusal::already_told: return "already_told";
    }
    return "none";
}

std::string_view refusal_text(Refusal refusal) {
    switch (refusal) {
        case Refusal::none: return "it was done";
        case Refusal::terminal: return "this notification has come to its end and does not change any more";
        case Refusal::no_lease: return "whoever acknowledges a notification must say under which lease";
        case Refusal::stale_lease: return "the lease is stale: somebody else has this notification";
        case Refusal::stale_version:
            return "an acknowledgement must be of the newest version, and this notification has changed or none was "
                   "named";
        case Refusal::not_held: return "this notification is in nobody's hands: it must be handed over first";
        case Refusal::wrong_channel: return "this notification goes another way than through whoever speaks of it";
        case Refusal::already_told: return "an agent has already told the user of this notification";
    }
    return "it was done";
}

void born(Notification& row, std::string_view by, Steps& steps, std::optional<model::Axes> asked) {
    row.state = DeliveryState::pending;
    row.lease = 1;
    const base::Duration wait = delivery::wait_of(row);
    row.deadline = row.created_at + wait;
    row.deadline_max = row.created_at + wait * 2;
    step(row, DeliveryState::pending, row.created_at, by, step_reason::emitted, steps);
    model::Axes& routing = steps.back().routing.emplace(model::axes_of(row));
    if (!asked) return;
    routing.target = asked->target;
    routing.handler = asked->handler;
    step(row, DeliveryState::pending, row.created_at, "belfry", step_reason::chain_end, steps);
}

bool deepen(Notification& draft, std::int64_t depth) {
    draft.depth = depth;
    if (depth < base::limits::chain_depth_max || !route(draft).starts_turn) return false;
    draft.handler = model::Handler::system;
    draft.target = model::Target::user;
    return true;
}

Refusal dispatch(Notification& row, Timestamp now, std::string_view to, Steps& steps) {
    if (model::is_terminal(row.state)) return Refusal::terminal;
    if (row.state == DeliveryState::locked && row.narration.empty()) return Refusal::stale_lease;
    if (row.state == DeliveryState::pending) {
        step(row, DeliveryState::dispatched, now, to, step_reason::dispatched, steps);
    } else {
        step(row, row.state, now, to, step_reason::sent, steps);
    }
    return Refusal::none;
}

bool is_free(const Notification& row, Timestamp now) {
    if (model::is_terminal(row.state) || route(row).to_interface) return false;
    return row.state != DeliveryState::locked || !row.lease_until || *row.lease_until <= now;
}

Refusal claim(Notification& row, Timestamp now, std::string_view holder, base::Duration lease, Steps& steps) {
    if (model::is_terminal(row.state)) return Refusal::terminal;
    if (route(row).to_interface) return Refusal::wrong_channel;
    if (!is_free(row, now)) return Refusal::stale_lease;
    const bool is_take_over = row.state == DeliveryState::locked;
    if (is_take_over) ++row.lease;
    delivery::take(row, now, holder, is_take_over ? step_reason::taken_over : step_reason::claimed, steps);
    row.answered_at.reset();  // that was the word of the holder before
    row.lease_until = now + lease;
    row.deadline = std::max(row.deadline.value_or(row.created_at + delivery::wait_of(row)), *row.lease_until);
    return Refusal::none;
}

Refusal renew(Notification& row, Timestamp now, std::int64_t lease, base::Duration span) {
    if (model::is_terminal(row.state)) return Refusal::terminal;
    if (lease != row.lease) return Refusal::stale_lease;
    if (row.state != DeliveryState::locked || row.holder.empty()) return Refusal::not_held;
    // One that ran out while nobody else came is still his.
    row.lease_until = std::max(row.lease_until.value_or(now), now + span);
    row.deadline = std::max(row.deadline.value_or(*row.lease_until), *row.lease_until);
    return Refusal::none;
}

bool let_go(Notification& row, Timestamp now, std::string_view reason, Steps& steps) {
    if (row.state != DeliveryState::locked || row.holder.empty()) return false;
    step(row, DeliveryState::locked, now, row.holder, reason, steps);
    row.holder.clear();
    row.answered_at.reset();
    // Without a lease time the row is free at once and stays free if the clock is set back. The deadline stays: until
    // then the next turn can take the row.
    row.lease_until.reset();
    // Turns that begin and never end must not keep the row from the user.
    const bool has_had_its_time = row.deadline_max && now >= *row.deadline_max;
    if (has_had_its_time && route(row).escalates != Escalates::never) {
        delivery::escalate(row, now, "belfry", step_reason::ttl, steps);
    }
    return true;
}

namespace {

// What an agent's word about a row needs: that it goes through agents, under this lease, and was handed over.
Refusal agents_word(const Notification& row, std::int64_t lease) {
    if (model::is_terminal(row.state)) return Refusal::terminal;
    if (lease != row.lease) return Refusal::stale_lease;
    if (!row.narration.empty()) return Refusal::already_told;
    if (route(row).to_interface) return Refusal::wrong_channel;
    if (row.state == DeliveryState::pending) return Refusal::not_held;
    return Refusal::none;
}

Refusal interfaces_word(const Notification& row, std::int64_t lease) {
    if (model::is_terminal(row.state)) return Refusal::terminal;
    if (lease != row.lease) return Refusal::stale_lease;
    if (!route(row).to_interface) return Refusal::wrong_channel;
    return Refusal::none;
}

std::string_view reason_of(const Acknowledgement& ack) {
    if (ack.voice == Voice::model) return step_reason::by_model;
    if (ack.voice == Voice::runtime) return step_reason::by_runtime;
    if (ack.how == "rendered") return step_reason::rendered;
    if (ack.how == "clicked") return step_reason::clicked;
    return step_reason::acknowledged;
}

void take_and_deliver(Notification& row, Timestamp now, std::string_view by, std::string_view reason, Steps& steps) {
    const bool is_to_be_taken = row.state == DeliveryState::pending || row.state == DeliveryState::dispatched;
    if (is_to_be_taken) delivery::take(row, now, by, step_reason::claimed, steps);
    deliver(row, now, by, reason, steps);
}

}  // namespace

Refusal acknowledge(Notification& row, Timestamp now, const Acknowledgement& ack, Steps& steps) {
    if (model::is_terminal(row.state)) return Refusal::terminal;
    if (!ack.lease) return Refusal::no_lease;
    const bool is_interface = ack.voice == Voice::interface;
    const Refusal refusal = is_interface ? interfaces_word(row, *ack.lease) : agents_word(row, *ack.lease);
    if (refusal != Refusal::none) return refusal;
    if (ack.version ? *ack.version != row.version : is_interface) return Refusal::stale_version;
    take_and_deliver(row, now, ack.by, reason_of(ack), steps);
    return Refusal::none;
}

bool must_tell(const Notification& row) {
    return route(row).escalates == Escalates::when_unspoken;
}

bool is_told_by_message(const Notification& row, const model::Progress& progress) {
    if (row.address != model::Address::session || !row.used_tools.empty()) return false;
    const auto message = std::ranges::find(progress.spoken, row.holder, &model::Spoken::by);
    if (message == progress.spoken.end()) return false;
    const auto find = [&](const base::Uuid& pull) {
        return std::ranges::find(progress.pulls, pull, &model::PullLink::pull);
    };
    const auto spoken = find(message->after);
    if (spoken == progress.pulls.end()) return false;
    if (!row.pull_id) return true;
    const auto handed = find(*row.pull_id);
    // Of a pull that was dropped, its id says when it was made.
    return handed != progress.pulls.end() ? handed <= spoken : *row.pull_id < message->after;
}

bool note_untold(Notification& row, Timestamp now, std::string_view by, Steps& steps) {
    if (row.answered_at) return false;
    row.answered_at = now;
    step(row, row.state, now, by, step_reason::untold, steps);
    return true;
}

Refusal narrate(Notification& row, Timestamp now, const Narration& narration, Steps& steps) {
    if (const Refusal refusal = agents_word(row, narration.lease); refusal != Refusal::none) return refusal;
    // Nobody speaks of passive context, and a row for the agent's decision is the agent's own until it is promoted.
    if (!must_tell(row)) return Refusal::wrong_channel;
    if (narration.version && *narration.version != row.version) return Refusal::stale_version;
    delivery::take(row, now, narration.by, step_reason::narrated, steps);
    row.narration = text_with_tools(narration.text, row.used_tools);
    row.holder.clear();
    row.lease_until.reset();
    row.deadline = now + delivery::wait_of(row);
    row.deadline_max = row.deadline;
    return Refusal::none;
}

Refusal turn_ended(Notification& row, Timestamp now, Steps& steps) {
    if (model::is_terminal(row.state)) return Refusal::terminal;
    if (row.state != DeliveryState::locked || row.holder.empty()) return Refusal::not_held;
    const std::string holder = row.holder;
    switch (route(row).escalates) {
        case Escalates::never: deliver(row, now, holder, step_reason::turn_ended, steps); break;
        case Escalates::when_unanswered:
            row.outcome = step_reason::vetoed;
            deliver(row, now, holder, step_reason::vetoed, steps);
            break;
        case Escalates::when_unspoken: delivery::escalate(row, now, holder, step_reason::silence, steps); break;
    }
    return Refusal::none;
}

Refusal ended_untold(Notification& row, Timestamp now, std::string_view by, Steps& steps) {
    if (model::is_terminal(row.state)) return Refusal::terminal;
    if (!must_tell(row)) return Refusal::wrong_channel;
    delivery::escalate(row, now, by, step_reason::untold, steps);
    return Refusal::none;
}

bool watch(Notification& row, Timestamp now, Steps& steps) {
    if (model::is_terminal(row.state)) return false;
    const bool had_deadline = row.deadline.has_value();
    if (!had_deadline) row.deadline = row.created_at + delivery::wait_of(row);
    const bool is_held = row.state == DeliveryState::locked && row.lease_until && *row.lease_until > now;
    if (is_held && *row.deadline < *row.lease_until) {
        row.deadline = row.lease_until;
        return true;
    }
    if (*row.deadline > now) return !had_deadline;
    const Route way = route(row);
    // Who had it and was not heard of again, or else who has looked.
    const std::string who = row.holder.empty() ? "watchdog" : row.holder;
    if (way.to_interface) {
        delivery::fail(row, now, who, step_reason::nobody_there, steps);
    } else if (way.escalates == Escalates::never) {
        delivery::fail(row, now, who, step_reason::expired_unseen, steps);
    } else {
        const bool was_locked = row.state == DeliveryState::locked;
        delivery::escalate(row, now, who, was_locked ? step_reason::lease_expired : step_reason::ttl, steps);
    }
    return true;
}

}  // namespace belfry::rules
