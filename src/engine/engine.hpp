#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <typeindex>
#include <unordered_map>
#include <vector>

#include "engine/access.hpp"
#include "engine/agent_book.hpp"
#include "engine/agent_import.hpp"
#include "engine/agent_messages.hpp"
#include "engine/agents.hpp"
#include "engine/capability.hpp"
#include "engine/change_log.hpp"
#include "engine/change_set_book.hpp"
#include "engine/change_sets.hpp"
#include "engine/changes.hpp"
#include "engine/client_messages.hpp"
#include "engine/clock_guard.hpp"
#include "engine/context_values.hpp"
#include "engine/delivery.hpp"
#include "engine/effects.hpp"
#include "engine/erasure.hpp"
#include "engine/folding.hpp"
#include "engine/forgetting.hpp"
#include "engine/hand_over.hpp"
#include "engine/house_tools.hpp"
#include "engine/idempotency.hpp"
#include "engine/intake.hpp"
#include "engine/interactions.hpp"
#include "engine/journal.hpp"
#include "engine/ledger.hpp"
#include "engine/notify.hpp"
#include "engine/outbox.hpp"
#include "engine/outside_calls.hpp"
#include "engine/peer_book.hpp"
#include "engine/read_marks.hpp"
#include "engine/reports.hpp"
#include "engine/retention.hpp"
#include "engine/room.hpp"
#include "engine/runs.hpp"
#include "engine/session_book.hpp"
#include "engine/sessions.hpp"
#include "engine/settings.hpp"
#include "engine/sync.hpp"
#include "engine/sync_erasure.hpp"
#include "engine/sync_shelf.hpp"
#include "engine/timers.hpp"
#include "engine/tool_bed.hpp"
#include "engine/tool_record.hpp"
#include "engine/tools.hpp"
#include "engine/user_messages.hpp"
#include "engine/wakes.hpp"
#include "engine/watchdog.hpp"
#include "ports/random.hpp"
#include "ports/store.hpp"
#include "ports/subscribers.hpp"
#include "rules/assemble_memory.hpp"
#include "rules/model_tokens.hpp"

namespace belfry::engine {

enum class State { closed, open, down };

struct EngineOptions {
    RetentionOptions retention;
    RunOptions runs;
    WakeOptions wakes;
    rules::MonitorOptions monitor;
    rules::CountTokens count_tokens = rules::estimate_model_tokens;    // of what agents are told
    std::string owner = "owner";                                       // the user to whom belongs what names no user
    const ports::Sinks* sinks = nullptr;                               // ways out for what goes to a person's inbox
    ports::Zones* zones = nullptr;                                     // of timers, for the engine's thread only
    std::size_t queue_rows_max = base::limits::waiting_per_scope_max;  // in the queue of an agent
    std::size_t waiting_bytes_max = base::limits::waiting_bytes_max;   // of events that are gathered
};

// Decide, record, act: the one owner of all change, as a passive object. It has no thread, no clock and no lock;
// whoever runs it calls `step` with a group of commands and carries out the effects. Groups are bounded by who makes
// them (limits::group_*); what the clock brings is done by `tend`, a slice a call.
class Engine {
public:
    Engine(ports::Store& store, ports::Random& random, const ports::Subscribers& subscribers, EngineOptions options);

    // Opens the store and builds the memory from it. Also after a failure: until it succeeds, `step` refuses everything
    // as `unavailable`.
    base::Result<Effects> open(base::Timestamp now);

    // Applies the commands in order, commits once, and answers each. Batches whose window has ended leave before them
    // in the same commit, a slice of them: alone they would cost a sync, and write again what the commands write. A
    // failure before the commit is rolled back and the commands are run again one by one without those, so that a bad
    // one hurts only itself. A commit that neither succeeded nor failed answers `outcome_unknown`, drops the memory and
    // closes the store.
    Effects step(base::Timestamp now, std::vector<ports::AnyCommand> commands);

    // The next slice of what is due; nothing due is nothing done.
    Effects tend(base::Timestamp now);
    [[nodiscard]] std::optional<base::Timestamp> next_due() const;

    // The clock was set back by so much. Pauses in memory do not become longer by that. Stored times that the step has
    // made too late are corrected by the next `tend` (ClockGuard).
    void clock_was_set_back(base::Duration by);
    void clock_jumped_ahead();
    // The clock jumped forward to `now`, by so much. Waits end by that, unless the clock was behind (ClockGuard).
    void clock_was_set_ahead(base::Timestamp now, base::Duration by);

    [[nodiscard]] State state() const { return state_; }
    // Whether the store is open but its disk is full: what still fits is recorded.
    [[nodiscard]] bool lacks_room() const { return room_.is_lacking(); }
    [[nodiscard]] const base::Error& last_error() const { return last_error_; }
    [[nodiscard]] std::vector<model::StreamInfo> streams() const { return streams_.all(); }

private:
    enum class GroupOutcome { done, failed, gone };
    enum class Along { nothing, batches };  // what leaves in the commit of a group

    template <class Work>
    GroupOutcome transact(base::Timestamp now, Effects& effects, Work&& work);
    GroupOutcome run_group(base::Timestamp now, std::span<ports::Command* const> commands, Along along,
                           Effects& effects);
    base::Result<void> decide(std::span<ports::Command* const> commands, Unit& unit);
    base::Result<void> record(Unit& unit, std::vector<model::SharedBlock>& blocks);
    Capability& capability_of(const ports::Command& command);
    void drop_pending();
    void failed(base::Timestamp now, base::Error why);
    void go_down(base::Timestamp now, base::Error why);
    // When its work is due; at once where it does not know of a correction of the clock.
    [[nodiscard]] std::optional<base::Timestamp> due_of(const Capability& capability) const;
    [[nodiscard]] std::optional<base::Timestamp> next_slice(const Capability& capability) const;
    // Runs a slice of the capability's work if it is due and the capability does not rest.
    void run_due(Capability& capability, base::Timestamp now, Effects& effects);
    void looked_at(const Capability& capability);
    void rest(const Capability& capability, base::Timestamp now, Effects& effects);

    ports::Store& store_;
    ports::Random& random_;
    StreamBook streams_;
    SessionBook book_;
    ChangeLog change_log_;
    PeerBook peer_book_;
    AgentBook agent_book_;
    AgentLog agent_log_;
    Access access_;
    Outbox outbox_;
    Settings settings_;
    Tools tools_;
    Ledger ledger_;
    ReadMarks read_marks_;
    Notify notify_;
    Intake intake_;
    Idempotency idempotency_;
    UserMessages user_messages_;
    ContextValues context_values_;
    HandOver hand_over_;
    Delivery delivery_;
    Watchdog watchdog_;
    Runs runs_;
    Wakes wakes_;
    Timers timers_;
    ClockGuard clock_guard_;
    Agents agents_;
    AgentImport agent_import_;
    Journal journal_;
    Changes changes_;
    AgentMessages agent_messages_;
    HouseTools house_tools_;
    ToolRecord tool_record_;
    OutsideCalls outside_calls_;
    ChangeSetBook change_set_book_;
    ToolBed tool_bed_;
    ChangeSets change_sets_;
    Folding folding_;
    Forgetting forgetting_;
    Interactions interactions_;
    Sessions sessions_;
    Reports reports_;
    ClientMessages client_messages_;
    SyncShelf sync_shelf_;
    SyncErasure sync_erasure_;
    Sync sync_;
    Erasure erasure_;
    Retention retention_;
    Room room_;
    std::vector<Capability*> capabilities_;
    std::unordered_map<std::type_index, Capability*> by_command_;
    std::unordered_map<Capability*, std::vector<ports::Command*>> shares_;  // scratch of `decide`

    // Whose last slice failed though the store is open.
    struct Rest {
        base::Timestamp until;
        base::Duration pause;
    };
    std::unordered_map<const Capability*, Rest> resting_;
    // Whose memory of the next due time is older than a correction of the clock.
    std::vector<const Capability*> unaware_;

    State state_ = State::closed;
    base::Error last_error_;
    base::Timestamp reopen_at_;
    base::Duration reopen_pause_ = base::limits::reopen_pause_min;
};

}  // namespace belfry::engine
