#pragma once

#include <cstdint>
#include <string>

#include "engine/agent_log.hpp"
#include "engine/capability.hpp"
#include "engine/house_tools.hpp"
#include "engine/ledger.hpp"
#include "model/change_set.hpp"

namespace belfry::engine {

// What agents propose, as it is recorded: the rows, what the person is told of them, and what the agent is told of his
// decisions, all in the same commit.
class ChangeSetBook {
public:
    ChangeSetBook(AgentLog& log, Ledger& ledger) : log_(log), ledger_(ledger) {}

    struct Place {
        model::ChangeSetId set;
        std::int64_t number = 0;
    };
    // Adds a call to what its wake has proposed before. The inner error: there is no room for more.
    using Proposed = base::Result<Place>;
    base::Result<Proposed> propose(const ToolActor& actor, const model::PlannedAction& action, model::RawJson changes,
                                   std::int64_t depth, Unit& unit);

    // An item of the set that was proposed until now has come to its end. `agent`: null where there is none any more
    // that could be told. `tell` follows, once for all of them.
    base::Result<void> settle(model::ChangeSet& set, model::ChangeItem& item, model::ChangeItemState state,
                              const std::string& by, model::AgentRecord* agent, Unit& unit);
    // Whoever follows the person's inbox hears how the set is now; where nothing of it is open any more, what told him
    // of it counts as dealt with.
    base::Result<void> tell_decided(const model::ChangeSet& set, const std::string& by, Unit& unit);

private:
    base::Result<void> observe(const model::ChangeSet& set, const model::ChangeItem& item, model::AgentRecord& agent,
                               Unit& unit);
    base::Result<void> tell(const model::ChangeSet& set, Unit& unit);
    base::Result<void> notify(const model::ChangeSet& set, Unit& unit);

    AgentLog& log_;
    Ledger& ledger_;
};

// The wake of a set, as far as it matters for what is done in its name after its end.
[[nodiscard]] model::Wake wake_of(const model::ChangeSet& set);

}  // namespace belfry::engine
