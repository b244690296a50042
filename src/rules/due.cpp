#include "rules/due.hpp"

#include <algorithm>

#include "rules/hold_proof.hpp"

namespace belfry::rules {

using model::InjectAt;
using model::Priority;

bool is_due(InjectAt at, Priority priority, InjectAt inject_at) {
    if (priority == Priority::critical) return true;
    if (at == InjectAt::immediate) return false;
    if (at == inject_at) return true;
    if (priority == Priority::high || inject_at == InjectAt::immediate) return true;
    return at == InjectAt::turn_end && inject_at == InjectAt::after_tool;
}

std::uint32_t due_classes(InjectAt at) {
    std::uint32_t classes = 0;
    for (const Priority priority : {Priority::critical, Priority::high, Priority::normal, Priority::low}) {
        for (const InjectAt point :
             {InjectAt::immediate, InjectAt::turn_start, InjectAt::after_tool, InjectAt::turn_end}) {
            if (is_due(at, priority, point)) classes |= 1U << due_class(priority, point);
        }
    }
    return classes;
}

bool waits_for_turn_end(Priority priority, model::Target target, model::Handler handler) {
    return priority == Priority::low && target == model::Target::agent && handler == model::Handler::system;
}

base::Timestamp heard_until(const model::Progress& progress, base::Timestamp now) {
    return progress.heard_at.value_or(now) + progress.lease;
}

bool is_in_turn(const model::Progress& progress, base::Timestamp now) {
    return progress.in_turn && heard_until(progress, now) > now;
}

void set_turn_owner(model::Progress& progress, const TurnOwner& owner) {
    progress.turn_by = owner.by;
    progress.guest_agent = owner.guest_agent;
    progress.turn_agents = owner.agents;
}

void begin_turn(model::Session& session, base::Timestamp now, const TurnOwner& owner) {
    // A turn whose end nobody told was over when this one began; what was there at its start has had its chance.
    if (session.last_turn_started_at) {
        session.last_turn_ended_at = std::max(session.last_turn_ended_at, session.last_turn_started_at);
    }
    session.last_turn_started_at = now;
    session.progress.output_node.reset();
    set_turn_owner(session.progress, owner);
    forget_spoken(session.progress, owner.by);
    if (owner.is_guest) forget_decided(session.progress, owner.by);
    else session.progress.decided.clear();
}

void end_turn(model::Session& session, base::Timestamp now) {
    session.last_turn_ended_at = now;
    session.progress.output_node.reset();
    session.progress.turn_by.clear();
    session.progress.turn_agents.clear();
}

bool stop_turn(model::Session& session, base::Timestamp now) {
    model::Progress& progress = session.progress;
    const bool runs = progress.in_turn || progress.turn_pulled;
    progress.in_turn = progress.turn_pulled = false;
    end_turn(session, now);
    return runs;
}

std::optional<base::Timestamp> left_over_before(InjectAt at, const model::Session& session) {
    return at == InjectAt::turn_start ? session.last_turn_ended_at : std::nullopt;
}

}  // namespace belfry::rules
