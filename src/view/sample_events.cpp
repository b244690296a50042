#include "view/sample_events.hpp"

#include <algorithm>
#include <array>

#include "rules/known_types.hpp"
#include "rules/type_pattern.hpp"

namespace belfry::view {
namespace {

// What members of known payloads may look like, as JSON.
constexpr std::array<std::pair<std::string_view, std::string_view>, 35> examples{{
    {"tool_name", R"("vault_search")"},
    {"call_id", R"("call_1")"},
    {"arguments", R"({"query":"belfry"})"},
    {"duration_ms", "840"},
    {"result_summary", R"("3 documents found")"},
    {"error_type", R"("timeout")"},
    {"error_message", R"("Operation timed out after 5000ms")"},
    {"retry_count", "1"},
    {"timeout_ms", "5000"},
    {"current", "42500"},
    {"limit", "50000"},
    {"percentage", "85"},
    {"remaining", "7500"},
    {"elapsed_seconds", "250"},
    {"limit_seconds", "300"},
    {"remaining_seconds", "50"},
    {"turn_number", "7"},
    {"session_id", R"("s1")"},
    {"reason", R"("done")"},
    {"tool_calls", "2"},
    {"tokens_used", "1800"},
    {"pattern", R"("vault_search → parse")"},
    {"repetitions", "3"},
    {"window_seconds", "60"},
    {"current_tokens", "164000"},
    {"max_tokens", "200000"},
    {"percent", "82"},
    {"remaining_tokens", "36000"},
    {"nodes_loaded", "12"},
    {"path", R"("src/main.py")"},
    {"turn", "7"},
    {"deliver_at", R"("next_turn")"},
    {"task_id", R"("task_1")"},
    {"last_question", R"("Where were we?")"},
    {"message", R"("look at the log again")"},
}};

std::string_view example_of(const rules::PayloadField& field) {
    const auto found = std::ranges::find(examples, field.name, &std::pair<std::string_view, std::string_view>::first);
    if (found != examples.end()) return found->second;
    return field.kind == rules::PayloadKind::number ? "1" : R"("an example")";
}

// `token` of `budget.token.warning`.
std::string_view middle_part(std::string_view type) {
    type.remove_prefix(type.find('.') + 1);
    return type.substr(0, type.find('.'));
}

model::RawJson payload_of(const rules::KnownType* known) {
    std::string json;
    model::JsonWriter writer(json);
    writer.begin_object();
    if (known == nullptr) {
        writer.field("message", "an example");
    } else {
        for (const rules::PayloadField& field : known->fields) {
            if (!field.required) continue;
            if (field.name == "budget_type") writer.field("budget_type", middle_part(known->type));
            else writer.name(field.name).raw(example_of(field));
        }
    }
    writer.end_object();
    return model::RawJson::trusted(std::move(json));
}

model::Event sample(std::string type, const rules::KnownType* known, const model::Subscriber& subscriber,
                    base::Timestamp now) {
    model::Event event;
    event.type = std::move(type);
    event.source = subscriber.sources.empty() ? "example" : subscriber.sources.front();
    event.severity = std::max(known == nullptr ? model::Severity::info : known->severity,
                              subscriber.severity_min.value_or(model::Severity::debug));
    event.timestamp = now;
    event.payload = payload_of(known);
    return event;
}

}  // namespace

std::vector<model::Event> sample_events(const model::Subscriber& subscriber, base::Timestamp now) {
    std::vector<model::Event> events;
    for (const std::string& pattern : subscriber.types) {
        bool is_known = false;
        for (const rules::KnownType& known : rules::known_types()) {
            if (!rules::matches_type(pattern, known.type)) continue;
            is_known = true;
            events.push_back(sample(std::string(known.type), &known, subscriber, now));
        }
        if (is_known) continue;
        const bool is_open = pattern.ends_with('*');
        events.push_back(
            sample(is_open ? pattern.substr(0, pattern.size() - 1) + "example" : pattern, nullptr, subscriber, now));
    }
    if (subscriber.unmatched) {
        events.push_back(sample("example.failure", nullptr, subscriber, now));
        events.back().severity = model::Severity::error;
    }
    return events;
}

}  // namespace belfry::view
