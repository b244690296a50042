#pragma once

#include <optional>
#include <string>

#include "model/raw_json.hpp"

namespace belfry::client {

// A question of an agent to a person.
struct InteractionState {
    std::string id;
    std::string kind;  // confirmation, elicitation
    std::string session_id;
    std::string user_id;
    std::string state;  // pending, answered, expired, withdrawn
    std::string message;
    std::string tool_name;
    std::optional<model::RawJson> answer;
    std::string answered_by;
    std::string expires_at;
    model::RawJson json;
};

struct InteractionQuestion {
    std::string user_id;
    std::string session_id;
    std::string state;            // empty: any
    bool always_allowed = false;  // only those by which a tool is allowed without asking
};

// What is answered: a decision to a confirmation, an action (with a content, perhaps) to an elicitation.
struct InteractionWords {
    std::string decision;
    std::string action;
    std::optional<model::RawJson> content;
};

}  // namespace belfry::client
