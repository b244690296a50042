#pragma once

#include <cstdint>
#include <string_view>

#include "base/uuid.hpp"

// Ids of what a run of an agent makes, from the operation that makes it: two devices that have both gone through the
// same run have made the same, and what they tell each other becomes one. Of version 8, which RFC 9562 has for ids that
// are made in a way of one's own. They are stored and sent to other devices: what one is made of can never change.
namespace belfry::rules {

// An agent does one action under an operation, which has one result.
base::Uuid action_message_id(std::string_view agent_id, std::string_view operation_id);
base::Uuid result_message_id(std::string_view agent_id, std::string_view operation_id);

// A record that a tool makes, or a part of one that has an id: the how-manyeth of this operation, from 0 on.
base::Uuid made_record_id(std::string_view user_id, std::string_view agent_id, std::string_view operation_id,
                          std::uint64_t ordinal);

// A notification by which the agent tells its person something.
base::Uuid told_notification_id(std::string_view agent_id, std::string_view operation_id);

// By which a tool outside knows a call that it has carried out before, whoever asks it.
base::Uuid outside_call_key(std::string_view agent_id, std::string_view operation_id);

// A message of the user that came with a wake of an agent, in the history of its session. `id` is the sender's own.
// Another text under the same id is another message. `turn`: the turn in which the user said the same text under the
// same id again, after an answer; empty: the first time.
base::Uuid spoken_message_id(std::string_view session_id, std::string_view id, std::string_view text,
                             std::string_view turn);
// The same message in the memory of an agent.
base::Uuid heard_message_id(std::string_view agent_id, std::string_view session_id, std::string_view id,
                            std::string_view text, std::string_view turn);

// Where the content of a message lies that is too long to stand beside it.
base::Uuid message_content_id(const base::Uuid& message_id);

}  // namespace belfry::rules
