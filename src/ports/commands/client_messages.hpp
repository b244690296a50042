#pragma once

#include <string>

#include "base/uuid.hpp"
#include "model/client_message.hpp"
#include "ports/commands/command.hpp"

namespace belfry::ports {

struct ClientReceipt {
    std::string message;    // for people
    base::Uuid id;          // of the message, the event or the interaction that it became
    bool replayed = false;  // it was taken before under its message_id, and nothing was done now
};

// A client says something into a session that is there. An unknown session, a deleted one and one that is not the
// caller's are `not_found` with the reason `session_not_found`.
struct SendClientMessage final : CommandOf<ClientReceipt> {
    model::ClientMessage message;
};

}  // namespace belfry::ports
