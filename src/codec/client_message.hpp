#pragma once

#include <string_view>

#include "base/result.hpp"
#include "model/client_message.hpp"

namespace belfry::codec {

// Reads the parameters of `client/user_message`, strictly: an object with `session_id`, `message_type`, `timestamp`
// (ISO 8601; without an offset it is UTC), and perhaps `payload` (any JSON) and `message_id` (a UUID); nothing else. A
// null counts as left out. What was read before an error stays in `message`. Whether the values can be taken is not
// asked here. The error's message is a whole sentence about its field.
base::Result<void> read_client_message(std::string_view params, model::ClientMessage& message);

}  // namespace belfry::codec
