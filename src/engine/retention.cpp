#include "engine/retention.hpp"

#include <algorithm>
#include <limits>

#include "base/change_set_limits.hpp"
#include "engine/sink_calls.hpp"

namespace belfry::engine {

base::Result<void> Retention::rebuild(Unit& unit) {
    dropped();
    next_due_ = unit.now;
    return {};
}

base::Result<void> Retention::apply(ports::Command&, Unit&) {
    return {};
}
base::Result<void> Retention::drop_class(model::RetentionClass retention, base::Duration kept, std::int64_t bytes_kept,
                                         Unit& unit) {
    TRY_ASSIGN(const ports::LogTable::Dropped dropped,
               unit.store.log().drop(retention, unit.now - kept, bytes_kept, base::limits::sweep_slice_rows));
    more_ = more_ || dropped.more;
    blocks_ += dropped.blocks;
    floors_.insert(floors_.end(), dropped.floors.begin(), dropped.floors.end());
    return {};
}

// A block may go once every run that could have written into it has expired: all of them, or all that are younger than
// the oldest one that ever ran. An hour is kept in any case, for a question may be asked in one that has not begun. One
// that does not end is not to keep the others' for ever, nor more than there is room.
base::Result<void> Retention::drop_run_blocks(std::int64_t bytes_kept, Unit& unit) {
    TRY_ASSIGN(const auto first, unit.store.runs().first_created());
    base::Duration kept = first ? unit.now - *first + base::minutes(1) : base::Duration{};
    kept = std::clamp(kept, base::hours(1), base::limits::run_log_kept_max);
    return drop_class(model::RetentionClass::runs, kept, bytes_kept, unit);
}

// The summaries still tell of them.
base::Result<void> Retention::drop_messages(Unit& unit) {
    ports::MemoryTable& memory = unit.store.memory();
    for (const auto& [kind, kept] : options_.messages_kept) {
        TRY_ASSIGN(const std::vector<model::AgentMessage> old,
                   memory.folded_messages(kind, unit.now - kept, base::limits::sweep_slice_rows));
        if (!old.empty()) TRY(memory.remove_messages(old));
        more_ = more_ || old.size() >= base::limits::sweep_slice_rows;
    }
    return {};
}

base::Result<void> Retention::tend(Unit& unit) {
    constexpr std::size_t slice = base::limits::sweep_slice_rows;
    constexpr std::size_t change_sets_slice = slice / base::limits::change_items_max + 1;
    constexpr std::size_t answers_slice = base::limits::sweep_slice_answers;
    TRY(drop_class(model::RetentionClass::events, options_.events_kept, options_.events_bytes_kept, unit));
    constexpr std::int64_t any_bytes = std::numeric_limits<std::int64_t>::max();
    TRY(drop_class(model::RetentionClass::audit, options_.audit_kept, any_bytes, unit));
    TRY(drop_class(model::RetentionClass::delivery, options_.delivery_kept, any_bytes, unit));
    TRY(drop_run_blocks(options_.run_log_bytes_kept, unit));
    TRY_ASSIGN(const std::uint64_t answers,
               unit.store.idempotency().drop(unit.now - base::limits::idempotency_kept, answers_slice));
    TRY_ASSIGN(const std::uint64_t obligations,
               unit.store.outbox().drop_finished(unit.now - options_.audit_kept, slice));
    // Of a tool's call its own record tells.
    TRY_ASSIGN(const std::uint64_t tool_calls,
               unit.store.outbox().drop_done(tool_call_kind, unit.now - options_.sink_calls_kept, slice));
    // Of a call that was made its notification tells; one that was given up is a dead letter.
    TRY_ASSIGN(const std::uint64_t calls,
               unit.store.outbox().drop_done(sink_kind, unit.now - options_.sink_calls_kept, slice));
    TRY_ASSIGN(const std::uint64_t ended,
               unit.store.notifications().drop_ended(unit.now - options_.notifications_kept, slice));
    // Sets of what agents proposed are as old as the inbox in which they were told of.
    TRY_ASSIGN(const std::uint64_t decided,
               unit.store.change_sets().drop_decided(unit.now - options_.notifications_kept, change_sets_slice));
    TRY_ASSIGN(const std::uint64_t values, unit.store.context_values().drop_expired(unit.now, slice));
    more_ = more_ || values == slice || decided == change_sets_slice || answers == answers_slice ||
            obligations == slice || tool_calls == slice || calls == slice || ended == slice;
    TRY(drop_messages(unit));
    unit.streams.raise_floors(floors_);
    pending_due_ = more_ ? unit.now : unit.now + options_.pause;
    tended_ = true;
    return {};
}

void Retention::committed(Effects& effects) {
    if (!tended_) return;
    next_due_ = pending_due_;
    effects.figures.blocks_dropped += blocks_;
    effects.floors.insert(effects.floors.end(), floors_.begin(), floors_.end());
    dropped();
}

void Retention::dropped() {
    tended_ = false;
    more_ = false;
    blocks_ = 0;
    floors_.clear();
}

}  // namespace belfry::engine
