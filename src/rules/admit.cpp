#include "rules/admit.hpp"

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "base/characters.hpp"
#include "base/limits.hpp"
#include "rules/client_message.hpp"
#include "rules/known_types.hpp"
#include "rules/type_pattern.hpp"

namespace belfry::rules {
namespace {

namespace limits = base::limits;
using base::Code;

base::Result<void> check_size(std::string_view text, std::size_t bytes_max, const char* field) {
    if (text.size() <= bytes_max) return {};
    return base::error(Code::invalid,
                       std::string(field) + " has " + std::to_string(text.size()) + " bytes; at most " +
                           std::to_string(bytes_max) + " are allowed",
                       field);
}

base::Result<void> check_type(std::string_view type) {
    if (type.empty()) return base::error(Code::invalid, "type is required", "type");
    if (type.size() > limits::event_type_chars_max) return check_size(type, limits::event_type_chars_max, "type");
    if (!is_event_type(type)) {
        return base::error(Code::invalid,
                           "type must be two or more parts of letters, digits, '_' or '-', joined by dots, such as "
                           "tool.call.failure",
                           "type");
    }
    return {};
}

base::Result<void> check_tokens(const std::vector<std::string>& tokens) {
    if (tokens.size() > limits::event_tokens_max) {
        return base::error(Code::invalid,
                           "tokens has " + std::to_string(tokens.size()) + " entries; at most " +
                               std::to_string(limits::event_tokens_max) + " are allowed",
                           "tokens");
    }
    for (const std::string& token : tokens) {
        if (token.empty()) return base::error(Code::invalid, "tokens must not contain an empty entry", "tokens");
        TRY(check_size(token, limits::event_token_bytes_max, "tokens"));
    }
    return {};
}

base::Result<void> check_payload_field(const PayloadField& field, std::optional<model::JsonView> value,
                                       std::string_view type) {
    const auto path = [&] { return "payload." + std::string(field.name); };
    if (!value || value->kind() == model::JsonKind::null) {
        if (!field.required) return {};
        return base::error(Code::invalid, std::string(type) + " needs " + path(), path());
    }
    if (field.kind == PayloadKind::text && value->kind() != model::JsonKind::string) {
        return base::error(Code::invalid, path() + " must be a string", path());
    }
    if (field.kind == PayloadKind::number && value->kind() != model::JsonKind::number) {
        return base::error(Code::invalid, path() + " must be a number", path());
    }
    return {};
}

// The payload is gone through once, however many fields are looked for; names with escapes are looked for one by one.
base::Result<void> check_payload(const KnownType& known, const model::RawJson& payload) {
    std::array<std::optional<model::JsonView>, known_fields_max> found;
    bool has_escapes = payload.view().kind() != model::JsonKind::object;
    if (!has_escapes) {
        model::JsonWalker members(payload.view());
        std::string_view name;
        while (const auto value = members.next(&name)) {
            has_escapes = has_escapes || name.find('\\') != std::string_view::npos;
            for (std::size_t i = 0; i < known.fields.size(); ++i) {
                if (name == known.fields[i].name) found[i] = value;
            }
        }
    }
    if (has_escapes) {
        for (std::size_t i = 0; i < known.fields.size(); ++i) found[i] = payload.member(known.fields[i].name);
    }
    for (std::size_t i = 0; i < known.fields.size(); ++i) {
        TRY(check_payload_field(known.fields[i], found[i], known.type));
    }
    return {};
}

}  // namespace

base::Result<void> check_scope_id(std::string_view id, const char* field) {
    TRY(check_size(id, limits::scope_id_bytes_max, field));
    if (base::has_harmful(id)) {
        return base::error(Code::invalid, std::string(field) + " must not contain control characters", field);
    }
    return {};
}

base::Result<void> admit(model::Event& event, base::Timestamp now) {
    TRY(check_type(event.type));
    if (event.source.empty()) return base::error(Code::invalid, "source is required", "source");
    TRY(check_size(event.source, limits::event_source_bytes_max, "source"));
    TRY(check_size(event.dedupe_key, limits::event_dedupe_key_bytes_max, "dedupe_key"));
    TRY(check_size(event.source_id, limits::event_source_id_bytes_max, "id"));
    TRY(check_scope_id(event.user_id, "user_id"));
    TRY(check_scope_id(event.session_id, "session_id"));
    TRY(check_scope_id(event.agent_id, "agent_id"));
    if (!event.agent_id.empty() && is_blank(event.agent_id)) {
        return base::error(Code::invalid, "agent_id must not be blank", "agent_id");
    }
    if (event.run_id < 0) return base::error(Code::invalid, "run_id must be a positive integer", "run_id");
    TRY(check_tokens(event.tokens));
    const KnownType* known = find_known_type(event.type);
    if (known != nullptr) TRY(check_payload(*known, event.payload));
    if (!event.severity) event.severity = known != nullptr ? known->severity : model::Severity::info;
    if (!event.timestamp) event.timestamp = now;
    if (event.dedupe_key.empty()) event.dedupe_key = event.type + ":" + event.source;
    return {};
}

}  // namespace belfry::rules
