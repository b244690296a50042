#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/time.hpp"
#include "base/uuid.hpp"
#include "model/raw_json.hpp"
#include "model/run.hpp"

namespace belfry::model {

using InteractionId = base::Id<struct InteractionTag>;

// A question of an agent to a person: may I use this tool, or a small form.
enum class InteractionKind : std::uint8_t { confirmation, elicitation };
std::string_view interaction_kind_name(InteractionKind kind);
std::optional<InteractionKind> parse_interaction_kind(std::string_view name);

// Pending until one of the others, which never change. An expired one has an answer, too: `deny` or `cancel`.
enum class InteractionState : std::uint8_t { pending, answered, expired, withdrawn };
std::string_view interaction_state_name(InteractionState state);
std::optional<InteractionState> parse_interaction_state(std::string_view name);

struct Interaction {
    InteractionId id;
    std::int64_t ordinal = 0;  // rises in the ledger; given by the store
    InteractionKind kind = InteractionKind::confirmation;
    std::string session_id;
    std::string user_id;  // the session's
    RunId run_id = 0;     // whose stream hears of it, too; 0: none
    InteractionState state = InteractionState::pending;
    std::string message;
    std::string tool_name;             // empty: none
    std::optional<RawJson> arguments;  // of the tool
    std::optional<RawJson> schema;     // of an elicitation: what is asked for
    std::optional<RawJson> answer;     // {"decision":…} or {"action":…,"content":…}
    std::string answered_by;           // a principal, or `timeout`; empty: nobody
    bool always_allowed = false;       // by this answer its tool is allowed in this session without asking
    base::Timestamp created_at;
    base::Timestamp expires_at;
    std::optional<base::Timestamp> ended_at;

    bool operator==(const Interaction&) const = default;
};

// `{"id":…,"kind":…,…}`, into a writer of somebody else.
void append_interaction(JsonWriter& writer, const Interaction& interaction);
// The lines of a person's inbox: `{"type":"interaction",…}` for one that is asked, `{"type":"interaction_state",…}` for
// what has become of it. One line each, appended.
void append_interaction_line(std::string& out, const Interaction& interaction);
void append_interaction_state_line(std::string& out, const Interaction& interaction);

}  // namespace belfry::model
