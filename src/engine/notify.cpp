#include "engine/notify.hpp"

#include <algorithm>
#include <utility>

#include "base/injection_limits.hpp"
#include "base/limits.hpp"
#include "rules/due.hpp"

namespace belfry::engine {
namespace {

namespace limits = base::limits;
constexpr std::size_t groups_a_slice = 256;

// A point as an agent names it for a note to itself, or as files do.
std::optional<model::InjectAt> point_named(std::string_view name) {
    if (name == "next_turn") return model::InjectAt::turn_start;
    return model::parse_inject_at(name);
}

bool is_low_context(const model::Subscriber& subscriber, model::Priority priority) {
    return rules::waits_for_turn_end(priority, subscriber.target.value_or(model::Target::agent),
                                     subscriber.handler.value_or(model::Handler::system));
}

}  // namespace

base::Result<void> Notify::rebuild(Unit& unit) {
    stale_ = true;
    return refresh(unit);
}

base::Result<void> Notify::refresh(Unit& unit) {
    if (!stale_) {
        // Once a transaction: whoever read the files anew need not reach us to be heard.
        if (std::exchange(used_, true)) return {};
        return reload(unit);
    }
    used_ = true;
    auto catalogue = subscribers_.current();
    if (!set_ || set_->catalogue() != catalogue) set_ = std::make_unique<SubscriberSet>(std::move(catalogue));
    groups_.clear();
    groups_of_queue_.clear();
    due_.clear();
    idle_.clear();
    touched_.clear();
    gone_.clear();
    waiting_bytes_ = 0;
    stale_ = false;
    return load_waiting(unit);
}

base::Result<void> Notify::load_waiting(Unit& unit) {
    // Windows of keys that left lately are told by the notifications that they left with.
    TRY_ASSIGN(const std::vector<model::Notification> recent,
               unit.store.notifications().created_since(unit.now - limits::dedupe_window_max));
    for (const model::Notification& notification : recent) {
        const Listener* const listener = set_->find(notification.subscriber_id);
        if (listener == nullptr || notification.follow_up) continue;
        // A notification from before the clock was set back began its window in the future.
        const base::Timestamp began = std::min(notification.created_at, unit.now);
        const base::Timestamp until = began + listener->subscriber->dedupe_window;
        if (until <= unit.now) continue;
        Group& group =
            group_for(*listener->subscriber, notification.scope, notification.priority, notification.inject_at);
        for (const model::NotifiedEvent& event : notification.events)
            group.batch.restore_window(event.dedupe_key, until);
        look_again(group, until);
    }
    TRY_ASSIGN(std::vector<model::WaitingRow> rows, unit.store.waiting().load());
    for (model::WaitingRow& row : rows) {
        next_waiting_ = std::max(next_waiting_, row.ordinal + 1);
        waiting_bytes_ += row.event_json.size();
        row.stored_count = row.count;
        Group* group = nullptr;
        model::Subscriber gone;
        gone.id = row.subscriber_id;
        const Listener* const listener = set_->find(row.subscriber_id);
        const model::Subscriber& subscriber = listener != nullptr ? *listener->subscriber : gone;
        if (listener != nullptr) {
            const auto payload = model::JsonView{row.event_json}.member("payload");
            group = &group_of(*listener, row.scope, payload.value_or(model::JsonView{"{}"}));
        } else {
            group = &group_for(gone, row.scope, gone.priority, gone.inject_at);
        }
        // No row waits longer than one that comes now: the clock may have been set back since it was stored.
        const bool is_repeat = row.kind == model::WaitingKind::repeat;
        const base::Duration wait = is_repeat ? subscriber.dedupe_window : wait_of(*group, subscriber);
        row.due_at = std::min(row.due_at, unit.now + wait);
        group->batch.restore_row(std::move(row));
        schedule(*group);
    }
    return {};
}

base::Result<void> Notify::apply(ports::Command& command, Unit& unit) {
    TRY(refresh(unit));
    static_cast<ports::ReloadSubscribers&>(command).settle(ports::Nothing{});
    return {};
}

base::Result<void> Notify::reload(Unit& unit) {
    auto catalogue = subscribers_.current();
    if (catalogue == set_->catalogue()) return {};
    // What waits for a subscriber that is gone leaves now, as it still would have.
    for (const auto& [key, group] : groups_) {
        if (catalogue->find(group->subscriber_id) != nullptr) continue;
        const Listener& listener = listener_of(*group);
        leave(*group, listener, Leaving::batch, unit);
        follow_up(*group, listener, unit.now + limits::dedupe_window_max, unit);
        schedule(*group);
        look_again(*group, unit.now);
    }
    set_ = std::make_unique<SubscriberSet>(std::move(catalogue));
    for (const auto& [key, group] : groups_) {
        group->batch.bound(unit.now + wait_of(*group, *listener_of(*group).subscriber));
        schedule(*group);
    }
    complained_.clear();
    return {};
}

base::Result<void> Notify::notice(const model::Event& event, std::string_view body, model::Sequence sequence,
                                  Unit& unit) {
    TRY(refresh(unit));
    set_->match(event.type, event.source, *event.severity, found_);
    if (found_.empty() && *event.severity >= model::Severity::error) found_ = set_->unmatched();
    if (found_.empty()) return {};
    TRY_ASSIGN(const model::Scope scope, scope_of(event, unit));
    for (const std::uint32_t place : found_) {
        const Listener& listener = set_->at(place);
        if (settings_.is_off(scope.user_id, *listener.subscriber)) continue;
        take(listener, scope, event, body, sequence, unit);
    }
    return {};
}

// As the ledger will house it: what is built anew after a crash must be found under the same scope.
base::Result<model::Scope> Notify::scope_of(const model::Event& event, Unit& unit) {
    model::Scope scope{event.user_id, event.session_id, event.agent_id};
    const model::Session* session = nullptr;
    if (!scope.session_id.empty()) {
        TRY_ASSIGN(session, sessions_.find(scope.session_id, unit));
    }
    // Who is named first has the session: an agent that comes for it without a name finds whose it is.
    if (session == nullptr && !scope.user_id.empty() && !scope.session_id.empty()) {
        TRY_ASSIGN(session, sessions_.find_or_make(scope.session_id, scope.user_id, false, unit));
    }
    if (scope.user_id.empty()) scope.user_id = session != nullptr ? session->user_id : ledger_.owner();
    if (session == nullptr) return scope;
    if (session->deleted_at || is_anothers(*session, scope.user_id)) scope.session_id.clear();
    return scope;
}

Notify::Group& Notify::group_of(const Listener& listener, const model::Scope& scope, model::JsonView payload) {
    const model::Subscriber& subscriber = *listener.subscriber;
    model::Priority priority = subscriber.priority;
    model::InjectAt inject_at = subscriber.inject_at;
    if (!subscriber.priority_from.empty()) {
        const auto named = payload.member(subscriber.priority_from);
        const auto chosen = named ? model::parse_priority(named->as_text()) : std::nullopt;
        priority = chosen.value_or(priority);
    }
    if (!subscriber.inject_from.empty()) {
        const auto named = payload.member(subscriber.inject_from);
        const auto chosen = named ? point_named(named->as_text()) : std::nullopt;
        inject_at = chosen.value_or(inject_at);
    }
    return group_for(subscriber, scope, priority, inject_at);
}

Notify::Group& Notify::group_for(const model::Subscriber& subscriber, const model::Scope& scope,
                                 model::Priority priority, model::InjectAt inject_at) {
    if (is_low_context(subscriber, priority)) inject_at = model::InjectAt::turn_end;
    group_key_.assign(subscriber.id);
    for (const std::string* part : {&scope.user_id, &scope.session_id, &scope.agent_id}) {
        group_key_ += '\0';
        group_key_ += *part;
    }
    // Only what an event has chosen tells groups of one subscriber apart: a file that changes keeps its batches.
    if (!subscriber.priority_from.empty() || !subscriber.inject_from.empty()) {
        group_key_ += '\0';
        group_key_ += static_cast<char>('0' + rules::due_class(priority, inject_at));
    }
    if (const auto at = groups_.find(group_key_); at != groups_.end()) return *at->second;
    auto made = std::make_unique<Group>();
    made->serial = next_serial_++;
    made->key = group_key_;
    made->subscriber_id = subscriber.id;
    made->scope = scope;
    made->priority = priority;
    made->inject_at = inject_at;
    made->is_chosen = !subscriber.priority_from.empty() || !subscriber.inject_from.empty();
    Group& group = *made;
    groups_.emplace(group.key, std::move(made));
    groups_of_queue_[model::queue_of(scope)].emplace(group.serial, &group);
    return group;
}

void Notify::take(const Listener& listener, const model::Scope& scope, const model::Event& event, std::string_view body,
                  model::Sequence sequence, Unit& unit) {
    const model::Subscriber& subscriber = *listener.subscriber;
    Group& group = group_of(listener, scope, event.payload.view());
    if (const auto due = group.batch.next_due(); due && *due <= unit.now) tend_group(group, listener, unit);

    key_.clear();
    listener.dedupe_key.append(key_, event);
    const rules::Arrival arrival{key_, event.id, sequence, *event.severity, body, unit.now};
    const base::Duration wait = wait_of(group, subscriber);
    const rules::Batch::Place place = group.batch.take(arrival, wait, subscriber.dedupe_window);
    using Taken = rules::Batch::Taken;
    if (place.taken == Taken::added || place.taken == Taken::folded_first) {
        place.row->ordinal = next_waiting_++;
        place.row->subscriber_id = subscriber.id;
        place.row->scope = scope;
        waiting_bytes_ += body.size();
    }
    touch(group);
    const bool at_once = priority_of(group, subscriber) == model::Priority::critical || wait.us == 0;
    const bool is_crowded = waiting_bytes_ > waiting_bytes_max_;
    const bool is_full = group.batch.size() >= subscriber.max_size ||
                         group.batch.bytes() > limits::notification_event_bytes_max || is_crowded;
    if (!group.batch.empty() && (at_once || is_full)) leave(group, listener, Leaving::batch, unit);
    if (is_crowded) follow_up(group, listener, unit.now + limits::dedupe_window_max, unit);
    schedule(group);
}

void Notify::tend_group(Group& group, const Listener& listener, Unit& unit) {
    follow_up(group, listener, unit.now, unit);
    if (const auto due = group.batch.due_at(); due && *due <= unit.now) {
        leave(group, listener, is_low(group, *listener.subscriber) ? Leaving::overdue : Leaving::batch, unit);
    }
    schedule(group);
}

void Notify::leave(Group& group, const Listener& listener, Leaving why, Unit& unit) {
    const base::Duration window = listener.subscriber->dedupe_window;
    const std::vector<model::WaitingRow> rows = group.batch.leave(unit.now, window);
    if (rows.empty()) return;
    look_again(group, unit.now + window);
    release(group, listener, rows, why, unit);
}

void Notify::follow_up(Group& group, const Listener& listener, base::Timestamp until, Unit& unit) {
    std::vector<model::WaitingRow> rows = group.batch.end_windows(until);
    if (rows.empty()) return;
    look_again(group, unit.now);
    // Low context says all that was gathered in one notification, at the end of the turn.
    const bool joins = until <= unit.now && is_low(group, *listener.subscriber);
    if (joins) rejoin(group, listener, std::move(rows), unit);
    else release(group, listener, rows, Leaving::follow_up, unit);
}

void Notify::rejoin(Group& group, const Listener& listener, std::vector<model::WaitingRow> repeats, Unit& unit) {
    const model::Subscriber& subscriber = *listener.subscriber;
    touch(group);
    for (model::WaitingRow& repeat : repeats) {
        if (repeat.stored_count > 0) gone_.push_back(repeat.ordinal);
        const std::size_t bytes = repeat.event_json.size();
        const rules::Batch::Place place = group.batch.rejoin(std::move(repeat), unit.now, wait_of(group, subscriber));
        if (place.taken == rules::Batch::Taken::added) place.row->ordinal = next_waiting_++;
        else waiting_bytes_ -= std::min(waiting_bytes_, bytes);
        const bool is_full =
            group.batch.size() >= subscriber.max_size || group.batch.bytes() > limits::notification_event_bytes_max;
        if (is_full) leave(group, listener, Leaving::batch, unit);
    }
}

void Notify::collect(Group& group, const Listener& listener, Unit& unit) {
    follow_up(group, listener, unit.now, unit);
    leave(group, listener, Leaving::batch, unit);
    schedule(group);
}

model::Priority Notify::priority_of(const Group& group, const model::Subscriber& subscriber) {
    return group.is_chosen ? group.priority : subscriber.priority;
}

bool Notify::is_low(const Group& group, const model::Subscriber& subscriber) {
    return is_low_context(subscriber, priority_of(group, subscriber));
}

base::Duration Notify::wait_of(const Group& group, const model::Subscriber& subscriber) {
    return is_low(group, subscriber) ? limits::low_wait_max : subscriber.window;
}

base::Result<void> Notify::reach(const model::Session& session, model::InjectAt point, Unit& unit) {
    TRY(refresh(unit));
    for (const std::string& queue : {"s" + session.id, "u" + session.user_id}) {
        const auto at = groups_of_queue_.find(queue);
        if (at == groups_of_queue_.end()) continue;
        for (const auto& [serial, group] : at->second) {
            const Listener& listener = listener_of(*group);
            const model::Subscriber& subscriber = *listener.subscriber;
            if (is_low(*group, subscriber)) continue;
            if (group->batch.empty()) continue;
            const model::InjectAt inject_at = group->is_chosen ? group->inject_at : subscriber.inject_at;
            if (!rules::is_due(point, priority_of(*group, subscriber), inject_at)) continue;
            leave(*group, listener, Leaving::batch, unit);
            schedule(*group);
        }
    }
    return point == model::InjectAt::turn_end ? end_turn(session, unit) : base::Result<void>{};
}

base::Result<void> Notify::end_turn(const model::Session& session, Unit& unit) {
    TRY(refresh(unit));
    for (const std::string& queue : {"s" + session.id, "u" + session.user_id}) {
        const auto at = groups_of_queue_.find(queue);
        if (at == groups_of_queue_.end()) continue;
        for (const auto& [serial, group] : at->second) {
            // The user's context for another agent waits for that agent's turn.
            const model::Scope& scope = group->scope;
            const bool is_anothers =
                scope.session_id.empty() && !scope.agent_id.empty() && scope.agent_id != session.agent_id;
            const Listener& listener = listener_of(*group);
            if (!is_anothers && is_low(*group, *listener.subscriber)) collect(*group, listener, unit);
        }
    }
    return {};
}

const Listener& Notify::listener_of(const Group& group) {
    if (const Listener* const listener = set_->find(group.subscriber_id)) return *listener;
    orphan_subscriber_ = {};
    orphan_subscriber_.id = group.subscriber_id;
    orphan_subscriber_.name = group.subscriber_id;
    orphan_ = {};
    orphan_.subscriber = &orphan_subscriber_;
    return orphan_;
}

void Notify::schedule(Group& group) {
    const auto due = group.batch.next_due();
    if (due == group.due) return;
    if (group.due) due_.erase({*group.due, group.serial, &group});
    if (due) due_.emplace(*due, group.serial, &group);
    group.due = due;
}

void Notify::touch(Group& group) {
    if (!std::exchange(group.is_touched, true)) touched_.push_back(&group);
}

void Notify::clock_was_set_back(base::Duration by) {
    for (const auto& [key, group] : groups_) {
        group->batch.shift_back(by);
        schedule(*group);
    }
    decltype(idle_) idle;
    for (const auto& [at, serial, group] : idle_) idle.emplace(at - by, serial, group);
    idle_ = std::move(idle);
}

std::optional<base::Timestamp> Notify::next_due() const {
    if (stale_) return base::Timestamp{};  // what waits is known only when it was read again: at once
    if (due_.empty()) return std::nullopt;
    return std::get<base::Timestamp>(*due_.begin());
}

base::Result<void> Notify::tend(Unit& unit) {
    TRY(refresh(unit));
    for (std::size_t i = 0; i < groups_a_slice && !due_.empty() && std::get<base::Timestamp>(*due_.begin()) <= unit.now;
         ++i) {
        Group& group = *std::get<Group*>(*due_.begin());
        tend_group(group, listener_of(group), unit);
    }
    return {};
}

base::Result<void> Notify::flush(Unit& unit) {
    if (touched_.empty() && gone_.empty()) return {};
    std::vector<model::WaitingRow> fresh;
    std::vector<ports::WaitingTable::Count> changed;
    for (Group* group : touched_) {
        group->is_touched = false;
        for (model::WaitingRow* row : group->batch.changed()) {
            if (row->stored_count == row->count) continue;
            if (row->stored_count == 0) fresh.push_back(*row);
            else changed.push_back({row->ordinal, row->count, row->severity});
            row->stored_count = row->count;
        }
    }
    touched_.clear();
    // In the order of their keys, where the tables grow at their end.
    std::ranges::sort(fresh, {}, &model::WaitingRow::ordinal);
    std::ranges::sort(gone_);
    if (!fresh.empty()) TRY(unit.store.waiting().insert(fresh));
    if (!changed.empty()) TRY(unit.store.waiting().update(changed));
    if (!gone_.empty()) TRY(unit.store.waiting().remove(gone_));
    gone_.clear();
    forget_idle(unit.now);
    return {};
}

void Notify::look_again(Group& group, base::Timestamp at) {
    if (idle_.emplace(at, group.serial, &group).second) ++group.looks;
}

void Notify::forget_idle(base::Timestamp now) {
    while (!idle_.empty() && std::get<base::Timestamp>(*idle_.begin()) <= now) {
        Group* const group = std::get<Group*>(*idle_.begin());
        idle_.erase(idle_.begin());
        --group->looks;
        // Windows with repeats are not forgotten: those come out first, and then it is looked at again.
        const auto follow_up = group->batch.next_follow_up();
        if (!group->batch.empty() || (follow_up && *follow_up <= now)) continue;
        group->batch.end_windows(now);
        if (!group->batch.is_idle() || group->looks > 0) continue;
        forget_group(*group);
    }
}

void Notify::forget_group(Group& group) {
    if (group.due) due_.erase({*group.due, group.serial, &group});
    if (group.looks > 0) std::erase_if(idle_, [&](const auto& look) { return std::get<Group*>(look) == &group; });
    if (group.is_touched) std::erase(touched_, &group);
    const auto queue = groups_of_queue_.find(model::queue_of(group.scope));
    queue->second.erase(group.serial);
    if (queue->second.empty()) groups_of_queue_.erase(queue);
    groups_.erase(std::string(group.key));
}

base::Result<void> Notify::forget_user(std::string_view user_id, Unit& unit) {
    TRY(refresh(unit));
    std::vector<Group*> of_user;
    for (const auto& [key, group] : groups_) {
        if (group->scope.user_id == user_id) of_user.push_back(group.get());
    }
    for (Group* group : of_user) {
        for (const model::WaitingRow* row : group->batch.waiting()) {
            waiting_bytes_ -= std::min(waiting_bytes_, row->event_json.size());
        }
        forget_group(*group);
    }
    return {};
}

void Notify::committed(Effects& effects) {
    for (std::string& complaint : complaints_) effects.complaints.push_back(std::move(complaint));
    complaints_.clear();
    used_ = false;
}

void Notify::dropped() {
    complaints_.clear();
    // The next transaction may have no use for us and still lets us write: nothing of this one.
    touched_.clear();
    gone_.clear();
    if (used_) stale_ = true;
    used_ = false;
}

}  // namespace belfry::engine
