#include "model/wake.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "model/record_json.hpp"

namespace belfry::model {
namespace {

constexpr std::array<std::string_view, 5> reasons{"subscription", "timer", "user_initiated", "recovery_catchup",
                                                  "manual"};
constexpr std::array<std::string_view, 12> states{"queued",    "running",   "completed", "failed",
                                                  "cancelled", "coalesced", "no_turn",   "sleeping",
                                                  "dormant",   "destroyed", "refused",   "not_needed"};
constexpr std::array<std::string_view, 6> signal_kinds{"event", "change", "timer", "user", "manual", "notification"};

void append_number(JsonWriter& writer, std::string_view name, std::int64_t number) {
    writer.name(name);
    number == 0 ? writer.null() : writer.number(number);
}

std::int64_t number_of(JsonView json, std::string_view name) {
    std::int64_t number = 0;
    if (const auto member = json.member(name)) {
        std::from_chars(member->text.data(), member->text.data() + member->text.size(), number);
    }
    return number;
}

void append_rule_members(JsonWriter& writer, const WakeSubscription& subscription) {
    writer.name("types");
    append_text_list(writer, subscription.types);
    writer.field("severity", severity_name(subscription.severity)).name("sources");
    append_text_list(writer, subscription.sources);
    writer.name("tokens");
    append_text_list(writer, subscription.tokens);
    append_text(writer, "predicate", subscription.predicate);
    writer.field("window_ms", subscription.window.us / 1000).name("synced").boolean(subscription.synced);
    writer.field("priority", subscription.priority);
}

}  // namespace

std::string_view wake_reason_name(WakeReason reason) {
    return reasons[static_cast<std::size_t>(reason)];
}
std::optional<WakeReason> parse_wake_reason(std::string_view name) {
    return parse_choice<WakeReason>(reasons, name);
}
std::string_view wake_state_name(WakeState state) {
    return states[static_cast<std::size_t>(state)];
}
std::optional<WakeState> parse_wake_state(std::string_view name) {
    return parse_choice<WakeState>(states, name);
}
std::string_view signal_kind_name(SignalKind kind) {
    return signal_kinds[static_cast<std::size_t>(kind)];
}

void append_wake_subscription(JsonWriter& writer, const WakeSubscription& subscription) {
    writer.begin_object().field("id", base::format_uuid(subscription.id.uuid));
    writer.field("agent_id", subscription.agent_id).name("active").boolean(subscription.active);
    append_rule_members(writer, subscription);
    writer.field("created_at", base::format_timestamp(subscription.created_at));
    writer.field("updated_at", base::format_timestamp(subscription.updated_at)).end_object();
}

void append_wake_rule(JsonWriter& writer, const WakeSubscription& subscription) {
    writer.begin_object();
    append_rule_members(writer, subscription);
    writer.end_object();
}

void read_wake_rule(JsonView json, WakeSubscription& subscription) {
    const auto list = [&](std::string_view name) {
        const auto member = json.member(name);
        return member ? text_list_of(*member) : std::vector<std::string>();
    };
    subscription.types = list("types");
    subscription.sources = list("sources");
    subscription.tokens = list("tokens");
    if (const auto severity = json.member("severity")) {
        subscription.severity = parse_severity(severity->as_text()).value_or(Severity::debug);
    }
    if (const auto predicate = json.member("predicate"); predicate && predicate->kind() == JsonKind::string) {
        subscription.predicate = predicate->as_text();
    }
    subscription.window = base::milliseconds(number_of(json, "window_ms"));
    if (const auto synced = json.member("synced")) subscription.synced = synced->text == "true";
    subscription.priority = number_of(json, "priority");
}

void append_wake(JsonWriter& writer, const Wake& wake) {
    writer.begin_object().field("id", wake.id).field("run_key", wake.run_key).field("agent_id", wake.agent_id);
    writer.field("user_id", wake.user_id).field("reason", wake_reason_name(wake.reason));
    append_text(writer, "reason_id", wake.reason_id);
    writer.name("timer_catchup").boolean(wake.catch_up).field("thread_id", wake.thread_id);
    append_text(writer, "session_id", wake.session_id);
    writer.name("input").raw(wake.input.bytes()).field("state", wake_state_name(wake.state));
    writer.field("priority", wake.priority).field("due_at", base::format_timestamp(wake.due_at));
    writer.field("signals", wake.signals).field("attempts", wake.attempts);
    append_text(writer, "holder", wake.holder);
    writer.field("fence", wake.fence);
    append_time(writer, "lease_until", wake.lease_until);
    append_time(writer, "deadline", wake.deadline);
    append_number(writer, "run_id", wake.run_id);
    append_number(writer, "coalesced_into", wake.coalesced_into);
    writer.name("error");
    if (wake.error) {
        writer.begin_object().field("type", wake.error->type).field("message", wake.error->message).end_object();
    } else {
        writer.null();
    }
    writer.field("created_at", base::format_timestamp(wake.created_at));
    append_time(writer, "started_at", wake.started_at);
    append_time(writer, "ended_at", wake.ended_at);
    writer.end_object();
}

void append_wake_signal(JsonWriter& writer, const WakeSignal& signal) {
    writer.begin_object().field("kind", signal_kind_name(signal.kind)).field("key", signal.key);
    append_text(writer, "rule", signal.rule);
    writer.name("body").raw(signal.body.bytes()).field("came_at", base::format_timestamp(signal.came_at)).end_object();
}

}  // namespace belfry::model
