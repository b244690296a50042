#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"
#include "base/uuid.hpp"
#include "model/log.hpp"
#include "model/principal.hpp"
#include "model/raw_json.hpp"
#include "ports/store_agent_messages.hpp"
#include "ports/store_agents.hpp"
#include "ports/store_change_sets.hpp"
#include "ports/store_changes.hpp"
#include "ports/store_context.hpp"
#include "ports/store_interactions.hpp"
#include "ports/store_journal.hpp"
#include "ports/store_memory.hpp"
#include "ports/store_notifications.hpp"
#include "ports/store_outside_calls.hpp"
#include "ports/store_runs.hpp"
#include "ports/store_sessions.hpp"
#include "ports/store_sync.hpp"
#include "ports/store_timers.hpp"

// The store as the engine's thread sees it. The store itself only begins, commits and rolls back; what can be read and
// written inside a transaction belongs to small interfaces, one a capability, reached from it.
namespace belfry::ports {

// The reason of an error that comes from a full disk.
inline constexpr const char* no_room = "no_room";

// The log's writing side.
class LogTable {
public:
    virtual ~LogTable() = default;

    // Rebuilds nothing by itself: what the engine needs to know after opening. Streams with their true heads (the
    // lazily written index is caught up from its watermark), and the position after the last.
    virtual base::Result<std::vector<model::StreamInfo>> load_streams() = 0;
    virtual base::Result<model::Position> next_position() = 0;
    // The largest id that a stream ever had, whether it is still there or not: none is given twice.
    virtual base::Result<model::StreamId> last_stream() = 0;

    // Writes a new stream, or its changed floor, owner, name.
    virtual base::Result<void> put_stream(const model::StreamInfo& stream) = 0;

    // Takes streams away for good. Their entries go with the blocks that hold them.
    virtual base::Result<void> remove_streams(std::span<const model::StreamId> streams) = 0;

    // Adds an entry to this transaction's block of `retention`. Nothing is written before `seal`.
    virtual void append(model::RetentionClass retention, model::StreamId stream, model::Sequence sequence,
                        const model::Facets& facets, std::string_view body) = 0;
    // Writes the blocks of this transaction from `first` on and gives them back, in position order, to be published
    // after the commit.
    virtual base::Result<std::vector<model::SharedBlock>> seal(model::Position first, base::Timestamp now) = 0;

    // The oldest block of a class that may go: committed before `older_than`, or while the class holds more than
    // `bytes_kept`. Drops at most `limit` blocks and tells the new floors. Never drops the newest block of a class.
    struct Dropped {
        std::uint64_t blocks = 0;
        std::uint64_t bytes = 0;
        std::vector<model::StreamInfo> floors;  // id and floor only
        bool more = false;                      // to drop, or to give back to the file system: call again
    };
    virtual base::Result<Dropped> drop(model::RetentionClass retention, base::Timestamp older_than,
                                       std::int64_t bytes_kept, std::size_t limit) = 0;

    // Rewrites blocks from `from` on so that entries of this user have no body and no facets; looks at no more than
    // `limit` blocks, and at fewer where they are large (limits::erase_slice_bytes). `next` is where to go on; equal to
    // the log's end when done.
    struct Erased {
        model::Position next = 0;
        std::uint64_t entries = 0;
        bool finished = false;
    };
    virtual base::Result<Erased> erase_user(std::string_view user_id, model::Position from, std::size_t limit) = 0;
};

// Keys of requests begin with this; keys of single events and messages do not.
inline constexpr std::string_view request_key_prefix = "r";
// The first byte of a stored answer that may repeat what users wrote. The answer is removed by an erasure.
inline constexpr char personal_answer = 'P';
inline constexpr char plain_answer = 'N';

// What was answered before, by key.
struct RememberedAnswer {
    std::string key;          // who, and his key; codec of the engine, opaque here
    std::string fingerprint;  // of the body that it was asked with
    std::string answer;       // opaque here
};

class IdempotencyTable {
public:
    virtual ~IdempotencyTable() = default;
    // The answers under these keys, in any order; keys without one are absent. Older than `not_before` do not count.
    virtual base::Result<std::vector<RememberedAnswer>> find(const std::vector<std::string>& keys,
                                                             base::Timestamp not_before) = 0;
    // Inserts, or replaces one that has expired.
    virtual base::Result<void> put(const std::vector<RememberedAnswer>& answers, base::Timestamp now) = 0;
    virtual base::Result<std::uint64_t> drop(base::Timestamp older_than, std::size_t limit) = 0;
    // Empties all answers to requests that begin with `personal_answer`. Their keys stay, so that no repeat acts again.
    virtual base::Result<void> erase_personal() = 0;
};

class TokenTable {
public:
    virtual ~TokenTable() = default;
    virtual base::Result<std::vector<model::AccessToken>> load() = 0;
    virtual base::Result<void> put(const model::AccessToken& token) = 0;
    virtual base::Result<void> remove(std::string_view id) = 0;
};

// An effect that must happen: recorded with the decision, claimed by a performer, fenced, retried, recovered at start.
struct Obligation {
    base::Uuid id;
    std::string kind;  // `erase_user`
    model::RawJson detail;
    base::Timestamp created_at;
    base::Timestamp due_at;  // not before
    std::int64_t attempts = 0;
    std::int64_t fence = 0;  // +1 at each claim; a performer's later writes carry it
    std::optional<base::Timestamp> claimed_until;
    std::optional<base::Timestamp> finished_at;
    model::RawJson progress;
    std::string last_error;
};

class OutboxTable {
public:
    virtual ~OutboxTable() = default;
    virtual base::Result<void> put(const Obligation& obligation) = 0;
    // What is neither finished nor claimed beyond `now`, and due: claimed until `claim_until`, fence and attempts + 1.
    virtual base::Result<std::vector<Obligation>> claim(base::Timestamp now, base::Timestamp claim_until,
                                                        std::size_t limit) = 0;
    // Ends every claim, at the start of the only process that performs.
    virtual base::Result<void> release_all() = 0;
    // Writes progress, error, due time or the end of one that is held under `fence`; false where it is not.
    virtual base::Result<bool> update(const Obligation& obligation, std::int64_t fence) = 0;
    virtual base::Result<std::optional<Obligation>> find(const base::Uuid& id) = 0;
    // One that has ended is owed again from `now` on, as if it had never been tried; false where none has.
    virtual base::Result<bool> reopen(const base::Uuid& id, base::Timestamp now) = 0;
    // When the next one becomes due, whether claimed or not; nothing where none is open.
    virtual base::Result<std::optional<base::Timestamp>> next_due() = 0;
    virtual base::Result<std::uint64_t> drop_finished(base::Timestamp older_than, std::size_t limit) = 0;
    // Only those of a kind that were not given up.
    virtual base::Result<std::uint64_t> drop_done(std::string_view kind, base::Timestamp older_than,
                                                  std::size_t limit) = 0;
};

enum class CommitOutcome : std::uint8_t {
    committed,
    rolled_back,  // certainly not there
    unknown,      // neither: the store has closed itself; memory must be dropped and the store reopened
};

struct CommitResult {
    CommitOutcome outcome = CommitOutcome::rolled_back;
    base::Error error;  // unless committed
};

class Store {
public:
    virtual ~Store() = default;

    // Opens, or opens again after an unknown outcome; migrates; takes the ledger under the next epoch.
    virtual base::Result<void> open() = 0;
    virtual void close() = 0;
    [[nodiscard]] virtual bool is_open() const = 0;

    // Begins by raising the commit number under our epoch. An error means that nothing was begun; where another node
    // has taken the ledger, or the connection is lost, the store has closed itself too.
    virtual base::Result<void> begin() = 0;
    virtual CommitResult commit() = 0;
    virtual void rollback() = 0;

    // Inside a transaction: what is written from here on is a trial, until it is kept or undone. One at a time, and of
    // tables that remember nothing themselves; what the tables of the log are given is not undone.
    virtual base::Result<void> begin_trial() = 0;
    virtual base::Result<void> keep_trial() = 0;
    virtual base::Result<void> undo_trial() = 0;

    // The number that `begin` gave to this transaction, or the last one.
    [[nodiscard]] virtual std::uint64_t commit_number() const = 0;

    virtual LogTable& log() = 0;
    virtual IdempotencyTable& idempotency() = 0;
    virtual TokenTable& tokens() = 0;
    virtual OutboxTable& outbox() = 0;
    virtual WaitingTable& waiting() = 0;
    virtual NotificationTable& notifications() = 0;
    virtual SessionTable& sessions() = 0;
    virtual SettingsTable& settings() = 0;
    virtual ToolTable& tools() = 0;
    virtual UserMessageTable& user_messages() = 0;
    virtual InteractionTable& interactions() = 0;
    virtual RunTable& runs() = 0;
    virtual AgentTable& agents() = 0;
    virtual WakeTable& wakes() = 0;
    virtual TimerTable& timers() = 0;
    virtual ChangeTable& changes() = 0;
    virtual AgentMessageTable& agent_messages() = 0;
    virtual MemoryTable& memory() = 0;
    virtual JournalTable& journal() = 0;
    virtual ChangeSetTable& change_sets() = 0;
    virtual OutsideCallTable& outside_calls() = 0;
    virtual SyncTable& sync() = 0;
    virtual ContextTable& context_values() = 0;
};

}  // namespace belfry::ports
