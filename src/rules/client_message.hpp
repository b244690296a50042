#pragma once

#include "base/result.hpp"
#include "base/time.hpp"
#include "model/client_message.hpp"

namespace belfry::rules {

// Is this a message that can be taken? `session_id` and `message_type` are of the agreed letters, the timestamp lies
// within limits::client_message_age_max of now, no object of the payload has more than
// limits::client_payload_properties_max members, and nothing in it lies deeper than limits::client_payload_depth_max
// containers. A person's word needs a payload, and in it a word. A refusal names the field.
base::Result<void> check_client_message(const model::ClientMessage& message, base::Timestamp now);

// Nothing but white space: nothing was said.
bool is_blank(std::string_view words);

// A person's word as the text of a message: the member `text` of an object, a text itself, else the payload as JSON.
std::string words_of(const model::RawJson& payload);
// What else an object with a member `text` holds, as the members of a JSON object; empty: nothing.
std::string besides_words(const model::RawJson& payload);

}  // namespace belfry::rules
