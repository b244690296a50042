#pragma once

#include <algorithm>
#include <string>

#include "base/assert.hpp"
#include "codec/event.hpp"
#include "codec/json.hpp"
#include "model/event.hpp"

namespace belfry::fuzz {

// What intake would fill in or demand: the writer escapes no types, because the rules let only plain ones through.
inline void complete(model::Event& event) {
    if (!event.severity) event.severity = model::Severity::info;
    if (!event.timestamp) event.timestamp = base::Timestamp{1};
    const bool plain = std::ranges::all_of(event.type, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '-' ||
               c == '_';
    });
    if (!plain) event.type = "fuzz.type";
}

// An event that was read can be written as one line of valid JSON, and read again it is the same.
inline void check_round_trip(model::Event event) {
    complete(event);
    std::string text;
    model::append_event_json(text, event);
    ASSERT(text.find('\n') == std::string::npos);
    const auto valid = codec::validate(text);
    ASSERT(valid.ok());
    ASSERT(valid->bytes() == text);

    const auto again = codec::parse_event(text);
    ASSERT(again.ok());
    ASSERT(again->type == event.type);
    ASSERT(again->source == event.source);
    ASSERT(again->severity == event.severity);
    ASSERT(again->timestamp == event.timestamp);
    ASSERT(again->payload == event.payload);
    ASSERT(again->dedupe_key == event.dedupe_key);
    ASSERT(again->user_id == event.user_id);
    ASSERT(again->session_id == event.session_id);
    ASSERT(again->run_id == event.run_id);
    ASSERT(again->agent_id == event.agent_id);
    ASSERT(again->tokens == event.tokens);
    ASSERT(again->extensions == event.extensions);
    ASSERT(again->source_id == (event.source_id.empty() ? base::format_uuid(event.id.uuid) : event.source_id));
}

}  // namespace belfry::fuzz
