#include <algorithm>
#include <utility>

#include "rules/delivery.hpp"
#include "rules/delivery_step.hpp"
#include "rules/route.hpp"
#include "rules/step_reason.hpp"

// What changes a notification on its way without bringing it further.
namespace belfry::rules {

using base::Timestamp;
using model::DeliveryState;
using model::Handler;
using model::Notification;
using model::Target;

namespace {

// Returns false if the tool is there already, or the list is full.
bool remember_tool(std::vector<std::string>& tools, std::string_view tool) {
    if (std::ranges::find(tools, tool) != tools.end() || tools.size() > base::limits::used_tools_max) return false;
    // The last entry says that there are more.
    tools.emplace_back(tools.size() == base::limits::used_tools_max ? std::string_view("…") : tool);
    return true;
}

// The text as it was before the tools were named.
std::string_view without_tools(std::string_view text, const std::vector<std::string>& tools) {
    const std::string suffix = text_with_tools({}, tools);
    return text.ends_with(suffix) ? text.substr(0, text.size() - suffix.size()) : text;
}

void rename_tools(std::string& text, const std::vector<std::string>& before, const std::vector<std::string>& tools) {
    text = text_with_tools(without_tools(text, before), tools);
}

}  // namespace

std::string text_with_tools(std::string_view text, const std::vector<std::string>& tools) {
    std::string out(text);
    if (tools.empty()) return out;
    out += tools.size() == 1 ? " (tool used: " : " (tools used: ";
    for (std::size_t i = 0; i < tools.size(); ++i) out.append(i == 0 ? "" : ", ").append(tools[i]);
    return out += ')';
}

bool promote(Notification& row, Timestamp now, std::string_view tool, Steps& steps) {
    if (model::is_terminal(row.state)) return false;
    const Route way = route(row);
    const bool waits_for_agent = way.starts_turn;
    if (!waits_for_agent && !way.to_interface) return false;  // passive context has no turn of its own
    const bool is_raised = way.escalates == Escalates::when_unanswered;
    // A row that the user must be told of from the start is no internal turn: it is told in any case.
    if (waits_for_agent && !is_raised && row.used_tools.empty()) return false;
    const std::vector<std::string> before = row.used_tools;
    const bool is_new = remember_tool(row.used_tools, tool);
    if (!is_new && !is_raised) return false;
    if (is_raised) row.target = Target::user;
    if (!waits_for_agent) {
        // The interfaces have the text already: they get the next version.
        if (row.narration.empty()) {
            const bool is_plain = row.content == row.text;
            rename_tools(row.text, before, row.used_tools);
            if (is_plain) row.content = row.text;
        } else {
            rename_tools(row.narration, before, row.used_tools);
        }
        ++row.version;
    }
    delivery::step(row, row.state, now, "tool:" + std::string(tool), step_reason::promoted, steps);
    return true;
}

void add_tools(Notification& row, const std::vector<std::string>& tools) {
    for (const std::string& tool : tools) (void)remember_tool(row.used_tools, tool);
}

Notification effect_notice(const Notification& ended, std::string_view tool) {
    Notification notice;
    notice.scope = ended.scope;
    notice.priority = ended.priority;
    notice.inject_at = ended.inject_at;
    notice.severity = ended.severity;
    notice.address = ended.address;
    notice.target = Target::user;
    notice.handler = Handler::system;
    notice.used_tools.emplace_back(tool);
    notice.text = text_with_tools(without_tools(ended.text, ended.used_tools), notice.used_tools);
    notice.content = notice.text;
    notice.caused_by = ended.id;
    notice.depth = ended.depth + 1;
    notice.deduplication_key = "belfry:effect:" + base::format_uuid(ended.id.uuid);
    return notice;
}

bool extend_notice(Notification& notice, std::string_view tool) {
    const std::vector<std::string> before = notice.used_tools;
    if (!remember_tool(notice.used_tools, tool)) return false;
    rename_tools(notice.text, before, notice.used_tools);
    notice.content = notice.text;
    ++notice.version;
    return true;
}

bool leave_session(Notification& row, Timestamp now, Steps& steps) {
    if (model::is_terminal(row.state)) return false;
    const bool is_at_home = row.address == model::Address::user && row.scope.session_id.empty();
    if (!is_at_home) {
        const std::string session = std::exchange(row.scope.session_id, {});
        row.address = model::Address::user;
        delivery::step(row, row.state, now, "session:" + session, step_reason::session_gone, steps);
    }
    return !is_at_home;
}

bool leave_holder(Notification& row, Timestamp now, Steps& steps) {
    if (row.state != DeliveryState::locked || row.holder.empty()) return false;
    if (must_tell(row)) {
        const std::string holder = row.holder;
        delivery::escalate(row, now, holder, step_reason::session_deleted, steps);
        return true;
    }
    return let_go(row, now, step_reason::session_deleted, steps);
}

Repeat repeat(const Notification& row, std::string_view by, std::optional<std::int64_t> lease) {
    switch (row.state) {
        case DeliveryState::pending:
        case DeliveryState::dispatched: return Repeat::overwrites;
        case DeliveryState::locked:
            if (!row.narration.empty()) return Repeat::becomes_new;
            return lease == row.lease && row.holder == by ? Repeat::overwrites : Repeat::follows;
        case DeliveryState::escalated:
        case DeliveryState::delivered:
        case DeliveryState::failed: break;
    }
    return Repeat::becomes_new;
}

namespace {

// How near the person a row is: passive context, an agent's own matter, what an agent has to say, what is shown.
int nearness(const Notification& row) {
    if (row.handler == Handler::agent) return row.target == Target::user ? 2 : 1;
    return row.target == Target::user ? 3 : 0;
}

// An update never takes a notification further away from the person. What nobody holds it may bring nearer in any way;
// of what somebody holds, who speaks stays, and only the target rises.
void take_axes(Notification& row, const Notification& update) {
    if (row.state == DeliveryState::locked) {
        if (row.handler == Handler::agent && update.target == Target::user) row.target = Target::user;
        return;
    }
    const int step = nearness(update) - nearness(row);
    // Readers of what went out already know where it lives.
    if (step < 0 || (step == 0 && row.state == DeliveryState::dispatched)) return;
    row.address = update.address;
    row.target = update.target;
    row.handler = update.handler;
    row.scope.session_id = update.scope.session_id;
    row.scope.agent_id = update.scope.agent_id;
}

void move_deadline(Notification& row, bool waits_anew, Timestamp now) {
    const base::Duration wait = delivery::wait_of(row);
    // One that waits for somebody else from now on has all his time; that can happen twice at the most.
    if (waits_anew || !row.deadline_max) row.deadline_max = (waits_anew ? now : row.created_at) + wait * 2;
    row.deadline = std::min(now + wait, *row.deadline_max);
    if (row.lease_until) row.deadline = std::max(*row.deadline, *row.lease_until);
}

}  // namespace

void overwrite(Notification& row, const Notification& update, Timestamp now, Steps& steps) {
    const Route before = route(row);
    take_axes(row, update);
    const Route after = route(row);
    row.content = update.content;
    row.text = update.text;
    row.directive = update.directive;
    row.tone_hint = update.tone_hint;
    row.metadata = update.metadata;
    row.priority = update.priority;
    row.inject_at = update.inject_at;
    row.severity = update.severity;
    row.model_tokens = update.model_tokens;
    if (update.ttl > base::Duration{}) row.ttl = update.ttl;
    if (after.to_interface && !row.used_tools.empty()) {
        const bool is_plain = row.content == row.text;
        row.text = text_with_tools(row.text, row.used_tools);
        if (is_plain) row.content = row.text;
    }
    ++row.version;
    move_deadline(row, before.to_interface != after.to_interface || before.starts_turn != after.starts_turn, now);
    delivery::step(row, row.state, now, update.emitter, step_reason::updated, steps);
}

void give_way(Notification& row, Timestamp now, Steps& steps) {
    delivery::fail(row, now, "belfry", step_reason::overload, steps);
}

Notification again(const Notification& failed) {
    Notification fresh;
    fresh.scope = failed.scope;
    fresh.subscriber_id = failed.subscriber_id;
    fresh.priority = failed.priority;
    fresh.inject_at = failed.inject_at;
    fresh.severity = failed.severity;
    fresh.address = failed.address;
    fresh.target = failed.target;
    fresh.handler = failed.handler;
    fresh.content = failed.content;
    fresh.text = failed.text;
    fresh.directive = failed.directive;
    fresh.tone_hint = failed.tone_hint;
    fresh.metadata = failed.metadata;
    fresh.events = failed.events;
    fresh.follow_up = true;  // starts no dedupe window
    fresh.model_tokens = failed.model_tokens;
    fresh.emitter = failed.emitter;
    fresh.ttl = failed.ttl;
    fresh.used_tools = failed.used_tools;
    fresh.depth = failed.depth;
    fresh.retry_of = failed.id;
    return fresh;
}

bool is_for_eyes(const Notification& row) {
    return route(row).to_interface || !row.narration.empty();
}

bool mark_read(Notification& row, model::ReadMark mark, Timestamp now) {
    const auto set = [&](std::optional<Timestamp>& at) {
        if (at) return false;
        at = now;
        return true;
    };
    const bool seen_now = set(row.seen_at);
    switch (mark) {
        case model::ReadMark::seen: break;
        case model::ReadMark::acted: return set(row.acted_at) || seen_now;
        case model::ReadMark::dismissed: return set(row.dismissed_at) || seen_now;
    }
    return seen_now;
}

}  // namespace belfry::rules
