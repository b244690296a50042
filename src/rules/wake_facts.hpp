#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "model/agent.hpp"
#include "model/event.hpp"
#include "model/value.hpp"
#include "model/wake.hpp"
#include "rules/predicate.hpp"

namespace belfry::rules {

// The names that the paths of such a rule's predicate may begin with.
std::span<const std::string_view> roots_of(const model::WakeSubscription& subscription);

// What a predicate is asked about an event: `event`, without its payload, and `payload`. The trees are built when they
// are asked for.
class EventFacts final : public PredicateFacts {
public:
    explicit EventFacts(const model::Event& event) : event_(event) {}
    [[nodiscard]] const model::Value* root(std::string_view name) const override;
    [[nodiscard]] bool is_linked(std::string_view relation, std::optional<std::string_view> id) const override;

private:
    const model::Event& event_;
    mutable std::optional<model::Value> event_tree_;
    mutable std::optional<model::Value> payload_tree_;
};

// What a predicate is asked about an agent that was changed, or whose state was: `agent`, as it is read, without what
// it does here and now, and `agent_state`.
class AgentFacts final : public PredicateFacts {
public:
    explicit AgentFacts(const model::AgentRecord& record) : record_(record) {}
    [[nodiscard]] const model::Value* root(std::string_view name) const override;
    [[nodiscard]] bool is_linked(std::string_view relation, std::optional<std::string_view> id) const override;

private:
    const model::AgentRecord& record_;
    mutable std::optional<model::Value> agent_tree_;
    mutable std::optional<model::Value> state_tree_;
};

}  // namespace belfry::rules
