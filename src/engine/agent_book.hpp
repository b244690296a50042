#pragma once

#include <map>
#include <optional>
#include <string>

#include "engine/capability.hpp"
#include "model/agent.hpp"

namespace belfry::engine {

// The agents that one transaction touches: read when they are needed and written once at its end. Nothing is kept
// beyond the transaction.
class AgentBook {
public:
    // The agent as this transaction sees it, or null. Valid until `clear`.
    base::Result<model::AgentRecord*> find(const std::string& id, Unit& unit);
    model::AgentRecord& add(model::AgentRecord record);
    // It was changed and is to be written.
    void touch(const model::AgentRecord& record);
    // Its state was changed: it has another revision from now on.
    void touch_state(model::AgentRecord& record, base::Timestamp now);

    base::Result<void> flush(Unit& unit);
    // Of those that this transaction has written: when the first of them wants to be woken.
    [[nodiscard]] std::optional<base::Timestamp> earliest_wish() const { return earliest_wish_; }
    void clear() {
        entries_.clear();
        earliest_wish_.reset();
    }

private:
    struct Entry {
        std::optional<model::AgentRecord> record;  // nothing: looked for, not there
        bool touched = false;
    };
    std::map<std::string, Entry> entries_;
    std::optional<base::Timestamp> earliest_wish_;
};

}  // namespace belfry::engine
