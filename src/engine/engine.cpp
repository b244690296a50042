#include "engine/engine.hpp"

#include <algorithm>

#include "base/assert.hpp"

namespace belfry::engine {
namespace {

using base::Code;

base::Error unavailable(const base::Error& why) {
    return base::error(Code::unavailable, "the store cannot record anything now: " + why.message);
}

// Somebody else was faster at a row: that is the answer of the command, not a failure of the store.
bool is_lost_race(const base::Error& why) {
    return why.code == Code::conflict && !why.reason.empty();
}

// Another node has the ledger.
bool is_held_elsewhere(const base::Error& why) {
    return why.code == Code::conflict && !is_lost_race(why);
}

base::Error not_recorded(const base::Error& why) {
    return is_lost_race(why) ? why : unavailable(why);
}

}  // namespace

// The order is that in which they write: what one of them brings forth while it does, a later one writes.
Engine::Engine(ports::Store& store, ports::Random& random, const ports::Subscribers& subscribers, EngineOptions options)
    : store_(store),
      random_(random),
      agent_book_(change_log_),
      agent_log_(agent_book_, change_log_, options.count_tokens),
      settings_(subscribers, options.owner),
      ledger_(book_, outbox_, options.sinks, options.owner, options.queue_rows_max),
      read_marks_(change_log_, peer_book_, ledger_),
      notify_(subscribers, settings_, book_, ledger_, options.waiting_bytes_max),
      intake_(book_, notify_, wakes_, options.owner),
      user_messages_(book_),
      context_values_(book_, options.owner),
      hand_over_(book_, notify_, ledger_, user_messages_, context_values_),
      delivery_(book_, ledger_, wakes_, read_marks_, subscribers),
      watchdog_(ledger_),
      runs_(book_, options.runs, options.owner),
      wakes_(agent_book_, agent_log_, change_log_, book_, user_messages_, runs_, ledger_, tools_, options.wakes),
      timers_(agent_book_, wakes_, change_log_, peer_book_, options.zones),
      clock_guard_(timers_, wakes_, context_values_),
      agents_(agent_book_, wakes_, timers_, change_log_, options.owner),
      agent_import_(agent_book_, agent_log_, agents_),
      journal_(agent_book_, wakes_, change_log_, options.owner),
      changes_(change_log_, wakes_),
      agent_messages_(agent_book_, agent_log_, wakes_),
      house_tools_(agent_book_, wakes_, book_, ledger_, intake_, runs_),
      tool_record_(agent_log_, wakes_, runs_),
      outside_calls_(agent_book_, wakes_, tools_, hand_over_, outbox_, tool_record_),
      change_set_book_(agent_log_, ledger_),
      tool_bed_(agent_book_, wakes_, journal_, house_tools_, tools_, outside_calls_, tool_record_, interactions_,
                change_set_book_),
      change_sets_(agent_book_, change_set_book_, tool_bed_),
      folding_(agent_book_, agent_log_, wakes_),
      forgetting_(agent_book_, agent_log_, change_log_, folding_, idempotency_),
      interactions_(book_, ledger_, runs_),
      sessions_(book_, ledger_, user_messages_, interactions_, options.owner),
      reports_(book_, sessions_, intake_, hand_over_, tools_, wakes_, options.monitor),
      client_messages_(book_, user_messages_, intake_, interactions_, runs_),
      sync_shelf_({change_log_, agent_book_, agent_log_, journal_.book(), wakes_, timers_, forgetting_, read_marks_,
                   ledger_, options.retention.messages_kept}),
      sync_erasure_(change_log_, peer_book_, sync_shelf_, timers_, wakes_, journal_, changes_, outbox_, access_),
      sync_(change_log_, peer_book_, changes_, agent_book_, journal_, sync_shelf_, sync_erasure_),
      erasure_(outbox_, access_, settings_, notify_, ledger_, book_, runs_, wakes_, timers_, journal_, changes_,
               sync_erasure_, idempotency_),
      retention_(options.retention),
      capabilities_{&clock_guard_,     &sync_,          &access_,       &settings_,    &tools_,          &intake_,
                    &client_messages_, &user_messages_, &interactions_, &notify_,      &delivery_,       &hand_over_,
                    &watchdog_,        &reports_,       &ledger_,       &wakes_,       &agent_messages_, &tool_bed_,
                    &outside_calls_,   &change_sets_,   &folding_,      &forgetting_,  &agent_import_,   &agents_,
                    &timers_,          &journal_,       &changes_,      &runs_,        &sessions_,       &erasure_,
                    &outbox_,          &retention_,     &room_,         &idempotency_, &context_values_} {
    for (Capability* capability : capabilities_) {
        for (const std::type_index type : capability->handles()) by_command_.emplace(type, capability);
    }
}

base::Result<Effects> Engine::open(base::Timestamp now) {
    Effects effects;
    auto opened = store_.open();
    if (opened.ok()) {
        const GroupOutcome outcome = transact(now, effects, [&](Unit& unit) -> base::Result<void> {
            TRY(streams_.rebuild(store_));
            for (Capability* capability : capabilities_) TRY(capability->rebuild(unit));
            // In the same transaction: a start that is cut short must not correct the same step twice.
            return clock_guard_.has_step() ? clock_guard_.tend(unit) : base::Result<void>{};
        });
        if (outcome == GroupOutcome::done) looked_at(clock_guard_);
        else opened = last_error_;
    }
    if (!opened.ok()) {
        go_down(now, opened.error());
        return std::move(opened).error();
    }
    if (state_ == State::down) ++effects.figures.reopened;
    state_ = State::open;
    effects.streams = streams_.all();
    reopen_pause_ = base::limits::reopen_pause_min;
    return effects;
}

Effects Engine::step(base::Timestamp now, std::vector<ports::AnyCommand> commands) {
    Effects effects;
    // Commands are not decided by times of a clock that was set since. What they would write, the correction would take
    // for a wait that began before the step.
    if (state_ == State::open && clock_guard_.has_step()) run_due(clock_guard_, now, effects);
    if (state_ == State::open && !clock_guard_.has_step()) {
        std::vector<ports::Command*> group;
        group.reserve(commands.size());
        for (const ports::AnyCommand& command : commands) group.push_back(command.get());
        const auto batches_due = next_slice(notify_);
        const Along along = batches_due && *batches_due <= now ? Along::batches : Along::nothing;
        GroupOutcome outcome = run_group(now, group, along, effects);
        if (outcome == GroupOutcome::done && along == Along::batches) resting_.erase(&notify_);
        if (outcome == GroupOutcome::failed && (group.size() > 1 || along == Along::batches)) {
            for (ports::Command* command : group) {
                if (outcome == GroupOutcome::gone) break;
                outcome = run_group(now, std::span(&command, 1), Along::nothing, effects);
            }
        }
    }
    // What could not be tried any more, because the store went away.
    for (const ports::AnyCommand& command : commands) {
        if (!command->is_settled()) command->refuse(unavailable(last_error_));
    }
    effects.answered = std::move(commands);
    return effects;
}

Effects Engine::tend(base::Timestamp now) {
    Effects effects;
    if (state_ == State::down) {
        if (now < reopen_at_) return effects;
        auto reopened = open(now);
        return reopened.ok() ? std::move(*reopened) : std::move(effects);
    }
    for (Capability* capability : capabilities_) {
        if (state_ != State::open) break;
        // The guard of the clock comes first. Others would end waits that go on.
        if (capability != &clock_guard_ && clock_guard_.has_step()) break;
        run_due(*capability, now, effects);
    }
    return effects;
}

void Engine::run_due(Capability& capability, base::Timestamp now, Effects& effects) {
    const auto due = due_of(capability);
    if (!due || *due > now) return;
    if (*next_slice(capability) > now) {
        effects.is_behind = true;
        return;
    }
    const GroupOutcome outcome = transact(now, effects, [&](Unit& unit) { return capability.tend(unit); });
    if (outcome == GroupOutcome::done) looked_at(capability);
    else if (outcome == GroupOutcome::failed) rest(capability, now, effects);
}

// A slice that fails again and again must not keep the engine busy, nor everybody else waiting.
void Engine::rest(const Capability& capability, base::Timestamp now, Effects& effects) {
    if (!store_.is_open() || is_held_elsewhere(last_error_)) return go_down(now, last_error_);
    const auto [at, is_first] = resting_.try_emplace(&capability, Rest{{}, base::limits::reopen_pause_min});
    Rest& one = at->second;
    effects.is_behind = true;
    if (is_first && !is_lost_race(last_error_)) effects.setbacks.push_back(last_error_.message);
    one.until = now + one.pause;
    one.pause = std::min(one.pause * 2, base::limits::reopen_pause_max);
}

void Engine::looked_at(const Capability& capability) {
    resting_.erase(&capability);
    std::erase(unaware_, &capability);
    if (&capability != &clock_guard_ || !clock_guard_.take_corrected()) return;
    unaware_ = {&outbox_, &watchdog_, &outside_calls_, &folding_, &interactions_};
}

std::optional<base::Timestamp> Engine::due_of(const Capability& capability) const {
    const bool is_unaware = std::ranges::find(unaware_, &capability) != unaware_.end();
    return is_unaware ? std::optional(base::Timestamp{}) : capability.next_due();
}

std::optional<base::Timestamp> Engine::next_slice(const Capability& capability) const {
    const auto due = due_of(capability);
    const auto resting = resting_.find(&capability);
    if (!due || resting == resting_.end()) return due;
    return std::max(*due, resting->second.until);
}

std::optional<base::Timestamp> Engine::next_due() const {
    if (state_ == State::closed) return std::nullopt;
    if (state_ == State::down) return reopen_at_;
    if (clock_guard_.has_step()) return next_slice(clock_guard_);
    std::optional<base::Timestamp> next;
    for (const Capability* capability : capabilities_) {
        const auto due = next_slice(*capability);
        if (due && (!next || *due < *next)) next = due;
    }
    return next;
}

void Engine::clock_was_set_back(base::Duration by) {
    reopen_at_ = reopen_at_ - by;
    for (auto& [capability, rest] : resting_) rest.until = rest.until - by;
    for (Capability* capability : capabilities_) capability->clock_was_set_back(by);
}

void Engine::clock_jumped_ahead() {
    for (Capability* capability : capabilities_) capability->clock_jumped_ahead();
}

void Engine::clock_was_set_ahead(base::Timestamp now, base::Duration by) {
    const base::Duration later = clock_guard_.clock_was_set_ahead(now, by);
    if (later > base::Duration{}) wakes_.clock_was_set_back(base::Duration{} - later);
}

template <class Work>
Engine::GroupOutcome Engine::transact(base::Timestamp now, Effects& effects, Work&& work) {
    if (auto begun = store_.begin(); !begun.ok()) {
        failed(now, begun.error());
        if (!store_.is_open()) go_down(now, begun.error());
        return store_.is_open() ? GroupOutcome::failed : GroupOutcome::gone;
    }
    Unit unit{now, store_, streams_, random_, effects};
    std::vector<model::SharedBlock> blocks;
    base::Result<void> recorded = work(unit);
    if (recorded.ok()) recorded = record(unit, blocks);
    if (!recorded.ok()) {
        store_.rollback();
        drop_pending();
        failed(now, recorded.error());
        ++effects.figures.commits_failed;
        return GroupOutcome::failed;
    }
    const ports::CommitResult result = store_.commit();
    if (result.outcome == ports::CommitOutcome::committed) {
        streams_.committed(effects.opened, effects.removed);
        for (Capability* capability : capabilities_) capability->committed(effects);
        for (model::SharedBlock& block : blocks) effects.published.push_back(std::move(block));
        ++effects.figures.commits;
        return GroupOutcome::done;
    }
    drop_pending();
    failed(now, result.error);
    if (result.outcome == ports::CommitOutcome::rolled_back) {
        ++effects.figures.commits_failed;
        return GroupOutcome::failed;
    }
    ++effects.figures.commits_unknown;
    go_down(now, result.error);
    return GroupOutcome::gone;
}

Engine::GroupOutcome Engine::run_group(base::Timestamp now, std::span<ports::Command* const> commands, Along along,
                                       Effects& effects) {
    for (ports::Command* command : commands) command->unsettle();
    const std::uint64_t unknown_before = effects.figures.commits_unknown;
    const GroupOutcome outcome = transact(now, effects, [&](Unit& unit) -> base::Result<void> {
        if (along == Along::batches) TRY(notify_.tend(unit));
        return decide(commands, unit);
    });
    if (outcome == GroupOutcome::done) return outcome;
    const bool is_unknown = effects.figures.commits_unknown > unknown_before;
    for (ports::Command* command : commands) {
        command->refuse(is_unknown
                            ? base::error(Code::outcome_unknown,
                                          "the commit neither succeeded nor failed; ask again with the same key: " +
                                              last_error_.message)
                            : not_recorded(last_error_));
    }
    return outcome;
}

base::Result<void> Engine::decide(std::span<ports::Command* const> commands, Unit& unit) {
    for (auto& [capability, share] : shares_) share.clear();
    TRY(idempotency_.load_keys(commands, unit));
    for (ports::Command* command : commands) shares_[&capability_of(*command)].push_back(command);
    for (Capability* capability : capabilities_) {
        const auto share = shares_.find(capability);
        if (share != shares_.end() && !share->second.empty()) TRY(capability->load(share->second, unit));
    }
    for (ports::Command* command : commands) {
        Capability& capability = capability_of(*command);
        TRY_ASSIGN(const bool is_answered, idempotency_.answer_repeat(*command, capability));
        if (is_answered) continue;
        TRY(capability.apply(*command, unit));
        idempotency_.remember(*command, capability);
    }
    return {};
}

base::Result<void> Engine::record(Unit& unit, std::vector<model::SharedBlock>& blocks) {
    for (Capability* capability : capabilities_) TRY(capability->flush(unit));
    TRY_ASSIGN(blocks, streams_.seal(store_, unit.now));
    return {};
}

Capability& Engine::capability_of(const ports::Command& command) {
    const auto at = by_command_.find(typeid(command));
    ASSERT(at != by_command_.end());
    return *at->second;
}

void Engine::drop_pending() {
    streams_.dropped();
    for (Capability* capability : capabilities_) capability->dropped();
}

void Engine::failed(base::Timestamp now, base::Error why) {
    if (why.reason == ports::no_room) room_.lacked(now);
    last_error_ = std::move(why);
}

void Engine::go_down(base::Timestamp now, base::Error why) {
    last_error_ = std::move(why);
    state_ = State::down;
    store_.close();
    resting_.clear();
    unaware_.clear();
    if (is_held_elsewhere(last_error_)) {
        reopen_at_ = now + base::limits::standby_pause;
        return;
    }
    reopen_at_ = now + reopen_pause_;
    // A server that could not be reached is tried as often as one whose ledger another node has: after a cut of the
    // network nobody may be writing.
    const bool is_away = last_error_.code == Code::unavailable;
    const base::Duration longest = is_away ? base::limits::standby_pause : base::limits::reopen_pause_max;
    reopen_pause_ = std::min(reopen_pause_ * 2, longest);
}

}  // namespace belfry::engine
