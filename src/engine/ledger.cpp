#include "engine/ledger.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "base/limits.hpp"
#include "engine/overload.hpp"

namespace belfry::engine {
namespace {

namespace limits = base::limits;
constexpr std::size_t queues_max = 10'000;

// Where a notification waits for an agent: in its session, or with its user.
std::string queue_of(const model::Scope& scope) {
    return scope.session_id.empty() ? "u" + scope.user_id : "s" + scope.session_id;
}

std::int64_t rows_of(const model::Notification& notification) {
    return static_cast<std::int64_t>(notification.events.size());
}

bool gives_way(const model::Notification& notification) {
    return notification.target == model::Target::agent && notification.severity < model::Severity::error &&
           notification.subscriber_id != model::overload_subscriber;
}

}  // namespace

base::Result<void> Ledger::rebuild(Unit& unit) {
    dropped();
    queues_.clear();
    TRY_ASSIGN(next_ordinal_, unit.store.notifications().next_ordinal());
    return {};
}

base::Result<void> Ledger::apply(ports::Command&, Unit&) {
    return {};
}

void Ledger::add(NewNotification added, Unit& unit) {
    model::Notification& notification = added.notification;
    notification.id = model::NotificationId{base::make_uuid7(unit.now, unit.random.next(), unit.random.next())};
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
        if (one.notification.target == model::Target::agent) by_queue[queue_of(one.notification.scope)].push_back(&one);
    }
    for (auto& [key, arrivals] : by_queue) TRY(make_room(key, arrivals, unit));

    std::vector<model::Notification> rows;
    rows.reserve(added.size());
    for (NewNotification& one : added) {
        if (one.notification.state == model::DeliveryState::failed) continue;  // had to give way before it was written
        TRY(show(one, unit));
        rows.push_back(std::move(one.notification));
    }
    made_ += rows.size();
    return rows.empty() ? base::Result<void>{} : unit.store.notifications().insert(rows);
}

// Finds the session and the user that a notification belongs to. Another user's event stays out of a session.
base::Result<void> Ledger::house(NewNotification& added, Unit& unit) {
    model::Notification& notification = added.notification;
    if (notification.scope.user_id.empty()) notification.scope.user_id = owner_;
    if (notification.scope.session_id.empty()) {
        notification.address = model::Address::user;
        return {};
    }
    const std::string& user = notification.scope.user_id;
    TRY_ASSIGN(model::Session* const session,
               sessions_.find_or_make(notification.scope.session_id, user, user == owner_, unit));
    if (session->user_id == user) return {};
    if (session->user_is_default) {
        session->user_id = user;
        session->user_is_default = false;
        sessions_.touch(*session);
        return {};
    }
    notification.scope.session_id.clear();
    notification.address = model::Address::user;
    return {};
}

// Leaves the quiet record in the conversation.
base::Result<void> Ledger::show(const NewNotification& added, Unit& unit) {
    const model::Notification& notification = added.notification;
    if (!added.visible || notification.scope.session_id.empty()) return {};
    TRY_ASSIGN(model::Session* const session, sessions_.find(notification.scope.session_id, unit));
    if (session == nullptr) return {};
    model::SystemMessage message;
    message.source = added.source;
    message.content = notification.content;
    message.text = notification.text;
    message.timestamp = unit.now;
    message.severity = model::severity_name(notification.severity);
    message.notification_id = notification.id.uuid;
    return sessions_.add(*session, std::move(message), unit);
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
    for (const NewNotification* arrival : arrivals) open += rows_of(arrival->notification);
    constexpr auto room = static_cast<std::int64_t>(limits::waiting_per_scope_max);
    if (open <= room) return {};

    // The least severe goes first, of those the oldest: what is stored is older than what arrives.
    Overload overload;
    std::ranges::sort(arrivals, {}, [](const NewNotification* one) {
        return std::pair(one->notification.severity, one->notification.ordinal);
    });
    std::size_t next = 0;
    while (open > room) {
        TRY_ASSIGN(auto stored, unit.store.notifications().least(scope, model::Severity::error));
        while (next < arrivals.size() && !gives_way(arrivals[next]->notification)) ++next;
        const bool has_arrival = next < arrivals.size();
        if (!stored && !has_arrival) break;
        const bool take_stored = stored && (!has_arrival || stored->severity <= arrivals[next]->notification.severity);
        model::Notification& victim = take_stored ? *stored : arrivals[next++]->notification;
        overload.add(victim);
        open -= rows_of(victim);
        ++gave_way_;
        victim.state = model::DeliveryState::failed;
        victim.outcome = "overload";
        victim.ended_at = unit.now;
        if (take_stored) TRY(unit.store.notifications().update(victim, victim.lease));
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
        TRY(unit.store.notifications().update(*before, before->lease));
        return {};
    }
    model::Notification summary;
    overload.write(summary);
    summary.id = model::NotificationId{base::make_uuid7(unit.now, unit.random.next(), unit.random.next())};
    summary.ordinal = next_ordinal_++;
    summary.created_at = unit.now;
    summary.scope = scope;
    summary.address = scope.session_id.empty() ? model::Address::user : model::Address::session;
    ++made_;
    queues_[queue_of(scope)] += rows_of(summary);  // it is counted out again when it ends
    TRY(unit.store.notifications().insert(std::span(&summary, 1)));
    return {};
}

void Ledger::ended(const model::Notification& notification) {
    counted_ = true;
    const auto at = queues_.find(queue_of(notification.scope));
    if (at != queues_.end()) at->second -= rows_of(notification);
}

void Ledger::committed(Effects& effects) {
    effects.figures.notifications_made += made_;
    effects.figures.notifications_gave_way += gave_way_;
    counted_ = false;
    made_ = gave_way_ = 0;
}

void Ledger::dropped() {
    added_.clear();
    if (counted_) queues_.clear();
    counted_ = false;
    made_ = gave_way_ = 0;
}

}  // namespace belfry::engine
