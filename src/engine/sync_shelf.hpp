#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/sync_limits.hpp"
#include "engine/agent_book.hpp"
#include "engine/agent_log.hpp"
#include "engine/capability.hpp"
#include "engine/forgetting.hpp"
#include "engine/journal_book.hpp"
#include "engine/read_marks.hpp"
#include "engine/timers.hpp"
#include "engine/wakes.hpp"
#include "model/sync.hpp"

namespace belfry::engine {

// A record that devices have in common, by its name.
struct RecordName {
    std::string kind;
    std::string id;
    std::string user_id;
    std::optional<ports::LinkName> link = {};  // of a link: what it connects
};
// Its kind, and its name among what is known of records of that kind.
using RecordKey = std::pair<std::string, std::string>;
[[nodiscard]] RecordKey key_of(const RecordName& name);
// Of a record as it is told, and of one that was changed.
[[nodiscard]] RecordName name_of(const model::SyncRecord& record);
[[nodiscard]] RecordName name_of(const model::Change& change);

// What a message between devices may have where one batch is larger than a frame should be; a record may have more.
inline constexpr std::size_t frame_bytes_max = base::limits::sync_message_bytes_max / 2;
// What a record adds to a message, about.
[[nodiscard]] std::size_t bytes_told(const model::SyncRecord& record);

// All that devices have in common, wherever it is kept here: read as it is told, and put where it belongs. What is
// written elsewhere in this transaction has to be in the store before anything is read.
class SyncShelf {
public:
    struct Parts {
        ChangeLog& changes;
        AgentBook& agents;
        AgentLog& log;
        JournalBook& journal;
        Wakes& wakes;
        Timers& timers;
        Forgetting& forgetting;
        ReadMarks& marks;
        Ledger& ledger;
        std::map<model::AgentMessageKind, base::Duration> messages_kept;
    };
    explicit SyncShelf(Parts parts) : parts_(std::move(parts)) {}

    using Records = std::map<RecordKey, model::SyncRecord>;
    // Those of them that are here.
    base::Result<Records> load(std::span<const RecordName> names, Unit& unit);

    using Tokens = std::vector<model::ChangeToken>;
    // It is like this from now on, and that is no change of ours. What that touches.
    base::Result<Tokens> put(const model::SyncRecord& record, Unit& unit);
    // The same for what agents remember, in the order in which it was said; `before`: what is here of them.
    base::Result<void> put_messages(std::span<const model::SyncRecord> records, const Records& before, Unit& unit);
    // Returns the agents that lived here until records of this transaction told of their destruction.
    std::vector<DestroyedAgent> take_destroyed() { return std::exchange(destroyed_, {}); }
    // What a change of it touches that leaves it as it is here.
    base::Result<Tokens> touched(const model::SyncRecord& record, Unit& unit);

private:
    using Names = std::vector<const RecordName*>;
    base::Result<void> load_journal(const Names& names, Records& found, Unit& unit);
    base::Result<void> load_links(const Names& names, Records& found, Unit& unit);
    base::Result<void> load_agents(const Names& names, Records& found, Unit& unit);
    base::Result<void> load_messages(const Names& names, Records& found, Unit& unit);
    base::Result<void> load_rules(const Names& names, Records& found, Unit& unit);
    base::Result<void> load_timers(const Names& names, Records& found, Unit& unit);
    // Of those that are not found yet.
    static base::Result<void> load_plain(const Names& names, Records& found, Unit& unit);
    static base::Result<void> add_knowledge(Records& found, Unit& unit);

    base::Result<Tokens> put_journal(const model::SyncRecord& record, model::JournalKind kind, Unit& unit);
    base::Result<Tokens> put_link(const model::SyncRecord& record, Unit& unit);
    base::Result<Tokens> put_agent(const model::SyncRecord& record, Unit& unit);
    base::Result<Tokens> put_state(const model::SyncRecord& record, Unit& unit);
    base::Result<void> put_rule(const model::SyncRecord& record, Unit& unit);
    base::Result<void> put_timer(const model::SyncRecord& record, Unit& unit);
    static base::Result<void> put_plain(const model::SyncRecord& record, Unit& unit);
    // The agent, or what stands for it until it is told of.
    base::Result<model::AgentRecord> agent_of(const std::string& id, const std::string& user_id, Unit& unit);
    base::Result<model::AgentRecord*> place_agent(const std::string& id, const std::string& user_id, Unit& unit);

    base::Result<void> add(std::vector<model::AgentMessage>& added, Unit& unit);
    base::Result<void> drop_made(std::vector<model::AgentMessage>& added, Unit& unit);
    base::Result<void> forget_beside(const model::SyncRecord& record, Unit& unit);
    base::Result<void> forget(const std::vector<base::Uuid>& ids, Unit& unit);
    static base::Result<void> put_beside(const model::SyncRecord& record, Unit& unit);
    // Whether another one is here, or comes along, in whose place it would stand.
    base::Result<bool> is_hindered(const model::AgentMessage& message, const std::vector<model::AgentMessage>& added,
                                   Unit& unit);
    [[nodiscard]] bool is_too_old(const model::AgentMessage& message, Unit& unit) const;

    Parts parts_;
    std::vector<DestroyedAgent> destroyed_;
};

}  // namespace belfry::engine
