#include "rules/interaction.hpp"

#include <utility>

#include "base/limits.hpp"
#include "rules/json_schema.hpp"
#include "rules/may.hpp"

namespace belfry::rules {
namespace {

namespace limits = base::limits;
using base::Code;
using model::InteractionKind;
using model::InteractionState;

base::Error invalid(std::string message, const char* field) {
    return base::error(Code::invalid, std::move(message), field);
}

base::Result<void> check_size(std::size_t bytes, std::size_t bytes_max, const char* field) {
    if (bytes <= bytes_max) return {};
    return base::error(Code::too_large, std::string(field) + " may have " + std::to_string(bytes_max) + " bytes",
                       field);
}

std::size_t size_of(const std::optional<model::RawJson>& json) {
    return json ? json->bytes().size() : 0;
}

void end(model::Interaction& interaction, InteractionState state, std::optional<model::RawJson> answer,
         std::string_view by, base::Timestamp now) {
    interaction.state = state;
    interaction.answer = std::move(answer);
    interaction.answered_by = by;
    interaction.ended_at = now;
}

model::RawJson word(std::string_view name, std::string_view value) {
    std::string out;
    model::JsonWriter(out).begin_object().field(name, value).end_object();
    return model::RawJson::trusted(std::move(out));
}

base::Result<model::RawJson> read_decision(const Words& words) {
    if (words.action) return invalid("a confirmation is answered with a decision", "action");
    if (words.content) return invalid("a confirmation takes no content", "content");
    const std::string decision = words.decision.value_or("");
    if (decision == "allow_once" || decision == "always_allow" || decision == "deny") return word("decision", decision);
    return invalid("decision must be allow_once, always_allow or deny", "decision");
}

base::Result<model::RawJson> read_action(const Words& words, const std::optional<model::RawJson>& schema) {
    if (words.decision) return invalid("an elicitation is answered with an action", "decision");
    const std::string action = words.action.value_or("");
    if (action != "accept" && action != "decline" && action != "cancel") {
        return invalid("action must be accept, decline or cancel", "action");
    }
    if (words.content && action != "accept") return invalid("content belongs to action accept", "content");
    if (action == "accept" && schema)
        TRY(check_against(schema->view(), words.content.value_or(model::RawJson()).view(), "content"));
    if (!words.content) return word("action", action);
    TRY(check_size(words.content->bytes().size(), limits::interaction_content_bytes_max, "content"));
    std::string out;
    model::JsonWriter writer(out);
    writer.begin_object().field("action", action).name("content").raw(words.content->bytes()).end_object();
    return model::RawJson::trusted(std::move(out));
}

}  // namespace

base::Error not_pending(InteractionKind kind, std::string_view id) {
    return base::error(Code::conflict,
                       "No pending " + std::string(model::interaction_kind_name(kind)) + " for id: " + std::string(id),
                       "id", "not_pending");
}

base::Result<void> check_question(const model::Interaction& draft, base::Duration time) {
    if (draft.message.empty()) return invalid("message must not be empty", "message");
    TRY(check_size(draft.message.size(), limits::interaction_message_bytes_max, "message"));
    TRY(check_size(draft.tool_name.size(), limits::tool_name_bytes_max, "tool_name"));
    TRY(check_size(size_of(draft.arguments), limits::interaction_arguments_bytes_max, "arguments"));
    TRY(check_size(size_of(draft.schema), limits::interaction_schema_bytes_max, "schema"));
    if (draft.schema && draft.kind != InteractionKind::elicitation) {
        return invalid("schema belongs to kind elicitation", "schema");
    }
    if (draft.run_id < 0) return invalid("run_id must be a positive integer", "run_id");
    if (time.us <= 0 || time > limits::interaction_time_max) {
        return invalid(
            "timeout_s must lie between 1 and " + std::to_string(limits::interaction_time_max.us / 1'000'000),
            "timeout_s");
    }
    return {};
}

base::Result<void> may_answer_interaction(const model::Principal& who, std::string_view user_id,
                                          std::string_view session_id) {
    if (who.proof == model::Proof::peer) {
        return base::error(Code::forbidden,
                           "answering for a person needs an access token of his, not the socket's user id alone");
    }
    return may_answer_for(who, user_id, session_id);
}

bool is_pending(const model::Interaction& interaction, base::Timestamp now) {
    return interaction.state == InteractionState::pending && interaction.expires_at > now;
}

bool is_allowed(const model::Interaction& interaction) {
    if (interaction.state != InteractionState::answered || !interaction.answer) return false;
    const auto decision = interaction.answer->member("decision");
    return decision && (decision->as_text() == "allow_once" || decision->as_text() == "always_allow");
}

base::Result<void> answer(model::Interaction& interaction, const Words& words, std::string_view by,
                          base::Timestamp now) {
    if (!is_pending(interaction, now)) {
        return not_pending(interaction.kind, base::format_uuid(interaction.id.uuid));
    }
    const bool is_confirmation = interaction.kind == InteractionKind::confirmation;
    TRY_ASSIGN(model::RawJson said, is_confirmation ? read_decision(words) : read_action(words, interaction.schema));
    interaction.always_allowed = is_confirmation && words.decision == "always_allow" && !interaction.tool_name.empty();
    end(interaction, InteractionState::answered, std::move(said), by, now);
    return {};
}

void answer_as_before(model::Interaction& interaction, base::Timestamp now) {
    end(interaction, InteractionState::answered,
        model::RawJson::trusted(R"({"decision":"always_allow","earlier":true})"), "earlier", now);
}

base::Result<void> take_back(model::Interaction& interaction) {
    if (!interaction.always_allowed) {
        return base::error(Code::conflict, "nothing is always allowed by this answer", "id", "not_allowed");
    }
    interaction.always_allowed = false;
    return {};
}

void expire(model::Interaction& interaction, base::Timestamp now) {
    const bool is_confirmation = interaction.kind == InteractionKind::confirmation;
    end(interaction, InteractionState::expired, is_confirmation ? word("decision", "deny") : word("action", "cancel"),
        "timeout", now);
}

void withdraw(model::Interaction& interaction, std::string_view by, base::Timestamp now) {
    end(interaction, InteractionState::withdrawn, std::nullopt, by, now);
}

}  // namespace belfry::rules
