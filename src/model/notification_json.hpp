#pragma once

#include <string>
#include <string_view>

#include "model/notification.hpp"

// The messages of a person's inbox and of an agent's stream, as their readers get them: one line of JSON each, written
// here for those who put them into a log and for those who send them on a connection.
namespace belfry::model {

// The way by which an interface gets it: the conversation that it lives in, or the inbox.
inline Channel interface_channel(const Notification& notification) {
    return notification.address == Address::session ? Channel::conversation : Channel::inbox;
}

// `{"type":"notification",…}`: what an interface shows. `text` and `content` are the agent's own text if it narrated
// the notification (`"narrated":true`). Holds nothing of what Belfry keeps for itself: holder, causes, deadlines,
// directive.
void append_interface_json(std::string& out, const Notification& notification);
// Its members after `type`, into an object that somebody else begins and ends.
void append_interface_members(JsonWriter& writer, const Notification& notification);

// `{"type":"notification_state",…}`: what has become of one that an interface may have shown. `by` is who did it; empty
// is null.
void append_state_json(std::string& out, const Notification& notification, std::string_view by);

// `{"type":"turn_requested",…}`: for whatever runs the agent. `reason` says in a word why.
void append_turn_requested_json(std::string& out, const Notification& notification, std::string_view reason);

}  // namespace belfry::model
