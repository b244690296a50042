#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "model/event.hpp"

namespace belfry::codec {

// How a request carries its events. The first and the fourth are one event and answered as one; the others are batches.
enum class EventForm { single, array, ndjson, cloudevent, cloudevent_batch };

[[nodiscard]] constexpr bool is_batch(EventForm form) {
    return form == EventForm::array || form == EventForm::ndjson || form == EventForm::cloudevent_batch;
}

// One entry of a request: an event, or why it is none.
struct ParsedEntry {
    base::Result<model::Event> event{model::Event{}};
    std::array<std::uint8_t, 16> fingerprint{};  // of `bytes`, only where the event has a source_id; zeros otherwise
    std::string_view bytes;                      // of the request, as they came
};

struct EventBodies {
    EventForm form = EventForm::single;
    std::vector<ParsedEntry> entries;  // one at least, in the order of the request
};

// Reads a request's body, in one pass, by its Content-Type: application/json (or none) with one event or an array of
// them, application/x-ndjson, application/ndjson or application/jsonl with one event a line,
// application/cloudevents+json, application/cloudevents-batch+json.
//
// It fails as a whole with Code::unsupported (another media type, a charset other than UTF-8), Code::malformed (no
// JSON; in NDJSON a line that is none is only one refused entry, and its error names the line), Code::too_large (more
// than limits::event_batch_max entries) or Code::invalid (a batch without entries, or neither object nor array).
base::Result<EventBodies> split_events(std::string_view content_type, std::string_view body);

}  // namespace belfry::codec
