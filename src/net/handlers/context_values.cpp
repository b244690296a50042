#include <utility>

#include "base/context_limits.hpp"
#include "codec/notification_json.hpp"
#include "net/handlers/body.hpp"
#include "net/handlers/handlers.hpp"
#include "net/handlers/notification_words.hpp"
#include "net/handlers/pace.hpp"
#include "net/handlers/parameters.hpp"
#include "ports/commands/context.hpp"

namespace belfry::net::handlers {
namespace {

using codec::JsonReader;
namespace limits = base::limits;

constexpr std::int64_t ttl_s_min = limits::context_ttl_min.us / 1'000'000;
constexpr std::int64_t ttl_s_max = limits::context_ttl_max.us / 1'000'000;

base::Result<std::string> name_of_path(const Exchange& exchange) {
    const std::string& name = exchange.captures.front();
    TRY(model::check_context_name(name));
    return name;
}

base::Result<model::Scope> read_scope(const Exchange& exchange) {
    model::Scope scope;
    TRY(read_parameters(exchange.request, [&](const std::string& name, const std::string& value) -> base::Result<void> {
        if (name != "user" && name != "session" && name != "agent") return unknown_parameter(name);
        std::string& part = name == "user" ? scope.user_id : name == "session" ? scope.session_id : scope.agent_id;
        TRY_ASSIGN(part, parse_filter(name, value));
        return {};
    }));
    return scope;
}

base::Result<model::ContextKey> read_key(const Exchange& exchange) {
    model::ContextKey key;
    TRY_ASSIGN(key.name, name_of_path(exchange));
    TRY_ASSIGN(key.scope, read_scope(exchange));
    return key;
}

base::Result<std::unique_ptr<ports::PutContextValue>> read_put(const Exchange& exchange) {
    TRY(read_parameters(exchange.request, [](const std::string& name, const std::string&) -> base::Result<void> {
        return unknown_parameter(name);
    }));
    auto put = std::make_unique<ports::PutContextValue>();
    TRY_ASSIGN(put->key.name, name_of_path(exchange));
    model::Scope& scope = put->key.scope;
    JsonReader reader(exchange.request.body);
    TRY(read_body(reader, [&](std::string_view name) -> base::Result<void> {
        if (name == "content") {
            TRY_ASSIGN(put->content, read_text(reader, 1, limits::context_content_bytes_max));
        } else if (name == "ttl_s") {
            TRY_ASSIGN(const std::int64_t seconds, read_integer(reader, ttl_s_min, ttl_s_max));
            put->ttl = base::seconds(seconds);
        } else if (name == "user_id") {
            TRY_ASSIGN(scope.user_id, read_scope_id(reader));
        } else if (name == "session_id") {
            TRY_ASSIGN(scope.session_id, read_scope_id(reader));
        } else if (name == "agent_id") {
            TRY_ASSIGN(scope.agent_id, read_scope_id(reader));
        } else {
            return unknown(reader);
        }
        return {};
    }));
    if (put->content.empty()) return missing("content");
    put->bytes = exchange.request.body.size();
    return put;
}

void append_value(model::JsonWriter& writer, const model::ContextValue& value, codec::Readers readers) {
    const model::Scope& scope = value.key.scope;
    writer.begin_object().field("name", value.key.name).field("user_id", scope.user_id);
    codec::append_text_or_null(writer, "session_id", scope.session_id);
    codec::append_text_or_null(writer, "agent_id", scope.agent_id);
    writer.field("content", value.content).field("updated_at", base::format_timestamp(value.set_at));
    writer.field("expires_at", base::format_timestamp(value.expires_at));
    codec::append_text_or_null(writer, "set_by", readers == codec::Readers::all ? value.set_by : "");
    writer.end_object();
}

void answer_value(const Reply& to, const base::Result<model::ContextValue>& result, codec::Readers readers) {
    if (!result) return to.fail(result.error());
    std::string body;
    model::JsonWriter writer(body);
    append_value(writer, *result, readers);
    to.respond({200, "application/json", body, {}});
}

// A user has so few values that one page holds them all.
std::string list_body(const std::vector<model::ContextValue>& values, codec::Readers readers) {
    std::string body;
    model::JsonWriter writer(body);
    writer.begin_object().name("data").begin_array();
    for (const model::ContextValue& value : values) append_value(writer, value, readers);
    writer.end_array().name("next").null().name("has_more").boolean(false).end_object();
    return body;
}

}  // namespace

void put_context_value(const Exchange& exchange) {
    auto wish = read_put(exchange);
    if (!wish) return exchange.fail(wish.error());
    if (is_too_fast(exchange, 1)) return;
    auto command = std::move(wish).value();
    command->done = [to = exchange.reply(), readers = readers_of(exchange.principal())](
                        const base::Result<model::ContextValue>& result) { answer_value(to, result, readers); };
    exchange.submit(std::move(command));
}

void delete_context_value(const Exchange& exchange) {
    auto key = read_key(exchange);
    if (!key) return exchange.fail(key.error());
    auto command = std::make_unique<ports::DeleteContextValue>();
    command->key = std::move(key).value();
    command->done = [to = exchange.reply()](const base::Result<ports::Nothing>& result) {
        if (!result) return to.fail(result.error());
        to.respond({204, "", "", {}});
    };
    exchange.submit(std::move(command));
}

void get_context_value(const Exchange& exchange) {
    auto key = read_key(exchange);
    if (!key) return exchange.fail(key.error());
    exchange.service.ports.queries.context_value(
        exchange.principal(), std::move(key).value(),
        [to = exchange.reply(), readers = readers_of(exchange.principal())](
            const base::Result<model::ContextValue>& result) { answer_value(to, result, readers); });
}

void list_context_values(const Exchange& exchange) {
    auto scope = read_scope(exchange);
    if (!scope) return exchange.fail(scope.error());
    ports::ContextFilter filter{
        std::move(scope->user_id), std::move(scope->session_id), std::move(scope->agent_id), {}};
    exchange.service.ports.queries.context_values(
        exchange.principal(), std::move(filter),
        [to = exchange.reply(),
         readers = readers_of(exchange.principal())](const base::Result<std::vector<model::ContextValue>>& result) {
            if (!result) return to.fail(result.error());
            to.respond({200, "application/json", list_body(*result, readers), {}});
        });
}

}  // namespace belfry::net::handlers
