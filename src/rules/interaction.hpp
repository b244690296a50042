#pragma once

#include <optional>
#include <string>

#include "base/result.hpp"
#include "base/time.hpp"
#include "model/interaction.hpp"
#include "model/principal.hpp"

// Questions of agents to people: what may be asked, who may answer, with which words, and what counts as an answer
// where none comes.
namespace belfry::rules {

// Can this be asked? Names the field that is wrong.
base::Result<void> check_question(const model::Interaction& draft, base::Duration time);

// Answer for a person: he himself with a token of his own, or whoever acts for him (service, admin) with a token. Never
// an agent, and never the user id of a socket's other end alone: programs of the same user could do that, too.
base::Result<void> may_answer_interaction(const model::Principal& who, std::string_view user_id,
                                          std::string_view session_id);

// What a person says. A confirmation wants a decision (allow_once, always_allow, deny), an elicitation an action
// (accept, decline, cancel), and with `accept` a content that is what its schema wants.
struct Words {
    std::optional<std::string> decision;
    std::optional<std::string> action;
    std::optional<model::RawJson> content;
};
// Makes it an answered one. `conflict` with the reason `not_pending` where it has ended; `invalid` where the words are
// none that it wants.
base::Result<void> answer(model::Interaction& interaction, const Words& words, std::string_view by,
                          base::Timestamp now);
// It is answered before it is shown, because the person has allowed this tool for good.
void answer_as_before(model::Interaction& interaction, base::Timestamp now);
// The person takes back that its tool is allowed for good. `conflict` with the reason `not_allowed` where it is not.
base::Result<void> take_back(model::Interaction& interaction);
// Nobody came: that means no.
void expire(model::Interaction& interaction, base::Timestamp now);
// Nobody has answered it, and its time is not over.
bool is_pending(const model::Interaction& interaction, base::Timestamp now);
// He has answered, and said yes to a tool.
bool is_allowed(const model::Interaction& interaction);
void withdraw(model::Interaction& interaction, std::string_view by, base::Timestamp now);

// `No pending confirmation for id: …`
base::Error not_pending(model::InteractionKind kind, std::string_view id);

}  // namespace belfry::rules
