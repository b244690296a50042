#pragma once

#include <span>
#include <string_view>

#include "model/raw_json.hpp"
#include "model/session.hpp"

// Sessions and what is said in them, as readers get them, in one place for all who write them.
namespace belfry::codec {

// What is no limit is null.
void append_budget(model::JsonWriter& writer, std::string_view name, const model::Budget& budget);
// What a runtime wants to know of it; what the detectors remember is theirs.
void append_progress(model::JsonWriter& writer, std::string_view name, const model::Progress& progress);

void append_session(model::JsonWriter& writer, const model::Session& session);
void append_message(model::JsonWriter& writer, const model::SessionMessage& message);

// A node of a session's history, with the messages in it.
void append_node(model::JsonWriter& writer, const model::ContextNode& node,
                 std::span<const model::SessionMessage> messages);

}  // namespace belfry::codec
