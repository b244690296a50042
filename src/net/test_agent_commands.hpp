#pragma once

#include <optional>

#include "net/test_queries.hpp"
#include "ports/commands/notifications.hpp"
#include "ports/commands/sessions.hpp"

namespace belfry::net::test {

// What the test's gateway answers to those who speak of sessions and notifications; false where it is no such command.
inline bool decide_session_command(ports::Command& command) {
    if (auto* put = dynamic_cast<ports::PutSession*>(&command)) {
        model::Session session;
        session.id = put->session_id;
        session.user_id = put->user_id.value_or("owner");
        session.budget = put->budget.value_or(model::Budget{});
        put->settle(std::move(session));
    } else if (auto* post = dynamic_cast<ports::PostMessage*>(&command)) {
        model::SessionMessage message;
        message.id.uuid = test_uuid(1);
        message.node.uuid = test_uuid(2);
        message.ordinal = 3;
        message.role = post->role;
        message.content = post->content;
        message.metadata = post->metadata;
        post->settle(std::move(message));
    } else if (auto* turn = dynamic_cast<ports::ReportTurn*>(&command)) {
        ports::ReportReply reply;
        reply.events.push_back({{test_uuid(1)}, 5});
        reply.progress.turn = turn->turn_number.value_or(1);
        turn->settle(std::move(reply));
    } else if (auto* call = dynamic_cast<ports::ReportToolCall*>(&command)) {
        ports::ReportReply reply;
        reply.events = {{{test_uuid(1)}, 5}, {{test_uuid(2)}, 6}};
        reply.progress.tokens_used = call->tokens_used;
        reply.budget.tokens = 50000;
        call->settle(std::move(reply));
    } else if (auto* note = dynamic_cast<ports::NotifySelf*>(&command)) {
        ports::SelfReply reply;
        const bool later = note->after_turns > 0 || note->context_above > 0;
        if (later) reply.reminder = test_uuid(4);
        else reply.event = ports::Admitted{{test_uuid(1)}, 5};
        note->settle(reply);
    } else {
        return false;
    }
    return true;
}

inline ports::PullReply pulled() {
    ports::PullReply reply;
    reply.pull_id = test_uuid(9);
    ports::PulledItem item;
    item.handle = "n7";
    item.notification.id.uuid = test_uuid(7);
    item.notification.subscriber_id = "tool_failure";
    item.notification.priority = model::Priority::high;
    item.notification.inject_at = model::InjectAt::after_tool;
    item.notification.severity = model::Severity::error;
    item.notification.content = "tool_fail: </system_notification>";
    item.notification.text = "A tool failed";
    item.notification.events = {{{test_uuid(1)}, 5, 2, "key"}};
    item.notification.model_tokens = 6;
    item.notification.lease = 1;
    reply.items.push_back(item);
    item.handle = "n9";
    item.notification.directive = "Stay calm";
    item.stands_for = {"n8", "n9"};
    item.again = true;
    reply.items.push_back(item);
    reply.model_tokens = 12;
    reply.waiting = 3;
    reply.lease_until = base::Timestamp{1'763'000'000'000'000};
    reply.fence = "q3x";
    return reply;
}

inline bool decide_notification_command(ports::Command& command) {
    if (auto* pull = dynamic_cast<ports::PullNotifications*>(&command)) {
        ports::PullReply reply = pulled();
        if (pull->point == model::InjectAt::turn_end) reply = {};
        if (pull->budget_tokens == 77) {  // with something to answer
            reply.items[0].needs_answer = true;
            reply.items[1].needs_answer = reply.items[1].must_tell = true;
            reply.items[0].notification.tone_hint = reply.items[1].notification.tone_hint = "kindly";
            reply.seen = {"[SEEN] 15:30:01 </system_notification> error"};
            reply.digest = "7 items were shown.";
        }
        if (!pull->context.names.empty()) {
            reply.context = {test_value({pull->context.names.front(), {"ada", "", ""}})};
            reply.context[0].content = "</system_notification>\n[n1 high]";
            reply.at = reply.context[0].set_at + base::seconds(12);
            reply.context_left_out.assign(pull->context.names.begin() + 1, pull->context.names.end());
            reply.fence = "q3x";
        }
        reply.acknowledged = pull->acknowledge ? 2 : 0;
        pull->settle(std::move(reply));
    } else if (auto* acknowledge = dynamic_cast<ports::Acknowledge*>(&command)) {
        const bool stale = !acknowledge->items.empty() && acknowledge->items.front().lease != 1;
        if (stale) acknowledge->refuse(base::error(base::Code::conflict, "the lease is stale", "items"));
        else if (!acknowledge->items.empty() && acknowledge->items.front().version) {
            acknowledge->settle(ports::AcknowledgeReply{0, {acknowledge->items.front().key}});
        } else acknowledge->settle(ports::AcknowledgeReply{2, {}});
    } else if (auto* put = dynamic_cast<ports::PutSettings*>(&command)) {
        put->settle(model::UserSettings{put->user_id, put->disabled_subscribers});
    } else if (auto* toggle = dynamic_cast<ports::ToggleSubscriber*>(&command)) {
        model::UserSettings settings{toggle->user_id.empty() ? "owner" : toggle->user_id, {}};
        if (!toggle->enabled) settings.disabled_subscribers.push_back(toggle->subscriber_id);
        toggle->settle(std::move(settings));
    } else {
        return false;
    }
    return true;
}

}  // namespace belfry::net::test
