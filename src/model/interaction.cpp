#include "model/interaction.hpp"

#include <algorithm>
#include <array>

#include "model/record_json.hpp"

namespace belfry::model {
namespace {

constexpr std::array<std::string_view, 2> kinds{"confirmation", "elicitation"};
constexpr std::array<std::string_view, 4> states{"pending", "answered", "expired", "withdrawn"};

void append_json(JsonWriter& writer, std::string_view name, const std::optional<RawJson>& json) {
    writer.name(name);
    json ? writer.raw(json->bytes()) : writer.null();
}

void append_members(JsonWriter& writer, const Interaction& interaction) {
    writer.field("id", base::format_uuid(interaction.id.uuid));
    writer.field("kind", interaction_kind_name(interaction.kind)).field("session_id", interaction.session_id);
    writer.field("user_id", interaction.user_id).name("run_id");
    interaction.run_id == 0 ? writer.null() : writer.number(interaction.run_id);
    writer.field("state", interaction_state_name(interaction.state)).field("message", interaction.message);
    append_text(writer, "tool_name", interaction.tool_name);
    append_json(writer, "arguments", interaction.arguments);
    append_json(writer, "schema", interaction.schema);
    append_json(writer, "answer", interaction.answer);
    append_text(writer, "answered_by", interaction.answered_by);
    writer.name("always_allowed").boolean(interaction.always_allowed);
    writer.field("created_at", base::format_timestamp(interaction.created_at));
    writer.field("expires_at", base::format_timestamp(interaction.expires_at)).name("ended_at");
    interaction.ended_at ? writer.text(base::format_timestamp(*interaction.ended_at)) : writer.null();
}

}  // namespace

std::string_view interaction_kind_name(InteractionKind kind) {
    return kinds[static_cast<std::size_t>(kind)];
}
std::optional<InteractionKind> parse_interaction_kind(std::string_view name) {
    return parse_choice<InteractionKind>(kinds, name);
}
std::string_view interaction_state_name(InteractionState state) {
    return states[static_cast<std::size_t>(state)];
}
std::optional<InteractionState> parse_interaction_state(std::string_view name) {
    return parse_choice<InteractionState>(states, name);
}

void append_interaction(JsonWriter& writer, const Interaction& interaction) {
    writer.begin_object();
    append_members(writer, interaction);
    writer.end_object();
}

void append_interaction_line(std::string& out, const Interaction& interaction) {
    JsonWriter writer(out);
    writer.begin_object().field("type", "interaction");
    append_members(writer, interaction);
    writer.end_object();
}

void append_interaction_state_line(std::string& out, const Interaction& interaction) {
    JsonWriter writer(out);
    writer.begin_object().field("type", "interaction_state");
    writer.field("id", base::format_uuid(interaction.id.uuid)).field("session_id", interaction.session_id);
    writer.field("kind", interaction_kind_name(interaction.kind));
    writer.field("state", interaction_state_name(interaction.state));
    append_json(writer, "answer", interaction.answer);
    append_text(writer, "answered_by", interaction.answered_by);
    writer.name("always_allowed").boolean(interaction.always_allowed);
    writer.end_object();
}

}  // namespace belfry::model
