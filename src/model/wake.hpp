#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.hpp"
#include "base/uuid.hpp"
#include "model/agent.hpp"
#include "model/raw_json.hpp"
#include "model/run.hpp"
#include "model/severity.hpp"

// What wakes an agent: its rules for being woken, the signals that they let through, and the jobs that come of them.
namespace belfry::model {

using SubscriptionId = base::Id<struct SubscriptionTag>;

// An agent's rule for being woken: by events, or by changes of records. A rule of events has types; one of changes has
// tokens. The predicate is asked last, of the event or of the changed records.
struct WakeSubscription {
    SubscriptionId id;
    std::string agent_id;
    bool active = true;
    std::vector<std::string> types;       // event types and patterns: `ci.*`
    Severity severity = Severity::debug;  // at least
    std::vector<std::string> sources;     // of events; empty: any
    std::vector<std::string> tokens;      // of changes, as text: `key:agentChanged`
    std::string predicate;                // empty: none
    base::Duration window;                // from the first signal to the run
    bool synced = false;                  // changes that came from another device, too
    std::int64_t priority = 0;            // of the job; the larger runs first
    base::Timestamp created_at;
    base::Timestamp updated_at;

    bool operator==(const WakeSubscription&) const = default;
};

enum class WakeReason : std::uint8_t { subscription, timer, user_initiated, recovery_catchup, manual };
std::string_view wake_reason_name(WakeReason reason);
std::optional<WakeReason> parse_wake_reason(std::string_view name);

// Queued and running; the others are ends, which never change. `no_turn`: it ran, and what it was to acknowledge was
// not. sleeping, dormant, destroyed, refused: what the agent was, or its mode, when its time came. `not_needed`: what
// it was for had been seen to by then.
enum class WakeState : std::uint8_t {
    queued,
    running,
    completed,
    failed,
    cancelled,
    coalesced,
    no_turn,
    sleeping,
    dormant,
    destroyed,
    refused,
    not_needed,
};
std::string_view wake_state_name(WakeState state);
std::optional<WakeState> parse_wake_state(std::string_view name);
[[nodiscard]] constexpr bool is_ended(WakeState state) {
    return state >= WakeState::completed;
}

using WakeId = std::int64_t;  // 1, 2, 3 …; 0: none

// A job that starts a run, and after its end the record that it was one.
struct Wake {
    WakeId id = 0;
    std::string run_key;  // deterministic: the same cause has the same key, on every device and after every crash
    std::string agent_id;
    std::string user_id;  // the agent's
    WakeReason reason = WakeReason::manual;
    std::string reason_id;  // of the subscription or timer, the request or turn
    bool catch_up = false;  // of a timer whose time was missed
    std::string thread_id;
    std::string session_id;  // empty: none
    RawJson input;           // of a manual or a person's one: what it was given
    WakeState state = WakeState::queued;
    std::int64_t priority = 0;
    base::Timestamp due_at;     // when it may run; of one that waits after a failure, when again
    std::int64_t signals = 0;   // that it carries
    std::int64_t attempts = 0;  // that were begun
    std::string holder;         // of a running one: who has claimed it
    std::int64_t fence = 0;     // rises with each claim
    std::optional<base::Timestamp> lease_until;
    std::optional<base::Timestamp> deadline;  // of the attempt: then it has hung
    RunId run_id = 0;                         // 0: it has not run yet
    WakeId coalesced_into = 0;
    std::optional<RunError> error;  // of the last attempt
    base::Timestamp created_at;
    std::optional<base::Timestamp> started_at;  // the first attempt
    std::optional<base::Timestamp> ended_at;

    bool operator==(const Wake&) const = default;
};

// Why a job is there, one row a cause.
enum class SignalKind : std::uint8_t { event, change, timer, user, manual, notification };
std::string_view signal_kind_name(SignalKind kind);

struct WakeSignal {
    WakeId wake_id = 0;
    std::int64_t ordinal = 0;  // 1, 2, … in its wake
    SignalKind kind = SignalKind::event;
    std::string key;   // the event's id, the batch of changes, the instant, the request, the notification's id
    std::string rule;  // the subscription or timer that let it through; empty: none
    RawJson body;      // the event as readers get it, or what there is to know
    base::Timestamp came_at;

    bool operator==(const WakeSignal&) const = default;
};

// `{"id":…,"agent_id":…,…}`, into a writer of somebody else.
void append_wake_subscription(JsonWriter& writer, const WakeSubscription& subscription);
void append_wake(JsonWriter& writer, const Wake& wake);
void append_wake_signal(JsonWriter& writer, const WakeSignal& signal);

// The part of a subscription that is kept as JSON.
void append_wake_rule(JsonWriter& writer, const WakeSubscription& subscription);
void read_wake_rule(JsonView json, WakeSubscription& subscription);

}  // namespace belfry::model
