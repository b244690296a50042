#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/capability.hpp"
#include "engine/change_log.hpp"
#include "model/agent.hpp"
#include "ports/store_clock.hpp"

namespace belfry::engine {

// The agents that one transaction touches: read when they are needed and written once at its end, and what was changed
// of them is noted in the log of changes. Nothing is kept beyond the transaction.
class AgentBook {
public:
    explicit AgentBook(ChangeLog& log) : log_(log) {}

    // Reads those that are not here yet in one go.
    base::Result<void> load(std::span<const std::string> ids, Unit& unit);
    // The agent as this transaction sees it, or null. Valid until `clear`.
    base::Result<model::AgentRecord*> find(const std::string& id, Unit& unit);
    model::AgentRecord& add(model::AgentRecord record, const model::ChangeOrigin& by);
    // It was changed and is to be written. `by` whom, where it is a change that may wake others; what Belfry itself
    // keeps of its runs is recorded as the agent's own, and wakes nobody: two agents that watch each other would never
    // rest.
    void touch(const model::AgentRecord& record, const std::optional<model::ChangeOrigin>& by = std::nullopt);
    // Its state was changed: it has another revision from now on.
    void touch_state(model::AgentRecord& record, base::Timestamp now,
                     const std::optional<model::ChangeOrigin>& by = std::nullopt);

    // As other devices know it by now, which is no change of ours. It may be new here.
    model::AgentRecord& put_synced(model::AgentRecord record);

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
        std::optional<model::AgentRecord> noted;   // as the log of changes knows it; nothing: not at all
        bool touched = false;
        // The origin of the new wake time and the new sleep, if this transaction changed them.
        ports::SaidBy wake_by = ports::SaidBy::nobody;
        ports::SaidBy sleep_by = ports::SaidBy::nobody;
    };
    static void note_times(Entry& entry, const model::AgentState& before, ports::SaidBy by);
    // Notes in the store who has said the wake times and sleeps that were changed.
    base::Result<void> write_times(Unit& unit);
    void note(Entry& entry, const std::optional<model::ChangeOrigin>& by);
    void note_state(const Entry& entry, const std::optional<model::ChangeOrigin>& by);
    void tell(const model::Agent& agent, std::string_view kind, const std::optional<model::ChangeOrigin>& by,
              std::vector<model::ChangeToken> tokens, std::vector<std::string> fields);

    ChangeLog& log_;
    std::map<std::string, Entry> entries_;
    std::optional<base::Timestamp> earliest_wish_;
};

// What a change of an agent, or of its state, touches.
[[nodiscard]] std::vector<model::ChangeToken> agent_tokens(const model::Agent& agent);
[[nodiscard]] std::vector<model::ChangeToken> agent_state_tokens(const model::AgentRecord& record);

}  // namespace belfry::engine
