#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "base/uuid.hpp"
#include "model/change_log.hpp"
#include "model/sync.hpp"
#include "ports/store_journal.hpp"

namespace belfry::ports {

// What is known of a record beside its content, under its kind and id.
struct KnownRecord {
    std::string kind;
    std::string id;
    std::string user_id;
    model::RecordKnowledge knowledge;

    bool operator==(const KnownRecord&) const = default;
};

// How far the changes of a host are here.
struct HostPlace {
    std::string host;
    std::uint64_t settled = 0;  // all up to this are here, each in its batch
    std::uint64_t floor = 0;    // the log has all that are settled above this, and not all up to it
    std::optional<model::HostSeal> seal;

    bool operator==(const HostPlace&) const = default;
};

// A change that its host, or somebody in between, said it could not give.
struct MissingChange {
    std::string host;
    std::uint64_t counter = 0;
    std::string peer_id;  // who said so first
    base::Timestamp since;

    bool operator==(const MissingChange&) const = default;
};

// Which message it is, without what it says.
struct MessagePlace {
    std::int64_t position = 0;
    base::Uuid id;
    std::string agent_id;
    std::string user_id;

    bool operator==(const MessagePlace&) const = default;
};

// What devices know of each other, and what merging needs. As the engine's thread sees it.
class SyncTable {
public:
    virtual ~SyncTable() = default;

    // Of those of these records (kind and id) that have any, in any order.
    virtual base::Result<std::vector<KnownRecord>> knowledge(
        std::span<const std::pair<std::string, std::string>> records) = 0;
    virtual base::Result<void> put_knowledge(std::span<const KnownRecord> records) = 0;
    // A walk over all that have any, of one kind, by id.
    virtual base::Result<std::vector<KnownRecord>> knowledge_after(std::string_view kind, std::string_view id,
                                                                   std::size_t limit) = 0;

    // Walks over what its clock does not name: all messages by position, and all links, tombstones too, by user, from,
    // relation, to. Links of agents' relations are left out.
    virtual base::Result<std::vector<MessagePlace>> messages_after(std::int64_t position, std::size_t limit) = 0;
    virtual base::Result<std::vector<LinkName>> links_after(const LinkName& last, std::size_t limit) = 0;

    virtual base::Result<std::vector<HostPlace>> hosts() = 0;
    virtual base::Result<void> put_seal(const model::HostSeal& seal) = 0;
    // It becomes at least this.
    virtual base::Result<void> put_floor(std::string_view host, std::uint64_t floor) = 0;

    // Changes of a host after a counter, rising; only those that are in a batch, or of which only the place is left: of
    // kind `gone`, or without a kind where their person was erased. Those have no batch.
    virtual base::Result<std::vector<model::Change>> changes_after(std::string_view host, std::uint64_t counter,
                                                                   std::size_t limit) = 0;
    // Which of these counters of a host are here, rising.
    virtual base::Result<std::vector<std::uint64_t>> here(std::string_view host, std::uint64_t from,
                                                          std::uint64_t through) = 0;

    virtual base::Result<std::vector<MissingChange>> missing(std::size_t limit) = 0;
    virtual base::Result<void> put_missing(std::span<const MissingChange> missing) = 0;
    virtual base::Result<void> remove_missing(std::string_view host, std::uint64_t from, std::uint64_t through) = 0;

    // Messages that were forgotten: their ids are all that is left of them.
    struct Forgotten {
        base::Uuid message_id;
        std::string agent_id;
        std::string user_id;
    };
    virtual base::Result<void> add_forgotten(std::span<const Forgotten> messages) = 0;
    virtual base::Result<std::vector<Forgotten>> forgotten(std::span<const base::Uuid> ids) = 0;
    virtual base::Result<std::vector<Forgotten>> forgotten_after(const base::Uuid& id, std::size_t limit) = 0;

    // Records of kinds that have no table of their own (read marks, claims of runs, erasures, tombstones of timers and
    // subscriptions): the body as it goes from device to device.
    struct Plain {
        std::string kind;
        std::string id;
        std::string user_id;
        model::RawJson body;
        base::Timestamp updated_at;
    };
    virtual base::Result<std::vector<Plain>> plain(std::span<const std::pair<std::string, std::string>> records) = 0;
    virtual base::Result<void> put_plain(std::span<const Plain> records) = 0;
    // Returns those of a kind whose ids are greater, by id.
    virtual base::Result<std::vector<Plain>> plain_after(std::string_view kind, std::string_view id,
                                                         std::size_t limit) = 0;
    // Removes these records (kind and id), and what is known of them.
    virtual base::Result<void> remove_plain(std::span<const std::pair<std::string, std::string>> records) = 0;
    // Of a kind, those that were put longer ago, with what is known of them.
    virtual base::Result<std::uint64_t> drop_plain(std::string_view kind, base::Timestamp older_than,
                                                   std::size_t limit) = 0;

    virtual base::Result<void> add_notes(std::span<const model::MergeNote> notes) = 0;
    // The largest number that there ever was; 0: there was none.
    virtual base::Result<std::int64_t> last_note() = 0;
    virtual base::Result<void> drop_notes(std::int64_t through) = 0;

    virtual base::Result<std::vector<model::Peer>> peers() = 0;
    virtual base::Result<void> put_peer(const model::Peer& peer) = 0;

    // A slice of what a user has here, but for his erasure; how many rows, 0 when there are none left.
    virtual base::Result<std::uint64_t> erase_user(std::string_view user_id, std::size_t limit) = 0;

    // The notes of these records (kind and id), whichever user's they are; those of one record by their numbers.
    virtual base::Result<std::vector<model::MergeNote>> notes_of(
        std::span<const std::pair<std::string, std::string>> records) = 0;
    // Returns the notes of all records of a kind, by their numbers.
    virtual base::Result<std::vector<model::MergeNote>> notes_of_kind(std::string_view kind) = 0;
    // Removes the notes of these records (kind and id).
    virtual base::Result<void> remove_notes(std::span<const std::pair<std::string, std::string>> records) = 0;
};

// How the devices stand, as it is shown.
struct SyncStatus {
    std::string host;  // this device; empty: it has no name yet
    std::vector<model::Peer> peers;
    std::vector<HostPlace> hosts;
    std::vector<MissingChange> missing;  // the first of them
    std::int64_t merges = 0;             // ever

    bool operator==(const SyncStatus&) const = default;
};

// Reading beside the engine.
class SyncReading {
public:
    virtual ~SyncReading() = default;
    virtual base::Result<SyncStatus> status() = 0;
    // The newest first, below this number; 0: from the newest on.
    virtual base::Result<std::vector<model::MergeNote>> notes(std::int64_t below, std::size_t limit) = 0;
};

}  // namespace belfry::ports
