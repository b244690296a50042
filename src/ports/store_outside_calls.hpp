#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "model/outside_call.hpp"

namespace belfry::ports {

// Calls of tools that somebody outside carries out, as the engine's thread sees them.
class OutsideCallTable {
public:
    virtual ~OutsideCallTable() = default;
    // Inserts, or replaces what changes of one: state, claim, attempts, end.
    virtual base::Result<void> put(const model::OutsideCall& call) = 0;
    virtual base::Result<std::optional<model::OutsideCall>> find(const model::OutsideCallId& id) = 0;
    // That came of this action.
    virtual base::Result<std::optional<model::OutsideCall>> of_action(const base::Uuid& action_id) = 0;
    // The oldest that waits for a worker of this tool, of any of these users; of no users named: of any at all.
    virtual base::Result<std::optional<model::OutsideCall>> next(std::string_view tool_name,
                                                                 std::span<const std::string> users) = 0;
    virtual base::Result<std::vector<model::OutsideCall>> open_of_wake(model::WakeId wake_id) = 0;
    // Those that have not ended and whose claim or time has run out by then, the most overdue first.
    virtual base::Result<std::vector<model::OutsideCall>> overdue(base::Timestamp now, std::size_t limit) = 0;
    virtual base::Result<std::optional<base::Timestamp>> next_due() = 0;
    // Wakes that have an open one.
    virtual base::Result<std::vector<model::WakeId>> waiting_wakes() = 0;
};

struct OutsideCallFilter {
    std::string user_id;  // empty fields do not narrow
    std::string agent_id;
    std::string tool_name;
    std::optional<model::OutsideCallState> state;
    std::optional<model::OutsideCallId> after;  // the last of the page before
    std::size_t limit = 0;
};

// Reading beside the engine.
class OutsideCallReading {
public:
    virtual ~OutsideCallReading() = default;
    virtual base::Result<std::optional<model::OutsideCall>> find(const model::OutsideCallId& id) = 0;
    // Newest first.
    virtual base::Result<std::vector<model::OutsideCall>> list(const OutsideCallFilter& filter) = 0;
};

}  // namespace belfry::ports
