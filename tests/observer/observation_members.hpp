#pragma once

#include "observation.hpp"
#include "observation_members_devices.hpp"

namespace observer {

// ---- members by name, for the JSONL form ----------------------------------------------------------------------------
// list_members(object, visitor) calls visitor("name", member) for every member. Reader and writer share it.

template <class V>
void list_members(Answer& o, V&& v) {
    v("status", o.status), v("reason", o.reason);
}
template <class V>
void list_members(ItemName& o, V&& v) {
    v("id", o.id), v("lease", o.lease), v("version", o.version);
}
template <class V>
void list_members(Emitted& o, V&& v) {
    v("caller", o.caller), v("role", o.role), v("user", o.user), v("session", o.session), v("agent", o.agent);
    v("routing", o.routing), v("mark", o.mark), v("text", o.text), v("priority", o.priority);
    v("deduplication_key", o.deduplication_key), v("lease", o.lease), v("idempotency_key", o.idempotency_key);
    v("caused_by", o.caused_by), v("ttl_ms", o.ttl_ms), v("answer", o.answer), v("id", o.id), v("version", o.version);
}
template <class V>
void list_members(EventEmitted& o, V&& v) {
    v("caller", o.caller), v("role", o.role), v("type", o.type), v("source", o.source), v("severity", o.severity);
    v("user", o.user), v("session", o.session), v("mark", o.mark), v("idempotency_key", o.idempotency_key);
    v("expect", o.expect), v("answer", o.answer), v("id", o.id);
}
template <class V>
void list_members(MessagePosted& o, V&& v) {
    v("caller", o.caller), v("user", o.user), v("session", o.session), v("role", o.role), v("mark", o.mark);
    v("text", o.text), v("answer", o.answer), v("id", o.id), v("way", o.way);
}
template <class V>
void list_members(SessionMade& o, V&& v) {
    v("session", o.session), v("user", o.user), v("answer", o.answer);
}
template <class V>
void list_members(SessionDeleted& o, V&& v) {
    v("session", o.session), v("user", o.user), v("answer", o.answer);
}
template <class V>
void list_members(UserErased& o, V&& v) {
    v("user", o.user), v("answer", o.answer);
}
template <class V>
void list_members(AgentMade& o, V&& v) {
    v("agent", o.agent), v("user", o.user), v("workflow", o.workflow), v("mark", o.mark), v("tells", o.tells);
    v("repeats_given", o.repeats_given), v("answer", o.answer);
}
template <class V>
void list_members(Connected& o, V&& v) {
    v("connection", o.connection), v("user", o.user), v("transport", o.transport), v("answer", o.answer);
}
template <class V>
void list_members(Disconnected& o, V&& v) {
    v("connection", o.connection), v("by_daemon", o.by_daemon);
}
template <class V>
void list_members(Shown& o, V&& v) {
    v("connection", o.connection), v("user", o.user), v("id", o.id), v("lease", o.lease), v("version", o.version);
    v("session", o.session), v("channel", o.channel), v("routing", o.routing), v("narration", o.narration);
    v("text", o.text), v("content", o.content), v("state", o.state), v("created_at", o.created_at);
}
template <class V>
void list_members(CaughtUp& o, V&& v) {
    v("connection", o.connection), v("waiting", o.waiting);
}
template <class V>
void list_members(StateShown& o, V&& v) {
    v("connection", o.connection), v("id", o.id), v("state", o.state);
}
template <class V>
void list_members(Acked& o, V&& v) {
    v("connection", o.connection), v("user", o.user), v("id", o.id), v("lease", o.lease), v("version", o.version);
    v("answer", o.answer);
}
template <class V>
void list_members(MarkedRead& o, V&& v) {
    v("user", o.user), v("id", o.id), v("mark", o.mark), v("answer", o.answer);
}
template <class V>
void list_members(SinkMade& o, V&& v) {
    v("sink", o.sink), v("user", o.user);
}
template <class V>
void list_members(HistoryRead& o, V&& v) {
    v("session", o.session), v("marks", o.marks);
}
template <class V>
void list_members(Rang& o, V&& v) {
    v("sink", o.sink), v("user", o.user), v("id", o.id), v("version", o.version), v("lease", o.lease),
        v("text", o.text);
}
template <class V>
void list_members(Listed& o, V&& v) {
    v("user", o.user), v("id", o.id), v("text", o.text), v("state", o.state), v("unread", o.unread);
}
template <class V>
void list_members(PulledItem& o, V&& v) {
    v("handle", o.handle), v("id", o.id), v("lease", o.lease), v("version", o.version), v("again", o.again);
    v("needs_answer", o.needs_answer), v("must_tell", o.must_tell), v("text", o.text), v("content", o.content);
    v("prompt_must_tell", o.prompt_must_tell), v("stands_for", o.stands_for);
}
template <class V>
void list_members(SeenFact& o, V&& v) {
    v("id", o.id), v("version", o.version), v("status", o.status), v("text", o.text);
}
template <class V>
void list_members(PulledMessage& o, V&& v) {
    v("id", o.id), v("text", o.text);
}
template <class V>
void list_members(Pulled& o, V&& v) {
    v("runtime", o.runtime), v("token", o.token), v("user", o.user), v("session", o.session), v("point", o.point);
    v("budget_tokens", o.budget_tokens), v("lease_ms", o.lease_ms), v("named_pull", o.named_pull),
        v("answer", o.answer);
    v("pull_id", o.pull_id), v("items", o.items), v("seen", o.seen), v("facts_left", o.facts_left),
        v("digest", o.digest);
    v("user_messages", o.user_messages), v("waiting", o.waiting), v("prompt", o.prompt), v("used", o.used);
}
template <class V>
void list_members(TurnStarted& o, V&& v) {
    v("runtime", o.runtime), v("token", o.token), v("session", o.session), v("answer", o.answer);
}
template <class V>
void list_members(TurnEnded& o, V&& v) {
    v("runtime", o.runtime), v("token", o.token), v("session", o.session), v("pull_id", o.pull_id),
        v("leases", o.leases);
    v("acknowledged", o.acknowledged), v("only_named", o.only_named), v("answer", o.answer), v("untold", o.untold),
        v("stale", o.stale);
}
template <class V>
void list_members(Acknowledged& o, V&& v) {
    v("runtime", o.runtime), v("token", o.token), v("session", o.session), v("pull_id", o.pull_id), v("items", o.items);
    v("answer", o.answer), v("untold", o.untold);
}
template <class V>
void list_members(Narrated& o, V&& v) {
    v("runtime", o.runtime), v("token", o.token), v("session", o.session), v("item", o.item), v("pull_id", o.pull_id);
    v("mark", o.mark), v("text", o.text), v("answer", o.answer);
}
template <class V>
void list_members(Heartbeat& o, V&& v) {
    v("runtime", o.runtime), v("token", o.token), v("session", o.session), v("pull_id", o.pull_id),
        v("leases", o.leases);
    v("answer", o.answer), v("renewed", o.renewed);
}
template <class V>
void list_members(ToolCalled& o, V&& v) {
    v("runtime", o.runtime), v("token", o.token), v("user", o.user), v("session", o.session), v("tool", o.tool);
    v("external", o.external), v("status", o.status), v("by_belfry", o.by_belfry), v("handling", o.handling);
    v("pull_id", o.pull_id), v("answer", o.answer);
}
template <class V>
void list_members(FollowedAgent& o, V&& v) {
    v("follower", o.follower), v("user", o.user), v("answer", o.answer);
}
template <class V>
void list_members(TurnRequested& o, V&& v) {
    v("follower", o.follower), v("user", o.user), v("session", o.session), v("agent", o.agent), v("id", o.id);
    v("reason", o.reason);
}
template <class V>
void list_members(Unfollowed& o, V&& v) {
    v("follower", o.follower);
}
template <class V>
void list_members(WhySaid& o, V&& v) {
    v("id", o.id), v("user", o.user), v("state", o.state), v("reason", o.reason), v("reasons", o.reasons);
    v("text", o.text), v("version", o.version);
}
template <class V>
void list_members(Crashed& o, V&& v) {
    v("node", o.node);
}
template <class V>
void list_members(Restarted& o, V&& v) {
    v("node", o.node);
}
template <class V>
void list_members(ClockStepped& o, V&& v) {
    v("by_ms", o.by_ms);
}
template <class V>
void list_members(Quiet&, V&&) {}
template <class V>
void list_members(RecordRead& o, V&& v) {
    v("caller", o.caller), v("role", o.role), v("user", o.user), v("path", o.path), v("mark", o.mark);
    v("answer", o.answer), v("text", o.text);
}
template <class V>
void list_members(SubscriberMade& o, V&& v) {
    v("subscriber", o.subscriber), v("type", o.type), v("priority", o.priority), v("max_size", o.max_size);
}
template <class V>
void list_members(SubscriberSwitched& o, V&& v) {
    v("caller", o.caller), v("user", o.user), v("subscriber", o.subscriber), v("enabled", o.enabled);
    v("answer", o.answer);
}
template <class V>
void list_members(SettingsRead& o, V&& v) {
    v("user", o.user), v("disabled", o.disabled), v("answer", o.answer);
}
template <class V>
void list_members(ParameterSent& o, V&& v) {
    v("caller", o.caller), v("method", o.method), v("path", o.path), v("parameter", o.parameter);
    v("answer", o.answer), v("field", o.field);
}
template <class V>
void list_members(KeySent& o, V&& v) {
    v("caller", o.caller), v("path", o.path), v("key", o.key), v("takes_key", o.takes_key), v("body", o.body);
    v("mark", o.mark), v("answer", o.answer), v("made", o.made);
}
template <class V>
void list_members(RecordsCounted& o, V&& v) {
    v("what", o.what), v("mark", o.mark), v("ids", o.ids);
}
template <class V>
void list_members(TimeSent& o, V&& v) {
    v("caller", o.caller), v("way", o.way), v("text", o.text), v("meant_us", o.meant_us), v("answer", o.answer);
    v("field", o.field), v("read_us", o.read_us);
}
template <class V>
void list_members(DevStarted& o, V&& v) {
    v("sinks", o.sinks), v("subscribers", o.subscribers);
}
template <class V>
void list_members(DevListed& o, V&& v) {
    v("subscribers", o.subscribers), v("answer", o.answer);
}

}  // namespace observer
