#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "codec/json.hpp"
#include "model/event.hpp"

namespace belfry::codec {

// One event as producers write it: an object with id, type, source, severity, timestamp (RFC 3339), payload (an
// object), dedupe_key, user_id, session_id, run_id (a positive integer), agent_id, tokens (strings). A member that is
// null counts as left out. Unknown members survive in Event::extensions. `id` becomes Event::source_id; `source_id`
// says the same and wins, so that an event as readers get it can be emitted again.
//
// Only the shape is checked: every member is of its kind, none stands twice (both Code::invalid, with `field`), and
// the whole is at most limits::event_bytes_max (Code::too_large). What the texts may hold is for the rules.
base::Result<model::Event> parse_event(std::string_view json);

// The same for the value that comes next in a longer text, which is always read to its end. The result of the call
// fails only where the text is no JSON; why the value is no event stands in `event`.
base::Result<void> read_event(JsonReader& reader, base::Result<model::Event>& event);

// What CloudEvents share with it: one more extension, its name in quotes; and the two limits of shape.
void append_extension(std::string& extensions, std::string_view name_token, const JsonSpan& value);
base::Result<void> check_event_size(std::size_t bytes);
base::Result<void> check_source_id(std::string_view id);

}  // namespace belfry::codec
