#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.hpp"
#include "base/uuid.hpp"
#include "model/event.hpp"
#include "model/log.hpp"
#include "model/raw_json.hpp"
#include "model/severity.hpp"
#include "model/subscriber.hpp"

namespace belfry::model {

using NotificationId = base::Id<struct NotificationTag>;

// Open until `delivered` or `failed`, which never change.
enum class DeliveryState : std::uint8_t { pending, dispatched, locked, escalated, delivered, failed };
std::string_view delivery_state_name(DeliveryState state);
std::optional<DeliveryState> parse_delivery_state(std::string_view name);
inline bool is_terminal(DeliveryState state) {
    return state == DeliveryState::delivered || state == DeliveryState::failed;
}

// Whose it is and where it belongs; empty parts are absent.
struct Scope {
    std::string user_id;
    std::string session_id;
    std::string agent_id;

    auto operator<=>(const Scope&) const = default;
};

// One row of a notification: an event, and how often it was said again.
struct NotifiedEvent {
    EventId id;
    Sequence sequence = 0;
    std::int64_t count = 1;
    std::string dedupe_key;  // under which repeats were, and for a while still are, folded into it

    bool operator==(const NotifiedEvent&) const = default;
};

// The three ways to a reader: A the inbox, B the conversation, C the agent's context.
enum class Channel : std::uint8_t { inbox, conversation, context };
std::string_view channel_name(Channel channel);

// What a person has done with it. Never goes back.
enum class ReadMark : std::uint8_t { seen, acted, dismissed };
std::string_view read_mark_name(ReadMark mark);
std::optional<ReadMark> parse_read_mark(std::string_view name);

// How far the user knows a notification. Of one version the status only rises.
enum class FactStatus : std::uint8_t {
    none,       // the user was not shown it
    shown,      // sent to an interface that was connected, or rung by a sink
    escalated,  // the same, and the system shows it because the agent was silent
    seen,       // acknowledged by an interface, or marked as read
};

// Belfry tells the agents of the user this about a notification. A fact is local to a ledger and does not sync.
struct Fact {
    std::int64_t number = 0;   // rises in the ledger with every change of a fact; 0: there is nothing to tell
    std::int64_t version = 0;  // of the content that the user was shown
    FactStatus status = FactStatus::none;
    base::Timestamp at;  // of the last change

    bool operator==(const Fact&) const = default;
};

// The subscriber in whose name Belfry tells what gave way in a full queue; no file may take it.
inline constexpr std::string_view overload_subscriber = "overload";

// A message ready for a reader.
struct Notification {
    NotificationId id;
    std::int64_t ordinal = 0;  // rises with every notification of this ledger: first in, first out
    Scope scope;
    std::string subscriber_id;
    Priority priority = Priority::normal;
    InjectAt inject_at = InjectAt::turn_start;
    Severity severity = Severity::info;  // the greatest of its events
    Address address = Address::session;
    Target target = Target::agent;
    Handler handler = Handler::system;
    std::string content;  // TOON
    std::string text;     // for people
    std::string directive;
    std::vector<NotifiedEvent> events;
    bool follow_up = false;         // says how often what was said before happened again; starts no dedupe window
    std::int64_t model_tokens = 0;  // that the content takes, estimated
    std::int64_t version = 1;       // of the content
    base::Timestamp created_at;

    DeliveryState state = DeliveryState::pending;
    std::string outcome;  // why it ended as it did: `overload`, `summarised`; empty: as it should
    std::optional<base::Timestamp> ended_at;
    std::string handed_to;    // the session whose agent has it, or had it last
    std::int64_t handle = 0;  // `n7` there; 0: not handed over yet
    std::int64_t lease = 1;   // fence, +1 at each take-over
    std::string holder;       // who has it
    std::optional<base::Timestamp> lease_until;
    std::optional<base::Uuid> pull_id;  // the hand-over that it went out with last
    std::int64_t passed_over = 0;       // hand-overs at which it was due and did not fit

    std::string emitter;            // who emitted it directly; empty: a subscriber made it
    std::string deduplication_key;  // the emitter's; empty: none
    std::string tone_hint;
    RawJson metadata;                             // the emitter's, goes along to readers
    base::Duration ttl;                           // how long it waits for an agent; zero: as its kind does
    std::optional<base::Timestamp> deadline;      // when the watchdog has to look at it
    std::optional<base::Timestamp> deadline_max;  // beyond which updates cannot move it
    std::int64_t depth = 0;                       // how many notifications caused one another before it
    std::optional<NotificationId> caused_by;
    std::optional<NotificationId> follows;   // the locked one whose update it is
    std::optional<NotificationId> retry_of;  // the dead letter that is sent again with it
    std::string narration;  // the agent's own text; the notification is open until an interface has shown it
    std::vector<std::string> used_tools;         // EXTERNAL tools that an agent used for it, in the order of use
    std::optional<base::Timestamp> answered_at;  // when a model acknowledged it without having told the user
    std::optional<base::Timestamp> seen_at;
    std::optional<base::Timestamp> acted_at;
    std::optional<base::Timestamp> dismissed_at;
    Fact fact;

    bool operator==(const Notification&) const = default;
};

// The queue of an agent that what is meant for it waits in: its session's, or its user's where there is no session.
inline std::string queue_of(const Scope& scope) {
    return scope.session_id.empty() ? "u" + scope.user_id : "s" + scope.session_id;
}

// The room that it takes in a queue: a row for each event of it, and at least one.
inline std::int64_t rows_of(const Notification& notification) {
    return std::max<std::int64_t>(1, static_cast<std::int64_t>(notification.events.size()));
}

// What chooses its way: where it lives, whom it is for, who speaks.
struct Axes {
    Address address = Address::session;
    Target target = Target::agent;
    Handler handler = Handler::system;

    bool operator==(const Axes&) const = default;
};
inline Axes axes_of(const Notification& one) {
    return {one.address, one.target, one.handler};
}

// One step of a notification's way, as it is audited.
struct Transition {
    NotificationId notification;
    std::int64_t ordinal = 0;  // rises in the ledger
    base::Timestamp at;
    DeliveryState from = DeliveryState::pending;
    DeliveryState to = DeliveryState::pending;
    std::int64_t lease = 0;  // after it
    std::string holder;      // who did it, or has it now
    std::string reason;      // emitted, dispatched, claimed, acknowledged_by_model, lease_expired, ttl, silence, …
    std::optional<Axes> routing = {};  // of its birth: what was asked for, before anything gave it another way

    bool operator==(const Transition&) const = default;
};

// Events that wait to leave with their subscriber's batch, and repeats that wait for the end of their dedupe window:
// one row of the store. What a crash leaves behind is built anew from these.
enum class WaitingKind : std::uint8_t { row, repeat };
struct WaitingRow {
    std::int64_t ordinal = 0;  // its key, rising
    std::string subscriber_id;
    Scope scope;
    WaitingKind kind = WaitingKind::row;
    std::string dedupe_key;
    std::int64_t count = 1;
    EventId event_id;
    Sequence sequence = 0;
    Severity severity = Severity::info;
    base::Timestamp due_at;         // of its batch, or of its window's end
    std::string event_json;         // as readers of the log get it
    std::int64_t stored_count = 0;  // what the store says; 0: it has no such row yet. Of the owner's memory, not stored

    bool operator==(const WaitingRow&) const = default;
};

}  // namespace belfry::model
