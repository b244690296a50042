#pragma once

#include "observation_devices.hpp"

// The members of the observations of devices by name, for the JSONL form (see observation_members.hpp).
namespace observer {

template <class V>
void list_members(Links& o, V&& v) {
    v("state", o.state), v("devices", o.devices);
}
template <class V>
void list_members(DevicesMet& o, V&& v) {
    v("devices", o.devices), v("is_settled", o.is_settled), v("waited_ms", o.waited_ms);
}
template <class V>
void list_members(DeviceClock& o, V&& v) {
    v("device", o.device), v("offset_ms", o.offset_ms);
}
template <class V>
void list_members(Stalled&, V&&) {}
template <class V>
void list_members(DigestsRead& o, V&& v) {
    v("devices", o.devices), v("digests", o.digests), v("waited_ms", o.waited_ms);
}
template <class V>
void list_members(AgentDestroyed& o, V&& v) {
    v("device", o.device), v("agent", o.agent), v("answer", o.answer);
}
template <class V>
void list_members(AgentRead& o, V&& v) {
    v("device", o.device), v("agent", o.agent), v("lifecycle", o.lifecycle), v("answer", o.answer);
}
template <class V>
void list_members(AgentWoken& o, V&& v) {
    v("device", o.device), v("agent", o.agent), v("state", o.state), v("answer", o.answer);
}
template <class V>
void list_members(TimerMade& o, V&& v) {
    v("device", o.device), v("agent", o.agent), v("timer", o.timer), v("period_ms", o.period_ms);
    v("answer", o.answer);
}
template <class V>
void list_members(TimerRead& o, V&& v) {
    v("device", o.device), v("timer", o.timer), v("is_active", o.is_active), v("has_next", o.has_next);
    v("next_in_ms", o.next_in_ms), v("answer", o.answer);
}
template <class V>
void list_members(TimerAwaited& o, V&& v) {
    v("device", o.device), v("timer", o.timer), v("waited_ms", o.waited_ms);
}
template <class V>
void list_members(Granted& o, V&& v) {
    v("device", o.device), v("agent", o.agent), v("reason", o.reason), v("run_key", o.run_key);
    v("instants", o.instants);
}
template <class V>
void list_members(GrantEnded& o, V&& v) {
    v("device", o.device), v("run_key", o.run_key), v("answer", o.answer);
}
template <class V>
void list_members(OperationRead& o, V&& v) {
    v("device", o.device), v("agent", o.agent), v("operation", o.operation), v("tool", o.tool), v("mark", o.mark);
    v("entity", o.entity), v("status", o.status);
}
template <class V>
void list_members(TaskRead& o, V&& v) {
    v("device", o.device), v("record", o.record), v("mark", o.mark);
}
template <class V>
void list_members(InboxRead& o, V&& v) {
    v("device", o.device), v("user", o.user), v("marks", o.marks), v("answer", o.answer);
}
template <class V>
void list_members(ElementAdded& o, V&& v) {
    v("device", o.device), v("record", o.record), v("list", o.list), v("element", o.element), v("answer", o.answer);
}
template <class V>
void list_members(ElementRemoved& o, V&& v) {
    v("device", o.device), v("record", o.record), v("list", o.list), v("element", o.element), v("answer", o.answer);
}
template <class V>
void list_members(ElementsRead& o, V&& v) {
    v("device", o.device), v("record", o.record), v("list", o.list), v("elements", o.elements);
    v("answer", o.answer);
}
template <class V>
void list_members(ValueWritten& o, V&& v) {
    v("device", o.device), v("record", o.record), v("field", o.field), v("mark", o.mark), v("answer", o.answer);
}
template <class V>
void list_members(ValueRead& o, V&& v) {
    v("device", o.device), v("record", o.record), v("field", o.field), v("mark", o.mark), v("answer", o.answer);
}
template <class V>
void list_members(MergesRead& o, V&& v) {
    v("device", o.device), v("text", o.text), v("answer", o.answer);
}
template <class V>
void list_members(SummarizerSet& o, V&& v) {
    v("device", o.device), v("agent", o.agent), v("how", o.how), v("answer", o.answer);
}
template <class V>
void list_members(Remembered& o, V&& v) {
    v("device", o.device), v("agent", o.agent), v("thread", o.thread), v("message", o.message),
        v("message_kind", o.message_kind);
    v("item", o.item), v("mark", o.mark), v("bytes", o.bytes), v("answer", o.answer);
}
template <class V>
void list_members(ContextGiven& o, V&& v) {
    v("device", o.device), v("agent", o.agent), v("thread", o.thread), v("way", o.way);
    v("budget_tokens", o.budget_tokens), v("messages_max", o.messages_max), v("text", o.text), v("answer", o.answer);
}
template <class V>
void list_members(SummariesRead& o, V&& v) {
    v("device", o.device), v("agent", o.agent), v("covered", o.covered), v("answer", o.answer);
}
template <class V>
void list_members(FoldsRead& o, V&& v) {
    v("device", o.device), v("agent", o.agent), v("waiting", o.waiting), v("answer", o.answer);
}
template <class V>
void list_members(ItemTold& o, V&& v) {
    v("device", o.device), v("agent", o.agent), v("item", o.item), v("text", o.text), v("message", o.message);
    v("message_status", o.message_status), v("message_kind", o.message_kind);
}
template <class V>
void list_members(BoundTokenMade& o, V&& v) {
    v("token", o.token), v("user", o.user), v("agent", o.agent), v("answer", o.answer);
}
template <class V>
void list_members(BoundCall& o, V&& v) {
    v("token", o.token), v("method", o.method), v("path", o.path), v("agent", o.agent), v("answer", o.answer);
    v("text", o.text);
}
template <class V>
void list_members(SaidToAgent& o, V&& v) {
    v("device", o.device), v("user", o.user), v("agent", o.agent), v("session", o.session), v("way", o.way);
    v("mark", o.mark), v("reply_mark", o.reply_mark), v("answer", o.answer);
}

}  // namespace observer
