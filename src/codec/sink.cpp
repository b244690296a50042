#include "codec/sink.hpp"

#include <algorithm>
#include <array>
#include <tuple>

#include "base/limits.hpp"
#include "codec/http_url.hpp"
#include "codec/standard_webhooks.hpp"
#include "codec/subscriber_values.hpp"

namespace belfry::codec {
namespace {

namespace limits = base::limits;
using model::Sink;
using model::SinkKind;
using model::SubscriberProblem;

constexpr std::array<std::string_view, 6> tables{"sink", "when", "command", "ntfy", "webhook", "webhook.headers"};
constexpr std::array<std::string_view, 12> fields{
    "sink.id",      "sink.kind", "sink.timeout_s", "when.users", "when.severities", "when.priorities",
    "command.argv", "ntfy.url",  "ntfy.topic",     "ntfy.token", "webhook.url",     "webhook.secret"};
constexpr std::string_view headers_prefix = "webhook.headers.";

bool is_url(std::string_view text) {
    return text.size() <= limits::sink_url_bytes_max && split_http_url(text).has_value();
}

bool is_printable_ascii(std::string_view text) {
    return std::ranges::all_of(text, [](char c) { return c >= ' ' && c < '\x7f'; });
}

const std::string& url_rule() {
    static const std::string rule =
        "must be http://host[:port]/path or https://…, without user and fragment, at most " +
        std::to_string(limits::sink_url_bytes_max) + " bytes";
    return rule;
}

void read_identity(SubscriberFields& from, Sink& into) {
    from.required_text(
        "sink.id", into.id,
        [](std::string_view id) { return id.size() <= limits::subscriber_id_chars_max && is_identifier(id); },
        "must be a lower-case letter followed by lower-case letters, digits and `_`, at most " +
            std::to_string(limits::subscriber_id_chars_max) + " characters");
    if (!from.has("sink.kind")) from.missing("sink.kind", "desktop, command, ntfy or webhook");
    from.choice("sink.kind", into.kind, model::parse_sink_kind, "desktop, command, ntfy or webhook");
    if (const auto time = from.number("sink.timeout_s", 1, limits::sink_time_max.us / 1'000'000)) {
        into.time_max = base::seconds(*time);
    }
}

// A list of words as the values that they name; those that name none were refused already.
template <class Enum>
std::vector<Enum> values_of(const std::vector<std::string>& words, std::optional<Enum> (*parse)(std::string_view)) {
    std::vector<Enum> values;
    for (const std::string& word : words) {
        if (const auto value = parse(word)) values.push_back(*value);
    }
    return values;
}

void read_when(SubscriberFields& from, Sink& into) {
    from.list(
        "when.users", into.users, 1, limits::sink_users_max,
        [](std::string_view user) { return !user.empty() && user.size() <= limits::scope_id_bytes_max; },
        "is no user: 1 to " + std::to_string(limits::scope_id_bytes_max) + " bytes");
    std::vector<std::string> words;
    from.list(
        "when.priorities", words, 1, 4, [](std::string_view word) { return model::parse_priority(word).has_value(); },
        "is no priority: critical, high, normal or low");
    into.priorities = values_of(words, model::parse_priority);
    words.clear();
    from.list(
        "when.severities", words, 1, 5, [](std::string_view word) { return model::parse_severity(word).has_value(); },
        "is no severity: debug, info, warning, error or critical");
    into.severities = values_of(words, model::parse_severity);
}

void read_command(SubscriberFields& from, Sink& into) {
    if (!from.has("command.argv")) from.missing("command.argv", "the program and its arguments, without a shell");
    from.list(
        "command.argv", into.argv, 1, limits::sink_arguments_max,
        [](std::string_view word) {
            return word.size() <= limits::sink_argument_bytes_max && word.find('\0') == std::string_view::npos;
        },
        "is no argument: at most " + std::to_string(limits::sink_argument_bytes_max) + " bytes, none of them NUL");
    if (!into.argv.empty() && into.argv.front().empty()) from.missing("command.argv[0]", "the program");
}

// Many a path is a key, so a faulty one is not shown.
void read_url(SubscriberFields& from, std::string_view key, Sink& into) {
    if (!from.has(key)) from.missing(key, "it " + url_rule());
    from.secret(key, into.url, is_url, url_rule());
}

void read_ntfy(SubscriberFields& from, Sink& into) {
    read_url(from, "ntfy.url", into);
    from.required_text(
        "ntfy.topic", into.topic,
        [](std::string_view topic) {
            const auto is_part = [](char c) { return c == '-' || is_member_name({&c, 1}); };
            return !topic.empty() && topic.size() <= limits::sink_topic_chars_max &&
                   std::ranges::all_of(topic, is_part);
        },
        "must be letters, digits, `_` and `-`, at most " + std::to_string(limits::sink_topic_chars_max) +
            " characters");
    from.secret(
        "ntfy.token", into.token,
        [](std::string_view token) {
            return !token.empty() && token.size() <= limits::sink_token_bytes_max && is_printable_ascii(token);
        },
        "must be an access token of the server, at most " + std::to_string(limits::sink_token_bytes_max) + " bytes");
}

bool is_own_header(std::string_view name) {
    std::string lower;
    for (const char c : name) lower += static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
    constexpr std::array<std::string_view, 7> own{"content-length",    "content-type", "host",  "connection",
                                                  "transfer-encoding", "user-agent",   "expect"};
    return lower.starts_with("webhook-") || std::ranges::find(own, lower) != own.end();
}

void read_headers(const TomlTable& table, SubscriberFields& from, Sink& into) {
    for (const TomlEntry& entry : table.entries) {
        if (!entry.key.starts_with(headers_prefix)) continue;
        const std::string name = entry.key.substr(headers_prefix.size());
        const auto is_part = [](char c) { return c == '-' || is_member_name({&c, 1}); };
        const auto* value = std::get_if<std::string>(&entry.value);
        std::string problem;
        if (!std::ranges::all_of(name, is_part)) problem = "is no header: letters, digits, `-` and `_`";
        else if (is_own_header(name)) problem = "is set by Belfry itself";
        else if (value == nullptr || value->size() > limits::sink_header_bytes_max || !is_printable_ascii(*value)) {
            problem = "must be a text of printable ASCII, at most " + std::to_string(limits::sink_header_bytes_max) +
                      " bytes";
        }
        if (problem.empty()) into.headers.emplace_back(name, *value);
        else from.add({{}, entry.line, entry.column, entry.key, problem, true});
    }
    if (into.headers.size() > limits::sink_headers_max) {
        from.add({{}, 0, 0, "webhook.headers", "has more than " + std::to_string(limits::sink_headers_max), true});
    }
}

void read_webhook(const TomlTable& table, SubscriberFields& from, Sink& into) {
    read_url(from, "webhook.url", into);
    const std::string rule = "must be whsec_ and the base64 of " + std::to_string(limits::sink_secret_bytes_min) +
                             " to " + std::to_string(limits::sink_secret_bytes_max) + " bytes";
    if (!from.has("webhook.secret")) from.missing("webhook.secret", "it " + rule);
    std::string text;
    from.secret(
        "webhook.secret", text, [](std::string_view secret) { return parse_webhook_secret(secret).has_value(); }, rule);
    into.secret = parse_webhook_secret(text).value_or("");
    read_headers(table, from, into);
}

// A table of another kind would do nothing, which its author does not know.
void refuse_other_kinds(const TomlTable& table, SubscriberFields& from, SinkKind kind) {
    for (const TomlName& name : table.tables) {
        const std::string word = name.key.substr(0, name.key.find('.'));
        const auto other = model::parse_sink_kind(word);
        if (!other || *other == kind) continue;
        from.add(
            {{},
             name.line,
             name.column,
             name.key,
             "is for a sink of kind " + word + ", and this one is of kind " + std::string(model::sink_kind_name(kind)),
             true});
    }
}

void read_all(const TomlTable& table, ParsedSink& into) {
    SubscriberFields from(table, into.problems);
    from.refuse_unknown(tables, fields, headers_prefix, "a sink");
    read_identity(from, into.sink);
    read_when(from, into.sink);
    // Without a kind there is no telling what is missing.
    const TomlEntry* kind = table.find("sink.kind");
    const auto* word = kind == nullptr ? nullptr : std::get_if<std::string>(&kind->value);
    if (word == nullptr || !model::parse_sink_kind(*word)) return;
    refuse_other_kinds(table, from, into.sink.kind);
    switch (into.sink.kind) {
        case SinkKind::desktop: break;
        case SinkKind::command: read_command(from, into.sink); break;
        case SinkKind::ntfy: read_ntfy(from, into.sink); break;
        case SinkKind::webhook: read_webhook(table, from, into.sink); break;
    }
}

}  // namespace

bool ParsedSink::is_usable() const {
    return std::ranges::none_of(problems, &SubscriberProblem::fatal);
}

ParsedSink parse_sink(std::string_view text, std::string_view file) {
    ParsedSink parsed;
    parsed.sink.origin = file;
    const auto table = parse_toml(text, file);
    if (table.ok()) read_all(*table, parsed);
    else parsed.problems.push_back(problem_of_toml(table.error(), file));
    std::ranges::sort(parsed.problems, {}, [](const SubscriberProblem& problem) {
        return std::tuple(problem.line, problem.column, std::string_view(problem.field));
    });
    return parsed;
}

}  // namespace belfry::codec
