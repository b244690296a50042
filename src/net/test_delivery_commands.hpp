#pragma once

#include "net/test_queries.hpp"
#include "ports/commands/context.hpp"
#include "ports/commands/delivery.hpp"
#include "ports/commands/sessions.hpp"

namespace belfry::net::test {

inline model::Notification waiting_one(int number) {
    model::Notification one;
    one.id.uuid = test_uuid(number);
    one.ordinal = number;
    one.scope.user_id = "ada";
    one.address = model::Address::user;
    one.target = model::Target::user;
    one.text = "waits " + std::to_string(number);
    return one;
}

// What the test's gateway answers to those who have a word in delivery; false where it is no such command. Lease 1 is
// the right one. Inboxes that are open are counted in `open_inboxes`.
inline bool decide_delivery_command(ports::Command& command, int& open_inboxes) {
    model::Notification found = waiting_one(7);
    if (auto* emit = dynamic_cast<ports::EmitNotification*>(&command)) {
        ports::EmittedNotification emitted;
        emitted.notification = emit->draft;
        emitted.notification.id.uuid = test_uuid(7);
        emitted.is_new = emit->draft.deduplication_key != "again";
        emit->settle(std::move(emitted));
    } else if (auto* ack = dynamic_cast<ports::AckNotification*>(&command)) {
        found.state = model::DeliveryState::delivered;
        if (ack->lease == 1) ack->settle(found);
        else ack->refuse(base::error(base::Code::conflict, "another one has it by now", "lease", "stale_lease"));
    } else if (auto* mark = dynamic_cast<ports::MarkNotification*>(&command)) {
        found.seen_at = base::Timestamp{1'000'000};
        mark->settle(found);
    } else if (auto* narrate = dynamic_cast<ports::NarrateNotification*>(&command)) {
        found.narration = narrate->words;
        narrate->settle(found);
    } else if (auto* retry = dynamic_cast<ports::RetryNotification*>(&command)) {
        found.retry_of = model::NotificationId{test_uuid(6)};
        retry->settle(found);
    } else if (auto* beat = dynamic_cast<ports::Heartbeat*>(&command)) {
        beat->settle(ports::HeartbeatReply{2, base::Timestamp{1'000'000}});
    } else if (auto* gone = dynamic_cast<ports::DeleteSession*>(&command)) {
        gone->settle(ports::Nothing{});
    } else if (auto* reader = dynamic_cast<ports::FollowSession*>(&command)) {
        reader->settle(ports::Nothing{});
    } else if (auto* tool = dynamic_cast<ports::PutTool*>(&command)) {
        tool->settle(tool->tool);
    } else if (auto* value = dynamic_cast<ports::PutContextValue*>(&command)) {
        model::ContextValue set = test_value(value->key);
        set.content = value->content;
        value->settle(std::move(set));
    } else if (auto* no_value = dynamic_cast<ports::DeleteContextValue*>(&command)) {
        if (no_value->key.name == "build.progress") no_value->settle(ports::Nothing{});
        else no_value->refuse(base::error(base::Code::not_found, "there is no such context value", "name"));
    } else if (auto* again = dynamic_cast<ports::RetrySinkCall*>(&command)) {
        again->settle(ports::Nothing{});
    } else if (auto* no_tool = dynamic_cast<ports::DeleteTool*>(&command)) {
        if (no_tool->name == "curl") no_tool->settle(ports::Nothing{});
        else no_tool->refuse(base::error(base::Code::not_found, "there is no such tool"));
    } else if (auto* open = dynamic_cast<ports::OpenInbox*>(&command)) {
        if (open->user_id == "bob") {
            open->refuse(base::error(base::Code::forbidden, "not yours", "user"));
            return true;
        }
        ports::OpenedInbox opened;
        opened.stream = open->user_id == "lost" ? "inbox:lost" : "inbox:ada";
        opened.waiting = {waiting_one(1), waiting_one(2)};
        opened.more = open->session_id == "full";
        opened.until = 4;
        ++open_inboxes;
        open->settle(std::move(opened));
    } else if (auto* next = dynamic_cast<ports::ContinueInbox*>(&command)) {
        ports::InboxPortion portion;
        if (next->after < next->until) portion.waiting = {waiting_one(static_cast<int>(next->after) + 1)};
        portion.more = next->after + 1 < next->until;
        next->settle(std::move(portion));
    } else if (auto* close = dynamic_cast<ports::CloseInbox*>(&command)) {
        --open_inboxes;
        close->settle(ports::Nothing{});
    } else {
        return false;
    }
    return true;
}

}  // namespace belfry::net::test
