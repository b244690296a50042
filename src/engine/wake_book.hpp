#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "engine/capability.hpp"
#include "model/wake.hpp"

namespace belfry::engine {

// The wakes that have not ended, in memory, with what they have to be found by. Changed in place; where a transaction
// is dropped that has changed it, it is read anew before it is used again.
class WakeBook {
public:
    struct Entry {
        model::Wake wake;
        bool is_ready = false;  // its time has come, and nothing keeps its agent from it
        bool rests = false;     // its time has come, and it waits for its agent to be able to take it
        std::optional<base::Timestamp> rests_until;                  // nothing: until its agent is changed
        bool rests_for_devices = false;                              // another device runs it, or is given time to
        model::WorkflowKind workflow = model::WorkflowKind::worker;  // of a ready one: who may claim it
        std::optional<base::Timestamp> due;                          // as it stands in due_
        std::map<std::string, std::uint64_t> carries;  // the first change of each host that it is there for
        std::optional<std::int64_t> depth;             // of its signals, the deepest; nothing: it has to be read first
        std::string worker;  // of a running one: whose claim it is; empty: he was not heard of since Belfry started
    };

    base::Result<void> rebuild(Unit& unit);

    [[nodiscard]] const Entry* find(model::WakeId id) const;
    // Whether one was made under this key in this transaction: the store may not know it yet.
    [[nodiscard]] bool was_made_now(const std::string& run_key) const { return made_.contains(run_key); }
    // Gives it its id.
    const model::Wake& add(model::Wake wake);
    // It was changed: it is written, and found by what it is now. One that has ended leaves.
    void put(model::Wake wake);
    void set_ready(model::WakeId id, model::WorkflowKind workflow);
    // Something keeps its agent from it until then, or until it is changed: the agent itself, or other devices.
    enum class RestFor : std::uint8_t { agent, devices };
    void let_rest(model::WakeId id, std::optional<base::Timestamp> until, RestFor whom = RestFor::agent);
    // Its agent has changed: who may claim its wakes is looked at again.
    void look_again(const std::string& agent_id);
    // It may be awake again: those that rest are looked at.
    void rouse(const std::string& agent_id);

    [[nodiscard]] std::vector<model::WakeId> of_agent(const std::string& agent_id) const;
    [[nodiscard]] bool is_running(const std::string& agent_id) const { return running_.contains(agent_id); }
    [[nodiscard]] std::optional<model::WakeId> running_of(const std::string& agent_id) const {
        const auto at = running_.find(agent_id);
        return at == running_.end() ? std::nullopt : std::optional(at->second);
    }
    [[nodiscard]] std::int64_t running() const { return static_cast<std::int64_t>(running_.size()); }
    [[nodiscard]] std::vector<model::WakeId> running_ids() const;
    [[nodiscard]] std::optional<model::WakeId> of_run(model::RunId id) const;

    // Ready ones for which there is nobody at work yet, the first to be claimed first, of this agent or of this kind.
    [[nodiscard]] std::optional<model::WakeId> next_of(const std::string& agent_id, model::WorkflowKind workflow) const;
    [[nodiscard]] std::optional<model::WakeId> next_of(model::WorkflowKind workflow) const;
    // Likewise, the first of each user, of so many users.
    [[nodiscard]] std::vector<model::WakeId> next_of_each_user(model::WorkflowKind workflow, std::size_t limit) const;

    // Those that have to be looked at by then, the earliest first; and when the first is.
    [[nodiscard]] std::vector<model::WakeId> due(base::Timestamp now, std::size_t limit) const;
    [[nodiscard]] std::optional<base::Timestamp> next_due() const;

    // It is there for these changes, too: the first of each host.
    void carry(model::WakeId id, const std::map<std::string, std::uint64_t>& changes);
    // The first change of each host that the wakes of this agent are there for, but for one of them.
    [[nodiscard]] std::map<std::string, std::uint64_t> carried(const std::string& agent_id, model::WakeId except) const;

    // How deep in a chain the signals of one are.
    void set_depth(model::WakeId id, std::int64_t depth) { open_.at(id).depth = depth; }
    void deepen(model::WakeId id, std::int64_t depth) {
        std::optional<std::int64_t>& known = open_.at(id).depth;
        if (known) known = std::max(*known, depth);
    }

    // Who has claimed it, and speaks under that claim.
    void set_worker(model::WakeId id, const std::string& who) { open_.at(id).worker = who; }

    // What is left of every pause, window and lease stays what it is.
    void clock_was_set_back(base::Duration by);
    // The times in the store were corrected. After a step back the earlier time counts, of this memory and the store:
    // the store has limits only, and this memory may have been read before the correction. After a jump the store's
    // time counts.
    enum class Correction : std::uint8_t { set_back, jump };
    base::Result<void> match_store(Correction why, Unit& unit);

    void add_signal(model::WakeSignal signal) { signals_.push_back(std::move(signal)); }
    // The signals of this transaction that are not written yet.
    base::Result<void> write_signals(Unit& unit);
    base::Result<void> flush(Unit& unit);
    void committed();
    // Whether it has to be read anew.
    [[nodiscard]] bool dropped();

private:
    using ReadyKey = std::tuple<std::int64_t, base::Timestamp, model::WakeId>;  // priority (negative), due, id
    static ReadyKey ready_key(const model::Wake& wake) { return {-wake.priority, wake.due_at, wake.id}; }
    base::Result<void> write_carried(Unit& unit);
    void enter(Entry& entry);
    void leave(Entry& entry);

    std::unordered_map<model::WakeId, Entry> open_;
    std::map<std::string, std::set<model::WakeId>> by_agent_;
    std::map<std::string, model::WakeId> running_;
    std::unordered_map<model::RunId, model::WakeId> by_run_;
    std::set<std::pair<base::Timestamp, model::WakeId>> due_;
    std::array<std::set<ReadyKey>, 3> ready_;
    std::array<std::map<std::string, std::set<ReadyKey>>, 3> ready_of_user_;  // the same, by whose they are
    model::WakeId last_id_ = 0;
    std::map<model::WakeId, model::Wake> changed_;  // in this transaction, to be written
    std::vector<model::WakeSignal> signals_;        // likewise
    std::unordered_set<std::string> made_;          // run keys of those that were made in it
    std::set<model::WakeId> carrying_;              // likewise, those that carry more
    std::vector<model::WakeId> carried_;            // likewise, those that have ended and carry nothing any more
    bool is_changed_ = false;
};

}  // namespace belfry::engine
