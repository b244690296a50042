#include <utility>

#include "base/limits.hpp"
#include "codec/utf8.hpp"
#include "net/handlers/body.hpp"
#include "net/handlers/handlers.hpp"
#include "net/handlers/notification_words.hpp"
#include "net/handlers/pace.hpp"
#include "ports/commands/delivery.hpp"

namespace belfry::net::handlers {
namespace {

using codec::JsonReader;
namespace limits = base::limits;

constexpr std::int64_t ttl_s_max = limits::notification_ttl_max.us / 1'000'000;
constexpr const char* priority_rule = "must be critical, high, normal or low";

template <class T>
base::Result<T> read_choice(JsonReader& reader, std::optional<T> (*parse)(std::string_view), const char* rule) {
    TRY_ASSIGN(const std::string_view text, reader.read_string());
    const std::optional<T> choice = parse(text);
    if (!choice) return reader.invalid(rule);
    return *choice;
}

// What was said of the three axes; the rest follows from whether there is a session.
struct Axes {
    std::optional<model::Address> address;
    std::optional<model::Target> target;
    std::optional<model::Handler> handler;
};

base::Result<void> read_routing(JsonReader& reader, Axes& axes) {
    return read_members(reader, [&](std::string_view name) -> base::Result<void> {
        if (name == "address") {
            TRY_ASSIGN(axes.address, read_choice(reader, model::parse_address, "must be session or user"));
        } else if (name == "target") {
            TRY_ASSIGN(axes.target, read_choice(reader, model::parse_target, "must be user or agent"));
        } else if (name == "handler") {
            TRY_ASSIGN(axes.handler, read_choice(reader, model::parse_handler, "must be system or agent"));
        } else {
            return unknown(reader);
        }
        return {};
    });
}

base::Result<void> read_scope_member(JsonReader& reader, std::string_view name, ports::EmitNotification& wish) {
    model::Notification& draft = wish.draft;
    if (name == "session_id") {
        TRY_ASSIGN(draft.scope.session_id, read_scope_id(reader));
    } else if (name == "user_id") {
        TRY_ASSIGN(draft.scope.user_id, read_scope_id(reader));
    } else if (name == "agent_id") {
        TRY_ASSIGN(draft.scope.agent_id, read_scope_id(reader));
    } else if (name == "deduplication_key") {
        TRY_ASSIGN(draft.deduplication_key, read_text(reader, 1, limits::deduplication_key_bytes_max));
    } else if (name == "caused_by") {
        TRY_ASSIGN(wish.caused_by, read_notification_key(reader));
    } else if (name == "lease") {
        TRY_ASSIGN(wish.lease, read_integer(reader, 1, limits::reported_count_max));
    } else {
        return unknown(reader);
    }
    return {};
}

base::Result<void> read_emit_member(JsonReader& reader, std::string_view name, ports::EmitNotification& wish,
                                    Axes& axes) {
    model::Notification& draft = wish.draft;
    if (name == "content") {
        TRY_ASSIGN(draft.content, read_text(reader, 1, limits::notification_content_bytes_max));
    } else if (name == "text") {
        TRY_ASSIGN(draft.text, read_text(reader, 1, limits::notification_text_bytes_max));
    } else if (name == "routing") {
        TRY(read_routing(reader, axes));
    } else if (name == "priority") {
        TRY_ASSIGN(draft.priority, read_choice(reader, model::parse_priority, priority_rule));
    } else if (name == "inject_at") {
        TRY_ASSIGN(draft.inject_at, read_choice(reader, model::parse_inject_at,
                                                "must be immediate, turn_start, after_tool or turn_end"));
    } else if (name == "severity") {
        TRY_ASSIGN(draft.severity,
                   read_choice(reader, model::parse_severity, "must be debug, info, warning, error or critical"));
    } else if (name == "directive") {
        TRY_ASSIGN(draft.directive, read_text(reader, 0, limits::subscriber_directive_bytes_max));
    } else if (name == "tone_hint") {
        TRY_ASSIGN(draft.tone_hint, read_text(reader, 0, limits::tone_hint_bytes_max));
    } else if (name == "metadata") {
        TRY_ASSIGN(draft.metadata, read_json_object(reader, limits::notification_metadata_bytes_max));
    } else if (name == "ttl_s") {
        TRY_ASSIGN(const std::int64_t seconds, read_integer(reader, 1, ttl_s_max));
        draft.ttl = base::seconds(seconds);
    } else {
        return read_scope_member(reader, name, wish);
    }
    return {};
}

base::Result<std::unique_ptr<ports::EmitNotification>> read_emit(const Exchange& exchange) {
    auto wish = std::make_unique<ports::EmitNotification>();
    Axes axes;
    JsonReader reader(exchange.request.body);
    TRY(read_body(reader, [&](std::string_view name) { return read_emit_member(reader, name, *wish, axes); }));
    model::Notification& draft = wish->draft;
    if (draft.content.empty() && draft.text.empty()) {
        return base::error(base::Code::invalid, "content or text must be given", "content");
    }
    const bool has_session = !draft.scope.session_id.empty();
    draft.address = axes.address.value_or(has_session ? model::Address::session : model::Address::user);
    draft.target = axes.target.value_or(model::Target::user);
    draft.handler = axes.handler.value_or(model::Handler::system);
    if (draft.address == model::Address::session && !has_session) {
        return base::error(base::Code::invalid, "must be given where routing.address is session", "session_id");
    }
    wish->bytes = exchange.request.body.size();
    return wish;
}

base::Result<void> check_text(std::string_view text, std::size_t bytes_max, const char* field) {
    if (text.size() > bytes_max) {
        return base::error(base::Code::invalid, "must have at most " + std::to_string(bytes_max) + " bytes", field);
    }
    if (!codec::is_utf8(text)) return base::error(base::Code::invalid, "must be UTF-8", field);
    return {};
}

// One line that rings: the body is the text, a title stands above it. A browser's own Priority field (`u=1`) is not
// meant for us.
base::Result<std::unique_ptr<ports::EmitNotification>> read_ring(const Exchange& exchange) {
    auto wish = std::make_unique<ports::EmitNotification>();
    TRY_ASSIGN(const std::string topic, scope_id_of_path(exchange, "topic"));
    const std::string_view title = exchange.request.header(wire::Header::title);
    const std::string_view priority = exchange.request.header(wire::Header::priority);
    std::string_view body = exchange.request.body;
    while (body.ends_with('\n') || body.ends_with('\r')) body.remove_suffix(1);
    if (body.empty()) return base::error(base::Code::invalid, "must not be empty", "body");
    TRY(check_text(title, limits::notify_title_bytes_max, "Title"));
    model::Notification& draft = wish->draft;
    draft.text = title.empty() ? std::string(body) : std::string(title) + "\n" + std::string(body);
    TRY(check_text(draft.text, limits::notification_text_bytes_max, "body"));
    if (!priority.empty() && priority.find('=') == std::string_view::npos) {
        const auto named = model::parse_priority(priority);
        if (!named) return base::error(base::Code::invalid, priority_rule, "Priority");
        draft.priority = *named;
    }
    draft.address = model::Address::user;
    draft.target = model::Target::user;
    draft.handler = model::Handler::system;
    std::string metadata;
    model::JsonWriter writer(metadata);
    writer.begin_object().field("topic", topic);
    if (!title.empty()) writer.field("title", title);
    writer.end_object();
    draft.metadata = model::RawJson::trusted(std::move(metadata));
    wish->bytes = exchange.request.body.size();
    return wish;
}

void submit_emit(const Exchange& exchange, base::Result<std::unique_ptr<ports::EmitNotification>> wish) {
    if (!wish) return exchange.fail(wish.error());
    if (is_too_fast(exchange, 1)) return;
    auto command = std::move(wish).value();
    exchange.submit(std::move(command), [](const Reply& to, const base::Result<ports::EmittedNotification>& result) {
        if (!result) return to.fail(result.error());
        answer_notification(to, result->is_new ? 201 : 200, result->notification,
                            codec::Readers::all);  // its own words
    });
}

}  // namespace

void emit_notification(const Exchange& exchange) {
    submit_emit(exchange, read_emit(exchange));
}

void notify_topic(const Exchange& exchange) {
    submit_emit(exchange, read_ring(exchange));
}

}  // namespace belfry::net::handlers
