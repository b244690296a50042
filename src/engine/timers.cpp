#include "engine/timers.hpp"

#include <algorithm>

#include "base/limits.hpp"
#include "base/timer_limits.hpp"
#include "rules/agent.hpp"
#include "rules/may.hpp"
#include "rules/merge_record.hpp"
#include "rules/sync_bodies.hpp"
#include "rules/timer.hpp"
#include "rules/wake_key.hpp"

namespace belfry::engine {
namespace {

namespace limits = base::limits;
using base::Code;
using model::WakeReason;
constexpr std::string_view wish_id = "next_wake";  // what an agent's own wish is called where a timer has its id

base::Error no_such_timer() {
    return base::error(Code::not_found, "this agent has no such timer", "id");
}

base::Error taken() {
    return base::error(Code::conflict, "this agent has another timer of this name", "name", "taken");
}

bool is_same_wish(const model::AgentTimer& there, const model::AgentTimer& wanted, bool anchor_was_said) {
    return rules::is_same_intent(there.schedule, wanted.schedule, anchor_was_said) && there.input == wanted.input &&
           there.priority == wanted.priority && there.active == wanted.active;
}

std::string body_of(const model::AgentTimer& timer, const rules::Firing& firing) {
    std::string body;
    model::JsonWriter(body)
        .begin_object()
        .field("timer_id", base::format_uuid(timer.id.uuid))
        .field("name", timer.name)
        .field("scheduled_at", base::format_timestamp(firing.scheduled_at))
        .name("timer_catchup")
        .boolean(firing.catch_up)
        .name("input")
        .raw(timer.input.bytes())
        .end_object();
    return body;
}

}  // namespace

std::vector<std::type_index> Timers::handles() const {
    return {typeid(ports::AddTimer), typeid(ports::ChangeTimer), typeid(ports::DeleteTimer)};
}

base::Result<void> Timers::rebuild(Unit& unit) {
    dropped();
    TRY_ASSIGN(next_due_, unit.store.timers().next_due());
    return {};
}

base::Result<void> Timers::apply(ports::Command& command, Unit& unit) {
    if (auto* wish = dynamic_cast<ports::AddTimer*>(&command)) return add(*wish, unit);
    if (auto* wish = dynamic_cast<ports::ChangeTimer*>(&command)) return change(*wish, unit);
    return remove(static_cast<ports::DeleteTimer&>(command), unit);
}

Timers::Zone Timers::zone_of(const model::Schedule& schedule) {
    static const auto utc = std::make_shared<const model::Zone>(model::Zone{"UTC", 0, {}, {}});
    if (!rules::has_wall_times(schedule)) return utc;
    if (zones_ != nullptr) return zones_->find(schedule.zone);
    if (schedule.zone == utc->name) return utc;
    return base::error(Code::not_found, "there is no zone \"" + schedule.zone + "\": there is only UTC here");
}

model::ShownTimer Timers::shown(model::AgentTimer timer) {
    model::ShownTimer made;
    if (const Zone zone = zone_of(timer.schedule); zone.ok()) {
        made.next = rules::next_firings(timer, **zone, limits::timer_firings_shown);
    }
    made.timer = std::move(timer);
    return made;
}

base::Result<Timers::FoundAgent> Timers::find_agent(const model::Principal& who, const std::string& id, Unit& unit) {
    TRY_ASSIGN(const model::AgentRecord* const record, agents_.find(id, unit));
    if (record == nullptr || !rules::may_set_for(who, record->agent.user_id).ok()) {
        return FoundAgent(base::error(Code::not_found, "there is no such agent", "agent_id"));
    }
    if (record->agent.lifecycle == model::AgentLifecycle::destroyed) {
        return FoundAgent(base::error(Code::gone, "this agent was destroyed", "agent_id"));
    }
    if (!rules::takes(record->agent.mode, WakeReason::timer)) {
        return FoundAgent(
            base::error(Code::conflict, "an interactive agent is woken by its person only", "mode", "refused"));
    }
    return FoundAgent(record);
}

base::Result<Timers::FoundTimer> Timers::find_timer(const model::Principal& who, const std::string& agent_id,
                                                    const model::TimerId& id, Unit& unit) {
    TRY_ASSIGN(auto found, unit.store.timers().find(id));
    const bool is_seen = found && found->agent_id == agent_id && rules::may_set_for(who, found->user_id).ok();
    if (!is_seen) return FoundTimer(no_such_timer());
    return FoundTimer(std::move(*found));
}

base::Result<void> Timers::begin(model::AgentTimer& timer, rules::CountedTimes& counted, Unit& unit) {
    const Zone zone = zone_of(timer.schedule);
    if (!zone.ok()) return base::error(Code::invalid, zone.error().message, "zone");
    if (rules::begin_timer(timer, counted, **zone, unit.now)) return {};
    return base::error(Code::invalid, "never comes after " + base::format_timestamp(timer.counted_from), "schedule");
}

void Timers::change_schedule(rules::CountedTimes& counted, const model::AgentTimer& before,
                             const model::AgentTimer& timer) {
    const Zone zone = zone_of(before.schedule);
    rules::change_schedule(counted, before, zone.ok() ? *zone : nullptr, timer);
}

base::Result<void> Timers::write(const model::AgentTimer& timer, Unit& unit) {
    TRY(unit.store.timers().put(std::span(&timer, 1)));
    changed_ = true;
    return {};
}

base::Result<model::AgentTimer> Timers::draft_of(const ports::AddTimer& command, Unit& unit) {
    model::AgentTimer draft;
    draft.agent_id = command.agent_id;
    draft.name = command.name;
    draft.input = command.input;
    draft.priority = command.priority;
    draft.created_at = unit.now;
    draft.updated_at = unit.now;
    TRY(rules::check_timer(draft));
    TRY_ASSIGN(draft.schedule, rules::read_schedule(command.schedule, unit.now));
    if (rules::has_wall_times(draft.schedule)) draft.schedule.zone = command.zone.empty() ? "UTC" : command.zone;
    rules::CountedTimes counted;
    TRY(begin(draft, counted, unit));
    if (!command.active) rules::stop_timer(draft);
    return draft;
}

base::Result<void> Timers::add(ports::AddTimer& command, Unit& unit) {
    TRY_ASSIGN(const FoundAgent agent, find_agent(command.principal, command.agent_id, unit));
    auto draft = agent.ok() ? draft_of(command, unit) : base::Result<model::AgentTimer>(agent.error());
    if (!draft.ok()) {
        command.refuse(std::move(draft).error());
        return {};
    }
    draft->user_id = (*agent)->agent.user_id;
    TRY_ASSIGN(auto there, unit.store.timers().find_name(command.agent_id, command.name));
    if (there) {
        const bool is_same = is_same_wish(*there, *draft, command.schedule.anchor.has_value());
        if (is_same) command.settle(ports::AddedTimer{shown(std::move(*there)), false});
        else command.refuse(taken());
        return {};
    }
    TRY_ASSIGN(const std::int64_t count, unit.store.timers().count(command.agent_id));
    if (count >= static_cast<std::int64_t>(limits::timers_per_agent_max)) {
        command.refuse(base::error(Code::too_large,
                                   "an agent has at most " + std::to_string(limits::timers_per_agent_max) + " timers"));
        return {};
    }
    if (!command.dry_run) {
        draft->id = {base::make_uuid7(unit.now, unit.random.next(), unit.random.next())};
        TRY(write(*draft, unit));
        note(nullptr, *draft);
    }
    command.settle(ports::AddedTimer{shown(std::move(*draft)), !command.dry_run});
    return {};
}

// Another schedule or zone counts from now on; so does one that was stopped and goes on.
base::Result<void> Timers::put(const ports::ChangeTimer& command, model::AgentTimer& timer,
                               rules::CountedTimes& counted, Unit& unit) {
    if (command.name) timer.name = *command.name;
    if (command.input) timer.input = *command.input;
    if (command.priority) timer.priority = *command.priority;
    TRY(rules::check_timer(timer));
    const model::AgentTimer was = timer;
    const model::Schedule& before = was.schedule;
    if (command.schedule) {
        TRY_ASSIGN(timer.schedule, rules::read_schedule(*command.schedule, unit.now));
        if (rules::has_wall_times(timer.schedule)) timer.schedule.zone = before.zone.empty() ? "UTC" : before.zone;
    }
    if (command.zone) {
        if (!rules::has_wall_times(timer.schedule)) {
            return base::error(Code::invalid, "is of wall times only", "zone");
        }
        timer.schedule.zone = *command.zone;
    }
    timer.updated_at = unit.now;
    if (timer.schedule != before) change_schedule(counted, was, timer);
    const bool goes_on = command.active.value_or(timer.active || timer.schedule != before);
    if (!goes_on) {
        rules::stop_timer(timer);
        return {};
    }
    if (timer.active && timer.schedule == before) return {};
    return begin(timer, counted, unit);
}

base::Result<void> Timers::change(ports::ChangeTimer& command, Unit& unit) {
    TRY_ASSIGN(const FoundAgent agent, find_agent(command.principal, command.agent_id, unit));
    TRY_ASSIGN(FoundTimer found, find_timer(command.principal, command.agent_id, command.id, unit));
    const std::optional<model::AgentTimer> before = found.ok() ? std::optional(*found) : std::nullopt;
    std::vector<rules::CountedTimes> counted(1);
    if (found.ok()) {
        TRY_ASSIGN(counted, load_spans(std::span(&*found, 1), unit));
    }
    auto done = !agent.ok()   ? base::Result<void>(agent.error())
                : !found.ok() ? base::Result<void>(found.error())
                              : put(command, *found, counted.front(), unit);
    if (done.ok() && command.name) {
        TRY_ASSIGN(const auto there, unit.store.timers().find_name(command.agent_id, *command.name));
        if (there && there->id != command.id) done = taken();
    }
    if (!done.ok()) {
        command.refuse(std::move(done).error());
        return {};
    }
    TRY(write(*found, unit));
    TRY(write_spans(std::span(&*found, 1), counted, unit));
    note(&*before, *found);
    command.settle(shown(std::move(*found)));
    return {};
}

base::Result<void> Timers::remove(ports::DeleteTimer& command, Unit& unit) {
    TRY_ASSIGN(const FoundTimer found, find_timer(command.principal, command.agent_id, command.id, unit));
    if (!found.ok()) {
        command.refuse(found.error());
        return {};
    }
    TRY(bury(*found, unit));
    TRY(unit.store.timers().remove(command.id));
    changed_ = true;
    command.settle(ports::Nothing{});
    return {};
}

base::Result<void> Timers::fire(model::AgentTimer& timer, rules::CountedTimes& counted, Unit& unit) {
    const Zone zone = zone_of(timer.schedule);
    if (!zone.ok()) {
        rules::rest_timer(timer, zone.error().message, unit.now);
        return {};
    }
    const auto firing = rules::fire_timer(timer, counted, **zone, unit.now);
    if (!firing) return {};
    const std::string id = base::format_uuid(timer.id.uuid);
    const std::string body = body_of(timer, *firing);
    return wakes_.ring(
        {timer.agent_id, timer.user_id, id, firing->scheduled_at, firing->catch_up, body, timer.priority}, unit);
}

// Its own wish is gone with the wake that it asked for. All devices know the wish by the time in the record, also where
// one of them has moved it.
base::Result<void> Timers::fulfil(const ports::WakeWish& wish, Unit& unit) {
    TRY_ASSIGN(model::AgentRecord* const agent, agents_.find(wish.agent_id, unit));
    if (agent == nullptr || !agent->state.next_wake_at) return {};
    const base::Timestamp wished = *agent->state.next_wake_at;
    agent->state.next_wake_at.reset();
    agents_.touch_state(*agent, unit.now);
    return wakes_.ring(
        {wish.agent_id, agent->agent.user_id, std::string(wish_id), wished, rules::is_late(wish.at, unit.now), {}, 0},
        unit);
}

base::Result<void> Timers::tend(Unit& unit) {
    TRY_ASSIGN(auto due, unit.store.timers().due(unit.now, limits::sweep_slice_rows));
    TRY_ASSIGN(std::vector<rules::CountedTimes> counted, load_spans(due, unit));
    for (std::size_t i = 0; i < due.size(); ++i) {
        model::AgentTimer& timer = due[i];
        const model::AgentTimer before = timer;
        TRY(fire(timer, counted[i], unit));
        // Whoever is paired later is told it as it is then.
        if (peers_.any() && timer.last_scheduled_at != before.last_scheduled_at) note(&before, timer);
    }
    if (!due.empty()) TRY(unit.store.timers().put(due));
    TRY(write_spans(due, counted, unit));
    TRY_ASSIGN(const auto wishes, unit.store.timers().due_wishes(unit.now, limits::sweep_slice_rows));
    for (const ports::WakeWish& wish : wishes) TRY(fulfil(wish, unit));
    changed_ = true;
    return end_moved_sleeps(unit);
}

void Timers::note(const model::AgentTimer* before, const model::AgentTimer& after) {
    const model::RawJson was = before != nullptr ? rules::timer_body(*before) : model::RawJson();
    std::vector<std::string> fields = rules::changed_fields(was.view(), rules::timer_body(after).view());
    if (fields.empty()) return;
    log_.note({std::string(model::agent_timer_kind),
               base::format_uuid(after.id.uuid),
               after.user_id,
               {},
               {},
               false,
               {},
               std::move(fields)});
}

base::Result<void> Timers::bury(const model::AgentTimer& timer, Unit& unit) {
    const std::string id = base::format_uuid(timer.id.uuid);
    const std::string kind(model::agent_timer_kind);
    const ports::SyncTable::Plain dead{kind, id, timer.user_id,
                                       rules::with_deleted_at(rules::timer_body(timer), unit.now), unit.now};
    TRY(unit.store.sync().put_plain(std::span(&dead, 1)));
    log_.note({kind, id, timer.user_id, {}, {}, false, {}, {"deleted_at"}});
    return {};
}

base::Result<void> Timers::settle_name(model::AgentTimer& timer, Unit& unit) {
    ports::TimerTable& table = unit.store.timers();
    TRY_ASSIGN(auto there, table.find_name(timer.agent_id, timer.name));
    if (!there || there->id == timer.id) return {};
    if (there->id < timer.id) {
        timer.name = rules::timer_name_beside(timer.name, timer.id);
        return {};
    }
    there->name = rules::timer_name_beside(timer.name, there->id);
    return table.put(std::span(&*there, 1));
}

base::Result<void> Timers::take(model::AgentTimer timer, const model::AgentTimer* before, Unit& unit) {
    TRY_ASSIGN(const model::AgentRecord* const agent, agents_.find(timer.agent_id, unit));
    const bool is_over = agent != nullptr && agent->agent.lifecycle == model::AgentLifecycle::destroyed;
    timer.updated_at = unit.now;
    rules::count_as_told(timer, before, unit.now);
    const bool is_changed = before != nullptr && before->schedule != timer.schedule;
    TRY_ASSIGN(std::vector<rules::CountedTimes> counted, load_spans(std::span(is_changed ? before : &timer, 1), unit));
    if (is_changed) {
        change_schedule(counted.front(), *before, timer);
        rules::add_span(counted.front().spans, rules::begun_span(timer.counted_from));
        TRY(write_spans(std::span(&timer, 1), counted, unit));
    }
    const Zone zone = zone_of(timer.schedule);
    // A timer that was stopped does not rest: it would fire once the data of its zone is here.
    if (is_over || !timer.active) rules::stop_timer(timer);
    else if (zone.ok()) rules::resume_timer(timer, counted.front(), **zone);
    else rules::rest_timer(timer, zone.error().message, unit.now);
    TRY(settle_name(timer, unit));
    return write(timer, unit);
}

base::Result<void> Timers::take_removal(const model::TimerId& id, Unit& unit) {
    changed_ = true;
    TRY(unit.store.timers().remove(id));
    return {};
}

base::Result<void> Timers::agent_destroyed(const std::string& agent_id, Unit& unit) {
    changed_ = true;
    return unit.store.timers().stop_agent(agent_id, unit.now);
}

base::Result<std::uint64_t> Timers::erase_user(const std::string& user_id, Unit& unit) {
    changed_ = true;
    return unit.store.timers().erase_user(user_id, limits::sweep_slice_rows);
}

// Agents are written before this: what they wish for is in the store by now.
base::Result<void> Timers::flush(Unit& unit) {
    const auto wish = agents_.earliest_wish();
    if (wish && (!next_due_ || *wish < *next_due_)) changed_ = true;
    if (!changed_) return {};
    TRY_ASSIGN(pending_due_, unit.store.timers().next_due());
    return {};
}

void Timers::committed(Effects&) {
    if (changed_) next_due_ = pending_due_;
    dropped();
}

void Timers::dropped() {
    pending_due_.reset();
    changed_ = false;
}

}  // namespace belfry::engine
