#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/uuid.hpp"
#include "model/agent_message.hpp"
#include "model/chat.hpp"
#include "model/wake.hpp"

// What an agent remembers, as a language model is told of it.
namespace belfry::rules {

// Returns the note that stands for a message of the user, an observation, an action or its result whose content lies
// apart and is not in the context. Returns an empty text for all other messages.
std::string left_out_note(const model::AgentMessage& message);

// Returns what `chat_history` tells of the content of a message: the words of the user, the agent or a summary as a
// text, all other contents as JSON.
std::string told_content(const model::AgentMessage& message);

// Messages of the thread, the oldest first, without those that belong to the rounds of this run. A call is told with
// its result, or with a note that the result is missing; what the agent said needs no result. A message without its
// content is told as its left_out_note: that of a result is the result of its call, that of a call has the result
// behind it.
std::vector<model::ChatMessage> chat_history(std::span<const model::AgentMessage> messages,
                                             std::span<const model::PlanNow> rounds);

// What the model itself said and called in this run so far, with the results.
void append_rounds(std::vector<model::ChatMessage>& messages, std::span<const model::PlanNow> rounds);

// Why it was woken. What came from events is data: it stands between two lines that nobody could have foreseen.
std::string wake_words(const model::Wake& wake, std::span<const model::WakeSignal> signals, base::Timestamp now);

}  // namespace belfry::rules
