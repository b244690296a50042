#include "sim/expected.hpp"

#include <algorithm>

namespace belfry::sim::expected {

using base::Timestamp;
using model::DeliveryState;
using model::Handler;
using model::Notification;
using model::Target;

namespace {

constexpr auto month = base::days(30);
constexpr auto agents_time = base::seconds(300);

void add(Notification& row, DeliveryState to, Timestamp now, std::string_view who, std::string_view why, Steps& steps) {
    steps.push_back({row.id, 0, now, row.state, to, row.lease, std::string(who), std::string(why), {}});
    row.state = to;
}

void end(Notification& row, Timestamp now) {
    row.ended_at = now;
    row.lease_until.reset();
    row.deadline.reset();
}

base::Duration patience(const Notification& row) {
    if (is_shown(row)) return month;
    if (row.ttl.us > 0) return row.ttl;
    return is_spoken(row) ? agents_time : month;
}

// How an item says which tools were used.
std::string list_of(const std::vector<std::string>& tools) {
    if (tools.empty()) return {};
    std::string all;
    for (const std::string& tool : tools) all += (all.empty() ? "" : ", ") + tool;
    return (tools.size() == 1 ? " (tool used: " : " (tools used: ") + all + ")";
}

// What the person has before his eyes says which tools were used, in the place of those that it said `before`.
void name_tools(Notification& row, const std::vector<std::string>& before) {
    std::string& text = row.narration.empty() ? row.text : row.narration;
    const bool is_plain = row.narration.empty() && row.content == row.text;
    text.resize(text.size() - list_of(before).size());
    text += list_of(row.used_tools);
    if (is_plain) row.content = text;
    row.version += 1;
}

// Nothing, the agent's own matter, the agent's word to the person, the person's.
int rank(Target target, Handler handler) {
    if (target == Target::agent) return handler == Handler::agent ? 1 : 0;
    return handler == Handler::agent ? 2 : 3;
}

}  // namespace

bool is_shown(const Notification& row) {
    return !row.narration.empty() || (row.target == Target::user && row.handler == Handler::system);
}

bool is_spoken(const Notification& row) {
    return row.handler == Handler::agent && row.narration.empty();
}

bool must_be_told(const Notification& row) {
    return is_spoken(row) && row.target == Target::user;
}

bool is_decision(const Notification& row) {
    return is_spoken(row) && row.target == Target::agent;
}

const std::string& text_for_eyes(const Notification& row) {
    return row.narration.empty() ? row.text : row.narration;
}

bool is_passive(const Notification& row) {
    return row.target == Target::agent && row.handler == Handler::system;
}

bool was_for_eyes(const Notification& row) {
    return is_shown(row);
}

bool may_give_way(const Notification& row) {
    return is_passive(row) && row.subscriber_id != model::overload_subscriber &&
           row.severity != model::Severity::error && row.severity != model::Severity::critical;
}

void birth(Notification& row, const Notification& asked, Steps& steps) {
    row.state = DeliveryState::pending;
    row.lease = 1;
    row.version = 1;
    row.deadline = row.created_at + patience(row);
    row.deadline_max = row.created_at + patience(row) * 2;
    add(row, DeliveryState::pending, row.created_at, row.emitter, "emitted", steps);
    steps.back().routing = {row.address, asked.target, asked.handler};
    if (asked.handler != row.handler) add(row, DeliveryState::pending, row.created_at, "belfry", "chain_end", steps);
}

void dispatch(Notification& row, Timestamp now, const std::string& to, Steps& steps) {
    add(row, DeliveryState::dispatched, now, to, "dispatched", steps);
}

void send_again(const Notification& row, Timestamp now, const std::string& to, Steps& steps) {
    Notification same = row;
    if (std::ranges::count(steps, "sent", &model::Transition::reason) < 200)
        add(same, row.state, now, to, "sent", steps);
}

void claim(Notification& row, Timestamp now, const std::string& holder, base::Duration lease, Steps& steps) {
    const bool is_taken_over = row.state == DeliveryState::locked;
    if (row.state == DeliveryState::pending) dispatch(row, now, holder, steps);
    if (is_taken_over) row.lease += 1;
    row.holder = holder;
    row.answered_at.reset();  // that was another one's word
    add(row, DeliveryState::locked, now, holder, is_taken_over ? "taken_over" : "claimed", steps);
    row.lease_until = now + lease;
    row.deadline = std::max(*row.deadline, *row.lease_until);
}

void renew(Notification& row, Timestamp now, base::Duration lease) {
    row.lease_until = std::max(*row.lease_until, now + lease);
    row.deadline = std::max(*row.deadline, *row.lease_until);
}

void let_go(Notification& row, Timestamp now, std::string_view why, Steps& steps) {
    add(row, DeliveryState::locked, now, row.holder, why, steps);
    row.holder.clear();
    row.answered_at.reset();
    row.lease_until.reset();
    if (is_spoken(row) && *row.deadline_max <= now) escalate(row, now, "belfry", "ttl", steps);
}

void deliver(Notification& row, Timestamp now, const std::string& by, std::string_view how, Steps& steps) {
    if (row.state == DeliveryState::pending) dispatch(row, now, by, steps);
    row.holder = by;
    if (row.state == DeliveryState::dispatched) add(row, DeliveryState::locked, now, by, "claimed", steps);
    add(row, DeliveryState::delivered, now, by, how, steps);
    end(row, now);
}

void escalate(Notification& row, Timestamp now, const std::string& who, std::string_view why, Steps& steps) {
    row.lease += 1;
    row.target = Target::user;
    row.handler = Handler::system;
    if (!row.used_tools.empty()) name_tools(row, {});
    add(row, DeliveryState::escalated, now, who, why, steps);
    row.holder.clear();
    row.lease_until.reset();
    row.deadline = row.deadline_max = now + month;
}

void fail(Notification& row, Timestamp now, const std::string& who, std::string_view why, Steps& steps) {
    row.outcome = why;
    add(row, DeliveryState::failed, now, who, why, steps);
    end(row, now);
}

void narrate(Notification& row, Timestamp now, const std::string& by, const std::string& text, Steps& steps) {
    add(row, DeliveryState::locked, now, by, "narrated", steps);
    row.narration = text + list_of(row.used_tools);
    row.holder.clear();
    row.lease_until.reset();
    row.deadline = row.deadline_max = now + month;
}

void note_untold(Notification& row, Timestamp now, const std::string& by, Steps& steps) {
    if (row.answered_at) return;
    row.answered_at = now;
    add(row, row.state, now, by, "acknowledged_untold", steps);
}

bool is_for_user_from_the_start(const Notification& row) {
    return row.handler == Handler::agent && row.target == Target::user && row.used_tools.empty();
}

bool promote(Notification& row, Timestamp now, const std::string& tool, Steps& steps) {
    if (is_for_user_from_the_start(row)) return false;
    const bool is_new = std::ranges::find(row.used_tools, tool) == row.used_tools.end();
    if (!is_new && !is_decision(row)) return false;
    const std::vector<std::string> before = row.used_tools;
    if (is_new) row.used_tools.push_back(tool);
    if (is_shown(row)) name_tools(row, before);
    else row.target = Target::user;
    add(row, row.state, now, "tool:" + tool, "promoted", steps);
    return true;
}

void leave_session(Notification& row, Timestamp now, Steps& steps) {
    add(row, row.state, now, "session:" + row.scope.session_id, "session_gone", steps);
    row.scope.session_id.clear();
    row.address = model::Address::user;
}

void update(Notification& row, const Notification& draft, Timestamp now, Steps& steps) {
    const int before = rank(row.target, row.handler);
    const int wish = rank(draft.target, draft.handler);
    const bool is_out = row.state == DeliveryState::dispatched;
    if (row.state == DeliveryState::locked) {
        if (is_spoken(row) && draft.target == Target::user) row.target = Target::user;
    } else if (wish > before || (wish == before && !is_out)) {
        row.address = draft.address;
        row.target = draft.target;
        row.handler = draft.handler;
        row.scope.session_id = draft.scope.session_id;
        row.scope.agent_id = draft.scope.agent_id;
    }
    for (std::string Notification::* text :
         {&Notification::content, &Notification::text, &Notification::directive, &Notification::tone_hint}) {
        row.*text = draft.*text;
    }
    row.metadata = draft.metadata;
    row.priority = draft.priority;
    row.inject_at = draft.inject_at;
    row.severity = draft.severity;
    row.model_tokens = draft.model_tokens;
    if (draft.ttl.us > 0) row.ttl = draft.ttl;
    if (is_shown(row) && !row.used_tools.empty()) name_tools(row, {});
    else row.version += 1;
    // Whoever is to come next has his own time; otherwise twice the time from the birth is the most.
    const int after = rank(row.target, row.handler);
    const auto waits_for = [](int of) { return of == 0 ? 0 : of == 3 ? 2 : 1; };
    if (waits_for(before) != waits_for(after)) row.deadline_max = now + patience(row) * 2;
    row.deadline = std::min(now + patience(row), *row.deadline_max);
    if (row.lease_until) row.deadline = std::max(*row.deadline, *row.lease_until);
    add(row, row.state, now, draft.emitter, "updated", steps);
}

void end_turn(Notification& row, Timestamp now, Steps& steps) {
    const std::string holder = row.holder;
    if (is_passive(row)) return deliver(row, now, holder, "turn_ended", steps);
    if (row.target == Target::user) return escalate(row, now, holder, "silence", steps);
    row.outcome = "vetoed";
    deliver(row, now, holder, "vetoed", steps);
}

void watch(Notification& row, Timestamp now, Steps& steps) {
    const std::string who = row.holder.empty() ? "watchdog" : row.holder;
    if (is_shown(row)) return fail(row, now, who, "nobody_there", steps);
    if (is_passive(row)) return fail(row, now, who, "expired_unseen", steps);
    escalate(row, now, who, row.state == DeliveryState::locked ? "lease_expired" : "ttl", steps);
}

}  // namespace belfry::sim::expected
