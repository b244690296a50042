#pragma once

#include <string>
#include <utility>
#include <vector>

#include "engine/agent_book.hpp"
#include "engine/capability.hpp"
#include "engine/change_log.hpp"
#include "engine/timers.hpp"
#include "engine/wakes.hpp"
#include "ports/commands/agents.hpp"

namespace belfry::engine {

// Agents as records: made, changed, put to sleep, destroyed; and their rules for being woken.
class Agents final : public Capability {
public:
    Agents(AgentBook& book, Wakes& wakes, Timers& timers, ChangeLog& log, std::string owner)
        : book_(book), wakes_(wakes), timers_(timers), log_(log), owner_(std::move(owner)) {}

    [[nodiscard]] std::vector<std::type_index> handles() const override;
    base::Result<void> rebuild(Unit& unit) override;
    base::Result<void> apply(ports::Command& command, Unit& unit) override;
    base::Result<void> flush(Unit& unit) override { return book_.flush(unit); }
    void committed(Effects& effects) override;
    void dropped() override { book_.clear(); }

    // The agent that this principal may change, or why not. The outer result is the store's.
    using Found = base::Result<model::AgentRecord*>;
    base::Result<Found> find(const model::Principal& who, const std::string& id, Unit& unit);
    // Whether this principal may make such an agent. What it was not given is filled in.
    base::Result<void> check_draft(const model::Principal& who, model::Agent& draft) const;
    // Whether its user may have one more. The outer result is the store's.
    static base::Result<base::Result<void>> check_room(const model::Agent& draft, Unit& unit);
    // It is there from now on.
    model::AgentRecord& make(model::Agent draft, Unit& unit);

private:
    base::Result<void> create(ports::CreateAgent& command, Unit& unit);
    base::Result<void> change(ports::ChangeAgent& command, Unit& unit);
    base::Result<void> change_own(ports::ChangeOwnState& command, Unit& unit);
    base::Result<void> destroy(ports::DestroyAgent& command, Unit& unit);
    base::Result<void> subscribe(ports::PutWakeSubscription& command, Unit& unit);
    base::Result<void> unsubscribe(ports::DeleteWakeSubscription& command, Unit& unit);

    AgentBook& book_;
    Wakes& wakes_;
    Timers& timers_;
    ChangeLog& log_;
    std::string owner_;
};

}  // namespace belfry::engine
