#include "codec/event_bodies.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "base/hash.hpp"
#include "base/limits.hpp"
#include "codec/cloudevents.hpp"
#include "codec/event.hpp"
#include "codec/json.hpp"
#include "codec/media_type.hpp"

namespace belfry::codec {
namespace {

using base::Code;
using base::Result;
namespace limits = base::limits;

// How one entry is read, and how deep it may be.
struct EntryKind {
    Result<void> (*read)(JsonReader&, Result<model::Event>&);
    std::size_t depth_max;
};
constexpr EntryKind plain{read_event, limits::json_depth_max};
constexpr EntryKind cloud{read_cloudevent, cloudevent_depth_max};

// Reads the value that comes next as one entry.
Result<void> read_entry(JsonReader& reader, std::string_view text, const EntryKind& kind, ParsedEntry& entry) {
    TRY(reader.peek());
    const std::size_t from = reader.offset();
    TRY(kind.read(reader, entry.event));
    entry.bytes = text.substr(from, reader.offset() - from);
    if (auto fits = check_event_size(entry.bytes.size()); !fits.ok()) entry.event = std::move(fits).error();
    if (entry.event.ok() && !entry.event->source_id.empty()) entry.fingerprint = base::fingerprint(entry.bytes);
    return {};
}

Result<void> parse_entry(std::string_view text, const EntryKind& kind, std::size_t line, ParsedEntry& entry) {
    JsonReader reader(text, {.first_line = line, .depth_max = kind.depth_max});
    TRY(read_entry(reader, text, kind, entry));
    return reader.finish();
}

Result<void> check_batch_size(std::size_t entries) {
    if (entries <= limits::event_batch_max) return {};
    return base::error(Code::too_large, "a request has at most " + std::to_string(limits::event_batch_max) + " events");
}

Result<EventBodies> check_not_empty(EventBodies bodies) {
    if (bodies.entries.empty()) return base::error(Code::invalid, "the batch has no event");
    return bodies;
}

Result<EventBodies> split_single(EventForm form, std::string_view body, const EntryKind& kind) {
    EventBodies bodies{form, {}};
    TRY(check_event_size(body.size()));
    TRY(parse_entry(body, kind, 1, bodies.entries.emplace_back()));
    return bodies;
}

Result<EventBodies> split_array(EventForm form, std::string_view body, const EntryKind& kind) {
    EventBodies bodies{form, {}};
    // One level more: an event may be as deep in a batch as alone.
    JsonReader reader(body, {.depth_max = kind.depth_max + 1});
    TRY(reader.begin_array());
    reader.begin_paths_here();
    bodies.entries.reserve(std::min(limits::event_batch_max, body.size() / 256 + 1));
    for (;;) {
        TRY_ASSIGN(const bool more, reader.next_element());
        if (!more) break;
        TRY(check_batch_size(bodies.entries.size() + 1));
        TRY(read_entry(reader, body, kind, bodies.entries.emplace_back()));
    }
    TRY(reader.finish());
    return check_not_empty(std::move(bodies));
}

Result<EventBodies> split_lines(std::string_view body) {
    EventBodies bodies{EventForm::ndjson, {}};
    std::size_t number = 0;
    while (!body.empty()) {
        ++number;
        const std::size_t newline = std::min(body.find('\n'), body.size());
        const std::string_view line = body.substr(0, newline);
        body.remove_prefix(std::min(newline + 1, body.size()));
        if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
        TRY(check_batch_size(bodies.entries.size() + 1));
        ParsedEntry& entry = bodies.entries.emplace_back();
        entry.bytes = line;
        if (auto parsed = parse_entry(line, plain, number, entry); !parsed.ok()) {
            entry = {.event = std::move(parsed).error(), .fingerprint = {}, .bytes = line};
        }
    }
    return check_not_empty(std::move(bodies));
}

Result<EventBodies> split_json(std::string_view body) {
    JsonReader reader(body);
    TRY_ASSIGN(const model::JsonKind kind, reader.peek());
    if (kind == model::JsonKind::array) return split_array(EventForm::array, body, plain);
    if (kind == model::JsonKind::object) return split_single(EventForm::single, body, plain);
    TRY(reader.finish());
    return base::error(Code::invalid, "the body must be an event (an object) or an array of events");
}

}  // namespace

Result<EventBodies> split_events(std::string_view content_type, std::string_view body) {
    if (content_type == "application/json") return split_json(body);  // nearly always, and then without a look inside
    TRY_ASSIGN(const MediaType type, parse_media_type(content_type));
    // `curl -d` calls whatever it sends a form: what stands in it is JSON or refused as such.
    const bool is_json =
        type.name.empty() || type.name == "application/json" || type.name == "application/x-www-form-urlencoded";
    if (is_json) return split_json(body);
    if (type.name == "application/x-ndjson" || type.name == "application/ndjson" || type.name == "application/jsonl") {
        return split_lines(body);
    }
    if (type.name == "application/cloudevents+json") {
        return split_single(EventForm::cloudevent, body, cloud);
    }
    if (type.name == "application/cloudevents-batch+json") {
        return split_array(EventForm::cloudevent_batch, body, cloud);
    }
    return base::error(Code::unsupported,
                       "events come as application/json, application/x-ndjson, application/cloudevents+json or "
                       "application/cloudevents-batch+json",
                       "content-type");
}

}  // namespace belfry::codec
