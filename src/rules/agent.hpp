#pragma once

#include <optional>

#include "base/result.hpp"
#include "base/time.hpp"
#include "model/agent.hpp"
#include "model/wake.hpp"

namespace belfry::rules {

// Whether such an agent may be: every refusal names the field and the limit. Lists are sorted and each entry is there
// once when it returns.
base::Result<void> check_agent(model::Agent& agent);
// Of an agent that is given its categories: there are no more than can be read with.
base::Result<void> check_allowed_categories(const model::Agent& agent);
base::Result<void> check_slots(const model::AgentSlots& slots);
// An object whose members have a namespace.
base::Result<void> check_extension(const model::RawJson& extension, const char* field);

// Whether such a rule may be. Its predicate is parsed by who keeps it.
base::Result<void> check_subscription(const model::WakeSubscription& subscription);
// Whether the two let the same things through in the same way.
[[nodiscard]] bool is_same_rule(const model::WakeSubscription& a, const model::WakeSubscription& b);

// Whether an agent of this mode is woken for such a reason at all.
[[nodiscard]] bool takes(model::AgentMode mode, model::WakeReason reason);
// What keeps the agent from a job whose time has come: the end of that job. Nothing: it may run.
[[nodiscard]] std::optional<model::WakeState> hindrance(const model::AgentRecord& agent, model::WakeReason reason,
                                                        base::Timestamp now);

}  // namespace belfry::rules
