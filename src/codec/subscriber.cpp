#include "codec/subscriber.hpp"

#include <algorithm>
#include <array>
#include <tuple>

#include "base/limits.hpp"
#include "codec/subscriber_values.hpp"
#include "model/event_type.hpp"

namespace belfry::codec {
namespace {

namespace limits = base::limits;
using model::Subscriber;
using model::SubscriberProblem;

constexpr std::array<std::string_view, 5> tables{"subscriber", "events", "batching", "output", "routing"};
constexpr std::array<std::string_view, 26> fields{"subscriber.id",
                                                  "subscriber.name",
                                                  "subscriber.description",
                                                  "subscriber.version",
                                                  "events.types",
                                                  "events.sources",
                                                  "events.unmatched",
                                                  "events.severity_filter",
                                                  "batching.window_ms",
                                                  "batching.max_size",
                                                  "batching.dedupe_key",
                                                  "output.priority",
                                                  "batching.dedupe_window_ms",
                                                  "output.inject_at",
                                                  "output.template",
                                                  "output.core",
                                                  "output.core_reason",
                                                  "output.visible",
                                                  "output.text",
                                                  "output.inject_from",
                                                  "output.priority_from",
                                                  "routing.address",
                                                  "routing.target",
                                                  "routing.handler",
                                                  "routing.ttl_s",
                                                  "routing.directive"};

void read_identity(SubscriberFields& from, Subscriber& into) {
    from.required_text(
        "subscriber.id", into.id,
        [](std::string_view id) { return id.size() <= limits::subscriber_id_chars_max && is_identifier(id); },
        "must be a lower-case letter followed by lower-case letters, digits and `_`, at most " +
            std::to_string(limits::subscriber_id_chars_max) + " characters");
    from.required_text(
        "subscriber.name", into.name,
        [](std::string_view name) { return has_characters(name, 1, limits::subscriber_name_chars_max); },
        "must have 1 to " + std::to_string(limits::subscriber_name_chars_max) + " characters");
    from.required_text(
        "subscriber.description", into.description,
        [](std::string_view text) { return has_characters(text, 1, limits::subscriber_description_chars_max); },
        "must have 1 to " + std::to_string(limits::subscriber_description_chars_max) + " characters");
    from.required_text(
        "subscriber.version", into.version,
        [](std::string_view version) {
            return version.size() <= limits::subscriber_version_chars_max && is_version(version);
        },
        "must be three numbers such as 1.0.0");
}

void read_events(SubscriberFields& from, Subscriber& into) {
    from.flag("events.unmatched", into.unmatched);
    if (!from.has("events.types") && !into.unmatched) {
        from.missing("events.types", "at least one type such as tool.call.failure");
    }
    from.list("events.types", into.types, into.unmatched ? 0 : 1, limits::subscriber_types_max, model::is_type_pattern,
              "is no event type: two or more parts of letters, digits, `_` and `-` with dots between them, the last of "
              "which may be `*`, at most " +
                  std::to_string(limits::event_type_chars_max) + " characters");
    from.list(
        "events.sources", into.sources, 0, limits::subscriber_sources_max,
        [](std::string_view source) { return !source.empty() && source.size() <= limits::event_source_bytes_max; },
        "is no source: 1 to " + std::to_string(limits::event_source_bytes_max) + " bytes");
    from.choice("events.severity_filter", into.severity_min, model::parse_severity,
                "debug, info, warning, error or critical");
}

void read_batching(SubscriberFields& from, Subscriber& into) {
    const auto ms = [](std::int64_t number) { return base::milliseconds(number); };
    if (const auto window = from.number("batching.window_ms", 0, limits::batch_window_max.us / 1000)) {
        into.window = ms(*window);
    }
    if (const auto size = from.number("batching.max_size", 1, limits::batch_size_max)) {
        into.max_size = static_cast<std::size_t>(*size);
    }
    if (const auto window = from.number("batching.dedupe_window_ms", 0, limits::dedupe_window_max.us / 1000)) {
        into.dedupe_window = ms(*window);
    }
    from.text(
        "batching.dedupe_key", into.dedupe_key,
        [](std::string_view key) {
            return !key.empty() && key.size() <= limits::event_dedupe_key_bytes_max && is_dedupe_key(key);
        },
        "must be parts such as type:source:payload.tool_name, at most " +
            std::to_string(limits::event_dedupe_key_bytes_max) + " bytes, a name after every `payload.`");
}

void read_output(SubscriberFields& from, Subscriber& into) {
    from.choice("output.priority", into.priority, model::parse_priority, "critical, high, normal or low");
    from.choice("output.inject_at", into.inject_at, model::parse_inject_at,
                "immediate, turn_start, after_tool or turn_end");
    from.text(
        "output.template", into.template_name,
        [](std::string_view name) { return name.size() <= limits::template_name_chars_max && is_template_name(name); },
        "must be a file of the folder templates, such as templates/tool_failure.toon.j2: letters, digits, `_`, `-` and "
        "`.`, at most " +
            std::to_string(limits::template_name_chars_max) + " characters");
    from.text(
        "output.text", into.text_template, [](std::string_view text) { return !text.empty(); }, "must not be empty");
    const auto is_member = [](std::string_view name) {
        return name.size() <= limits::subscriber_member_chars_max && is_member_name(name);
    };
    const std::string member = "must be the name of a payload's member: letters, digits and `_`, at most " +
                               std::to_string(limits::subscriber_member_chars_max) + " characters";
    from.text("output.priority_from", into.priority_from, is_member, member);
    from.text("output.inject_from", into.inject_from, is_member, member);
    from.flag("output.core", into.core);
    from.text(
        "output.core_reason", into.core_reason,
        [](std::string_view text) { return has_characters(text, 1, limits::subscriber_description_chars_max); },
        "must have 1 to " + std::to_string(limits::subscriber_description_chars_max) + " characters");
    if (from.has("output.core_reason") && !into.core) {
        from.warn("output.core_reason", "says why it is core, and without core = true it is not");
    }
    from.flag("output.visible", into.visible);
    if (into.inject_at == model::InjectAt::immediate && into.priority != model::Priority::critical) {
        from.warn("output.inject_at", "immediate is for priority critical; with " +
                                          std::string(model::priority_name(into.priority)) +
                                          " it is the next point that comes");
    }
}

void read_routing(SubscriberFields& from, Subscriber& into) {
    from.choice("routing.address", into.address, model::parse_address, "session or user");
    from.choice("routing.target", into.target, model::parse_target, "user or agent");
    from.choice("routing.handler", into.handler, model::parse_handler, "system or agent");
    if (const auto ttl = from.number("routing.ttl_s", 1, limits::notification_ttl_max.us / 1'000'000)) {
        into.ttl = base::seconds(*ttl);
    }
    from.text(
        "routing.directive", into.directive,
        [](std::string_view text) { return !text.empty() && text.size() <= limits::subscriber_directive_bytes_max; },
        "must have 1 to " + std::to_string(limits::subscriber_directive_bytes_max) + " bytes");
}

}  // namespace

bool ParsedSubscriber::is_usable() const {
    return std::ranges::none_of(problems, &SubscriberProblem::fatal);
}

ParsedSubscriber parse_subscriber(const TomlTable& table) {
    ParsedSubscriber parsed;
    parsed.subscriber.origin = table.file;
    SubscriberFields from(table, parsed.problems);
    from.refuse_unknown(tables, fields, {}, "a subscriber");
    read_identity(from, parsed.subscriber);
    read_events(from, parsed.subscriber);
    read_batching(from, parsed.subscriber);
    read_output(from, parsed.subscriber);
    read_routing(from, parsed.subscriber);
    std::ranges::sort(parsed.problems, {}, [](const SubscriberProblem& problem) {
        return std::tuple(problem.line, problem.column, std::string_view(problem.field));
    });
    return parsed;
}

ParsedSubscriber parse_subscriber(std::string_view text, std::string_view file) {
    const auto table = parse_toml(text, file);
    if (table.ok()) return parse_subscriber(*table);
    ParsedSubscriber parsed;
    parsed.subscriber.origin = file;
    parsed.problems.push_back(problem_of_toml(table.error(), file));
    return parsed;
}

std::string problem_line(const SubscriberProblem& problem) {
    std::string line = problem.file;
    if (problem.line != 0) line += ':' + std::to_string(problem.line) + ':' + std::to_string(problem.column);
    if (!problem.field.empty()) line += ": " + problem.field;
    return line + ": " + problem.message;
}

}  // namespace belfry::codec
