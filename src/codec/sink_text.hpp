#pragma once

#include <string>

#include "model/notification.hpp"

// A notification as sinks carry it.
namespace belfry::codec {

// A headline of one line: the metadata's `title` where there is one, else who it comes from.
std::string sink_title(const model::Notification& notification);

// Its text for people, or its content where it has none, cut to what a small screen takes.
std::string sink_text(const model::Notification& notification);

// What a command reads and a webhook's `data` is: the message that interfaces get, and whose it is.
std::string sink_json(const model::Notification& notification);

// The whole body of a webhook: {"type":"notification","timestamp":…,"data":{…}}.
std::string webhook_body(const model::Notification& notification);

// The whole body of a message for an ntfy server.
std::string ntfy_body(const model::Notification& notification, std::string_view topic);

}  // namespace belfry::codec
