#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/time.hpp"
#include "base/uuid.hpp"
#include "model/raw_json.hpp"

namespace belfry::model {

// The method by which a client message came. The alias keeps the pattern of session ids that its protocol defines.
enum class ClientMethod : std::uint8_t { native, kaiak_alias };

// What a client says into a session: a person's word, a signal, an answer, or something about itself.
struct ClientMessage {
    std::string session_id;
    std::string message_type;  // user_input, status_update, control_signal, tool_confirmation, …
    base::Timestamp timestamp;
    std::optional<RawJson> payload;
    std::optional<base::Uuid> message_id;  // the client's; the same again gets the receipt of then
    ClientMethod method = ClientMethod::native;
};

}  // namespace belfry::model
