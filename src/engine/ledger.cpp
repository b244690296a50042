#include "engine/ledger.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "engine/awareness.hpp"
#include "engine/overload.hpp"
#include "engine/sink_calls.hpp"
#include "model/notification_json.hpp"
#include "rules/route.hpp"
#include "rules/sink.hpp"
#include "rules/step_reason.hpp"

namespace belfry::engine {
namespace {

constexpr std::size_t queues_max = 10'000;

bool may_give_way(const model::Notification& notification) {
    // Only passive context of subscribers: what somebody must hear of stays.
    return notification.target == model::Target::agent && notification.handler == model::Handler::system &&
           notification.severity < model::Severity::error && notification.subscriber_id != model::overload_subscriber;
}

// Somebody else has changed the row since it was read: whoever asks again is decided upon what it is now.
base::Error lost_row() {
    const auto stale = rules::Refusal::stale_lease;
    return base::error(base::Code::conflict, std::string(rules::refusal_text(stale)), "lease",
                       std::string(rules::refusal_name(stale)));
}

// When its first event happened, as far as that one's id tells it; else when it was made.
base::Timestamp happened_at(const model::Notification& notification) {
    if (notification.events.empty()) return notification.created_at;
    const auto time = base::time_of_uuid7(notification.events.front().id.uuid);
    return time ? std::min(*time, notification.created_at) : notification.created_at;
}

bool is_in_inbox(const model::Notification& notification) {
    return rules::route(notification).to_interface && model::interface_channel(notification) == model::Channel::inbox;
}

// Whether the conversation that it lives in has a quiet record of it.
bool has_record(const model::Notification& notification) {
    return notification.address == model::Address::session && !rules::route(notification).starts_turn &&
           notification.narration.empty();  // a narration stands there as the agent's own message
}

}  // namespace

base::Result<void> Ledger::rebuild(Unit& unit) {
    dropped();
    queues_.clear();
    TRY_ASSIGN(next_ordinal_, unit.store.notifications().next_ordinal());
    TRY_ASSIGN(next_deadline_, unit.store.notifications().next_deadline());
    return {};
}

base::Result<void> Ledger::flush(Unit& unit) {
    TRY(settle(unit));
    if (steps_.empty()) return {};
    const rules::Steps steps = std::exchange(steps_, {});
    return unit.store.notifications().add_steps(steps);
}

base::Result<void> Ledger::apply(ports::Command&, Unit&) {
    return {};
}

void Ledger::add(NewNotification added, Unit& unit) {
    model::Notification& notification = added.notification;
    const bool is_named = !added.id.uuid.is_nil();
    notification.id =
        is_named ? added.id : model::NotificationId{base::make_uuid7(unit.now, unit.random.next(), unit.random.next())};
    notification.ordinal = next_ordinal_++;
    notification.created_at = unit.now;
    added_.push_back(std::move(added));
}

base::Result<void> Ledger::settle(Unit& unit) {
    if (added_.empty()) return {};
    std::vector<NewNotification> added = std::exchange(added_, {});
    std::vector<std::string> ids;
    for (const NewNotification& one : added) {
        if (!one.notification.scope.session_id.empty()) ids.push_back(one.notification.scope.session_id);
    }
    std::ranges::sort(ids);
    ids.erase(std::ranges::unique(ids).begin(), ids.end());
    TRY(sessions_.load(ids, unit));
    for (NewNotification& one : added) TRY(house(one, unit));

    std::map<std::string, std::vector<NewNotification*>> by_queue;
    for (NewNotification& one : added) {
        const bool is_for_agent = rules::route(one.notification).channel == model::Channel::context;
        if (is_for_agent) by_queue[model::queue_of(one.notification.scope)].push_back(&one);
    }
    for (auto& [key, arrivals] : by_queue) TRY(make_room(key, arrivals, unit));

    std::vector<model::Notification> rows;
    rows.reserve(added.size());
    for (NewNotification& one : added) {
        rules::Steps steps;
        rules::born(one.notification, one.notification.emitter, steps, one.asked);
        if (one.gives_way) {
            rules::give_way(one.notification, unit.now, steps);
        } else {
            TRY(send(one.notification, steps, unit));
            if (one.visible) TRY(show(one.notification, one.source, unit));
            TRY(take_place(one.notification.scope.session_id, unit));
        }
        note(std::move(steps));
        note_deadline(one.notification);
        rows.push_back(std::move(one.notification));
    }
    made_ += rows.size();
    if (rows.empty()) return {};
    TRY(unit.store.notifications().insert(rows));
    for (model::Notification& row : rows) TRY(note_awareness(row, unit));
    return {};
}

// What waits in a session whose user is a guess is not for whoever names himself next, though no record tells of it.
base::Result<void> Ledger::take_place(const std::string& session_id, Unit& unit) {
    if (session_id.empty()) return {};
    TRY_ASSIGN(model::Session* const session, sessions_.find(session_id, unit));
    if (session == nullptr || !may_become_anothers(*session)) return {};
    ++session->next_message;
    sessions_.touch(*session);
    return {};
}

base::Result<model::Notification> Ledger::add_now(NewNotification added, Unit& unit) {
    add(std::move(added), unit);
    const model::NotificationId id = added_.back().notification.id;
    TRY(settle(unit));
    TRY_ASSIGN(auto made, unit.store.notifications().find(id));
    if (!made) return base::error(base::Code::internal, "a notification that was just made is not there");
    return std::move(*made);
}

// Whoever is to get it by himself is told in the same commit.
base::Result<void> Ledger::send(model::Notification& notification, rules::Steps& steps, Unit& unit) {
    const rules::Route route = rules::route(notification);
    if (route.starts_turn) return put_entry(Entry::turn_requested, notification, {}, unit);
    if (!route.to_interface) return {};
    if (is_there(notification.scope.user_id)) {
        (void)rules::dispatch(notification, unit.now, "interfaces", steps);
    }
    TRY(put_entry(Entry::notification, notification, {}, unit));
    return owe_sinks(notification, unit);
}

base::Result<void> Ledger::owe_sinks(const model::Notification& notification, Unit& unit) {
    // They ring for the inbox; what belongs into a conversation is shown there.
    if (sinks_ == nullptr || model::interface_channel(notification) != model::Channel::inbox) return {};
    const auto catalogue = sinks_->current();
    for (const model::Sink& sink : catalogue->sinks) {
        if (!rules::wants(sink, notification)) continue;
        std::string detail;
        model::JsonWriter writer(detail);
        writer.begin_object();
        writer.field("sink", sink.id).field("notification", base::format_uuid(notification.id.uuid));
        writer.end_object();
        TRY(outbox_.owe(std::string(sink_kind), model::RawJson::trusted(std::move(detail)), unit));
    }
    return {};
}

base::Result<void> Ledger::put_entry(Entry kind, const model::Notification& about, std::string_view by, Unit& unit) {
    body_.clear();
    std::string_view type;
    switch (kind) {
        case Entry::turn_requested: {
            type = "turn_requested";
            model::Notification asked = about;
            if (asked.scope.agent_id.empty() && !asked.scope.session_id.empty()) {
                TRY_ASSIGN(const model::Session* const session, sessions_.find(asked.scope.session_id, unit));
                if (session != nullptr) asked.scope.agent_id = session->agent_id;
            }
            model::append_turn_requested_json(body_, asked, "notification");
            sessions_.wish_turn({TurnWish::Cause::notification, about.id.uuid, about.scope.user_id,
                                 about.scope.session_id, about.scope.agent_id, about.depth});
            break;
        }
        case Entry::notification:
            type = "notification";
            model::append_interface_json(body_, about);
            break;
        case Entry::notification_state:
            type = "notification_state";
            model::append_state_json(body_, about, by);
            break;
    }
    const std::string name = (kind == Entry::turn_requested ? "agent:" : "inbox:") + about.scope.user_id;
    TRY_ASSIGN(const model::StreamId stream,
               unit.streams.named(unit.store, name, about.scope.user_id, model::RetentionClass::delivery));
    const model::Facets facets{about.severity, type, about.scope.user_id, about.scope.session_id};
    unit.streams.append(unit.store, stream, facets, body_);
    return {};
}

base::Result<void> Ledger::change(model::Notification& row, std::int64_t lease_before, rules::Steps steps,
                                  std::string_view by, Unit& unit) {
    const auto has_step = [&](auto is_it) { return std::ranges::any_of(steps, is_it); };
    const bool escalated = has_step([](const model::Transition& step) {
        return step.to == model::DeliveryState::escalated && step.from != step.to;
    });
    const bool narrated =
        has_step([](const model::Transition& step) { return step.reason == rules::step_reason::narrated; });
    TRY_ASSIGN(const bool held, unit.store.notifications().update(row, lease_before));
    if (!held) return lost_row();
    TRY(note_awareness(row, unit));
    note_delivery(row, steps, unit.now);
    note(std::move(steps));
    note_deadline(row);
    // A row that the user is told of waits for interfaces, in no queue: its end is none of the queue's.
    const bool has_left_queue = escalated || narrated;
    if (has_left_queue || (model::is_terminal(row.state) && rules::route(row).channel == model::Channel::context)) {
        count(row, -1);
    }
    if (escalated) TRY(show(row, "Belfry", unit));
    if (has_left_queue) return send_to_user(row, by, unit);
    if (rules::route(row).to_interface) return put_entry(Entry::notification_state, row, by, unit);
    return {};
}

// The row has become one for the interfaces: those that are connected get it, the sinks ring.
base::Result<void> Ledger::send_to_user(model::Notification& row, std::string_view by, Unit& unit) {
    if (is_there(row.scope.user_id)) {
        rules::Steps steps;
        (void)rules::dispatch(row, unit.now, "interfaces", steps);
        note(std::move(steps));
    }
    TRY(put_entry(Entry::notification, row, by, unit));
    return owe_sinks(row, unit);
}

base::Result<void> Ledger::request_turn(const model::Notification& row, Unit& unit) {
    const bool waits = rules::route(row).starts_turn && !model::is_terminal(row.state) && row.holder.empty();
    return waits ? put_entry(Entry::turn_requested, row, {}, unit) : base::Result<void>{};
}

base::Result<void> Ledger::tell_update(model::Notification& row, const model::Notification& before, rules::Steps steps,
                                       Unit& unit) {
    TRY_ASSIGN(const bool held, unit.store.notifications().update(row, before.lease));
    if (!held) return lost_row();
    TRY(note_awareness(row, unit));
    note(std::move(steps));
    note_deadline(row);
    const rules::Route was = rules::route(before);
    const rules::Route now = rules::route(row);
    // It may have come from another queue than it is in now.
    if (was.channel == model::Channel::context) count(before, -1);
    if (now.channel == model::Channel::context) count(row, 1);
    TRY(show_update(row, before, unit));
    if (now.starts_turn && !was.starts_turn) return put_entry(Entry::turn_requested, row, {}, unit);
    if (!now.to_interface) return {};
    TRY(put_entry(Entry::notification, row, {}, unit));
    return is_in_inbox(before) ? base::Result<void>{} : owe_sinks(row, unit);
}

base::Result<void> Ledger::ring(const model::Notification& row, Unit& unit) {
    return is_in_inbox(row) ? owe_sinks(row, unit) : base::Result<void>{};
}

base::Result<void> Ledger::mark(model::Notification& row, std::string_view by, Unit& unit) {
    TRY(unit.store.notifications().mark(row));
    TRY(note_fact(row, model::FactStatus::seen, unit));
    return put_entry(Entry::notification_state, row, by, unit);
}

base::Result<model::StreamId> Ledger::inbox_stream(const std::string& user_id, Unit& unit) {
    return unit.streams.named(unit.store, "inbox:" + user_id, user_id, model::RetentionClass::delivery);
}

void Ledger::went(const std::string& user_id, const std::string& session_id) {
    const auto of_user = interfaces_.find(user_id);
    if (of_user == interfaces_.end()) return;
    const auto at = of_user->second.find(session_id);
    if (at != of_user->second.end() && --at->second == 0) of_user->second.erase(at);
    if (of_user->second.empty()) interfaces_.erase(of_user);
}

bool Ledger::has_interface(const model::Notification& row) const {
    const model::Scope& scope = row.scope;
    return count_interfaces(scope.user_id, {}) > 0 ||
           (!scope.session_id.empty() && count_interfaces(scope.user_id, scope.session_id) > 0);
}

// An interface that goes and was not counted takes no other one away: the counts begin at zero after a start.
int Ledger::count_interfaces(const std::string& user_id, const std::string& session_id) const {
    int count = 0;
    if (const auto of_user = interfaces_.find(user_id); of_user != interfaces_.end()) {
        const auto at = of_user->second.find(session_id);
        if (at != of_user->second.end()) count = at->second;
    }
    for (const Move& move : moves_) {
        if (move.user_id == user_id && move.session_id == session_id) count = std::max(0, count + move.change);
    }
    return count;
}

base::Result<void> Ledger::note_awareness(model::Notification& row, Unit& unit) {
    const bool is_acknowledged = row.state == model::DeliveryState::delivered && row.seen_at;
    if (is_acknowledged) return note_fact(row, model::FactStatus::seen, unit);
    const bool is_shown = row.state != model::DeliveryState::failed && has_interface(row);
    return is_shown ? note_shown(row, unit) : base::Result<void>{};
}

void Ledger::note(rules::Steps steps) {
    steps_.insert(steps_.end(), std::make_move_iterator(steps.begin()), std::make_move_iterator(steps.end()));
}

void Ledger::note_delivery(const model::Notification& row, const rules::Steps& steps, base::Timestamp now) {
    const bool has_arrived = row.outcome.empty() && std::ranges::any_of(steps, [](const model::Transition& step) {
                                 return step.to == model::DeliveryState::delivered && step.from != step.to;
                             });
    if (has_arrived) deliveries_.push_back(now - happened_at(row));
}

void Ledger::note_deadline(const model::Notification& row) {
    if (!row.deadline || model::is_terminal(row.state)) return;
    new_deadline_ = new_deadline_ ? std::min(*new_deadline_, *row.deadline) : *row.deadline;
}

base::Result<void> Ledger::house(NewNotification& added, Unit& unit) {
    model::Notification& notification = added.notification;
    if (notification.scope.user_id.empty()) notification.scope.user_id = owner_;
    if (notification.scope.session_id.empty()) {
        notification.address = model::Address::user;
        return {};
    }
    std::string& user = notification.scope.user_id;
    const bool is_guess = user == owner_ && !added.user_is_named;
    TRY_ASSIGN(model::Session* const session,
               sessions_.find_or_make(notification.scope.session_id, user, is_guess, unit));
    if (is_guess) user = session->user_id;  // he may have been named since it was gathered
    if (session->deleted_at) {
        notification.scope.session_id.clear();
        notification.address = model::Address::user;
        return {};
    }
    if (session->user_id == user) return {};
    if (may_become_anothers(*session)) {
        session->user_id = user;
        session->user_is_default = false;
        sessions_.touch(*session);
        return {};
    }
    notification.scope.session_id.clear();
    notification.address = model::Address::user;
    return {};
}

// The conversation shows the newest words once, where the row lives now.
base::Result<void> Ledger::show_update(const model::Notification& row, const model::Notification& before, Unit& unit) {
    bool is_there = false;
    if (has_record(before)) {
        const bool stays = has_record(row) && row.scope.session_id == before.scope.session_id;
        const model::NewWords words{row.content, row.text, model::severity_name(row.severity)};
        TRY_ASSIGN(const model::Session* const session, sessions_.find(before.scope.session_id, unit));
        if (session != nullptr) {
            TRY_ASSIGN(const bool found, sessions_.rewrite(*session, row.id, row.created_at,
                                                           stays ? std::optional(words) : std::nullopt, unit));
            is_there = found && stays;
        }
    }
    return is_there ? base::Result<void>{} : show(row, "Belfry", unit);
}

// Leaves the quiet record in the conversation, of what is no agent's to say first.
base::Result<void> Ledger::show(const model::Notification& notification, const std::string& source, Unit& unit) {
    if (!has_record(notification)) return {};
    TRY_ASSIGN(model::Session* const session, sessions_.find(notification.scope.session_id, unit));
    if (session == nullptr) return {};
    model::SystemMessage message;
    message.source = source;
    message.content = notification.content;
    message.text = notification.text;
    message.timestamp = unit.now;
    message.severity = model::severity_name(notification.severity);
    message.notification_id = notification.id.uuid;
    // What agents are told of in passing stands where it came; what the person is to see, before what the agent says.
    const bool is_alert = rules::route(notification).to_interface;
    using Standing = SessionBook::Standing;
    return sessions_.add(*session, std::move(message), is_alert ? Standing::before_output : Standing::here, unit);
}

base::Result<void> Ledger::make_room(const std::string& key, std::vector<NewNotification*>& arrivals, Unit& unit) {
    counted_ = true;
    const model::Scope scope = arrivals.front()->notification.scope;
    if (queues_.size() > queues_max) queues_.clear();
    const auto [at, is_new] = queues_.try_emplace(key);
    if (is_new) {
        TRY_ASSIGN(at->second, unit.store.notifications().count_open(scope));
    }
    std::int64_t& open = at->second;
    for (const NewNotification* arrival : arrivals) open += model::rows_of(arrival->notification);
    if (open <= room_) return {};

    // The least severe goes first, of those the oldest: what is stored is older than what arrives.
    Overload overload;
    std::ranges::sort(arrivals, {}, [](const NewNotification* one) {
        return std::pair(one->notification.severity, one->notification.ordinal);
    });
    std::size_t next = 0;
    while (open > room_) {
        TRY_ASSIGN(auto stored, unit.store.notifications().least(scope, model::Severity::error));
        while (next < arrivals.size() && !may_give_way(arrivals[next]->notification)) ++next;
        const bool has_arrival = next < arrivals.size();
        if (!stored && !has_arrival) break;
        const bool take_stored = stored && (!has_arrival || stored->severity <= arrivals[next]->notification.severity);
        model::Notification& victim = take_stored ? *stored : arrivals[next]->notification;
        overload.add(victim);
        open -= model::rows_of(victim);
        ++gave_way_;
        if (!take_stored) {
            arrivals[next++]->gives_way = true;  // it is written as what it came to, for whoever asks after it
            continue;
        }
        rules::Steps steps;
        rules::give_way(victim, unit.now, steps);
        TRY_ASSIGN(const bool held, unit.store.notifications().update(victim, victim.lease));
        if (!held) return lost_row();
        note(std::move(steps));
    }
    return overload.is_empty() ? base::Result<void>{} : say_what_gave_way(scope, std::move(overload), unit);
}

// One summary waits in a queue at the most: it grows.
base::Result<void> Ledger::say_what_gave_way(const model::Scope& scope, Overload overload, Unit& unit) {
    TRY_ASSIGN(auto before, unit.store.notifications().newest_pending(scope, model::overload_subscriber));
    if (before) {
        overload.add_from(before->content);
        overload.write(*before);
        ++before->version;
        TRY_ASSIGN(const bool held, unit.store.notifications().update(*before, before->lease));
        return held ? base::Result<void>{} : lost_row();
    }
    model::Notification summary;
    overload.write(summary);
    summary.id = model::NotificationId{base::make_uuid7(unit.now, unit.random.next(), unit.random.next())};
    summary.ordinal = next_ordinal_++;
    summary.created_at = unit.now;
    summary.scope = scope;
    summary.address = scope.session_id.empty() ? model::Address::user : model::Address::session;
    rules::Steps steps;
    rules::born(summary, {}, steps);
    note(std::move(steps));
    note_deadline(summary);
    ++made_;
    queues_[model::queue_of(scope)] += model::rows_of(summary);  // it is counted out again when it ends
    TRY(unit.store.notifications().insert(std::span(&summary, 1)));
    return {};
}

// It has come into its queue, or has left it.
void Ledger::count(const model::Notification& notification, int sign) {
    counted_ = true;
    const auto at = queues_.find(model::queue_of(notification.scope));
    if (at != queues_.end()) at->second += sign * model::rows_of(notification);
}

void Ledger::committed(Effects& effects) {
    effects.figures.notifications_made += made_;
    effects.figures.notifications_gave_way += gave_way_;
    effects.deliveries.insert(effects.deliveries.end(), deliveries_.begin(), deliveries_.end());
    if (pending_deadline_.first) next_deadline_ = pending_deadline_.second;
    if (new_deadline_) next_deadline_ = next_deadline_ ? std::min(*next_deadline_, *new_deadline_) : *new_deadline_;
    forget();
}

void Ledger::dropped() {
    if (counted_) queues_.clear();
    forget();
}

void Ledger::forget() {
    added_.clear();
    steps_.clear();
    pending_deadline_ = {};
    new_deadline_.reset();
    counted_ = false;
    deliveries_.clear();
    moves_.clear();
    made_ = gave_way_ = 0;
}

}  // namespace belfry::engine
