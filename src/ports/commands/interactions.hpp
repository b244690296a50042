#pragma once

#include <optional>
#include <string>

#include "base/limits.hpp"
#include "model/interaction.hpp"
#include "ports/commands/command.hpp"

// Questions of agents to people.
namespace belfry::ports {

// The reply may be answered already: where the person has allowed this tool in this session for good.
struct AskInteraction final : CommandOf<model::Interaction> {
    model::Interaction draft;  // kind, session, message, tool, arguments, schema, run
    base::Duration time = base::limits::interaction_time_max;
};

// What a person says to it: a decision to a confirmation, an action to an elicitation.
struct InteractionAnswer {
    std::optional<std::string> decision;
    std::optional<std::string> action;
    std::optional<model::RawJson> content;
};

// `conflict` with the reason `not_pending` where it has ended or is none of this kind.
struct AnswerInteraction final : CommandOf<model::Interaction> {
    model::InteractionId id;
    InteractionAnswer answer;
};

// Whoever asked does not want to know any more.
struct WithdrawInteraction final : CommandOf<model::Interaction> {
    model::InteractionId id;
};

// The person takes back that the tool of this one is allowed in its session for good, whichever answers say so.
// `conflict` with the reason `not_allowed` where it is not.
struct TakeBackAllowance final : CommandOf<model::Interaction> {
    model::InteractionId id;
};

}  // namespace belfry::ports
