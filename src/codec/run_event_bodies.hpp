#pragma once

#include <cstddef>
#include <string_view>

#include "base/result.hpp"
#include "codec/json.hpp"
#include "model/run.hpp"
#include "model/run_event.hpp"

// What producers say in a run: `{"event":"llm.stream","data":…,"source":{…},"id":…,"timestamp":…}`, of which only the
// name must be there. Data may be any JSON; without it, it is the empty object.
namespace belfry::codec {

// One event a line? By the Content-Type, of whatever charset.
[[nodiscard]] bool is_ndjson(std::string_view content_type);

// Reads a whole body by its Content-Type: application/json (or none) with one event or an array of them, or one event a
// line. All of them or none: what is wrong with one is the error of the whole, its field the path in an array
// (`[3].event`), and of lines `line` is the number of the one.
base::Result<model::RunEvents> read_run_events(std::string_view content_type, std::string_view body, std::size_t& line);

// Adds one line of an upload; what is empty adds nothing.
base::Result<void> append_run_event_line(std::string_view line, std::size_t number, model::RunEvents& out);

// A caller context that stands next, and what makes it none.
base::Result<model::CallerContext> read_caller(JsonReader& reader);

}  // namespace belfry::codec
