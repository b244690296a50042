#include <algorithm>
#include <utility>

#include "base/limits.hpp"
#include "codec/agent_messages.hpp"
#include "codec/notification_json.hpp"
#include "net/handlers/body.hpp"
#include "net/handlers/context_words.hpp"
#include "net/handlers/handlers.hpp"
#include "net/handlers/notification_words.hpp"
#include "net/handlers/parameters.hpp"
#include "ports/commands/notifications.hpp"

namespace belfry::net::handlers {
namespace {

using codec::AgentFormat;
using codec::JsonReader;
namespace limits = base::limits;

base::Result<AgentFormat> read_format(const wire::Request& request) {
    AgentFormat format = AgentFormat::plain;
    TRY(read_parameters(request, [&](const std::string& name, const std::string& value) -> base::Result<void> {
        if (name != "format") return unknown_parameter(name);
        const auto known = codec::parse_agent_format(value);
        if (!known) return base::error(base::Code::invalid, "must be openai or anthropic", "format");
        format = *known;
        return {};
    }));
    return format;
}

base::Result<void> read_pull_member(JsonReader& reader, std::string_view name, ports::PullNotifications& pull,
                                    bool& has_point) {
    if (name == "point") {
        TRY_ASSIGN(const std::string_view text, reader.read_string());
        const auto point = model::parse_inject_at(text);
        if (!point) return reader.invalid("must be immediate, turn_start, after_tool or turn_end");
        pull.point = *point;
        has_point = true;
    } else if (name == "budget_tokens") {
        TRY_ASSIGN(pull.budget_tokens, read_integer(reader, 1, limits::pull_budget_tokens_max));
    } else if (name == "lease_s") {
        TRY_ASSIGN(pull.lease, read_lease_s(reader));
    } else if (name == "acknowledge") {
        TRY_ASSIGN(pull.acknowledge, read_uuid(reader));
    } else if (name == "pull_id") {
        TRY_ASSIGN(pull.pull_id, read_uuid(reader));
    } else if (name == "context") {
        TRY_ASSIGN(pull.context, read_context_request(reader));
    } else {
        return unknown(reader);
    }
    return {};
}

base::Result<std::unique_ptr<ports::PullNotifications>> read_pull(const Exchange& exchange) {
    auto pull = std::make_unique<ports::PullNotifications>();
    TRY_ASSIGN(pull->session_id, scope_id_of_path(exchange, "session_id"));
    bool has_point = false;
    JsonReader reader(exchange.request.body);
    TRY(read_body(reader, [&](std::string_view name) { return read_pull_member(reader, name, *pull, has_point); }));
    if (!has_point) return missing("point");
    pull->bytes = exchange.request.body.size();
    return pull;
}

void append_item(model::JsonWriter& writer, const ports::PulledItem& item) {
    const model::Notification& notification = item.notification;
    writer.begin_object().field("handle", item.handle).field("id", base::format_uuid(notification.id.uuid));
    writer.field("lease", static_cast<long long>(notification.lease));
    writer.field("version", static_cast<long long>(notification.version));
    writer.field("subscriber", notification.subscriber_id);
    writer.field("priority", model::priority_name(notification.priority));
    writer.field("inject_at", model::inject_at_name(notification.inject_at));
    writer.field("severity", model::severity_name(notification.severity));
    writer.field("content", notification.content).field("text", notification.text);
    if (!notification.directive.empty()) writer.field("directive", notification.directive);
    codec::append_notified_events(writer, "events", notification.events);
    writer.field("created_at", base::format_timestamp(notification.created_at));
    writer.field("tokens", static_cast<long long>(notification.model_tokens)).name("again").boolean(item.again);
    writer.name("needs_answer").boolean(item.needs_answer).name("must_tell").boolean(item.must_tell);
    if (!item.stands_for.empty()) {
        writer.name("stands_for").begin_array();
        for (const std::string& handle : item.stands_for) writer.text(handle);
        writer.end_array();
    }
    writer.end_object();
}

std::string agent_text(const ports::PullReply& reply) {
    codec::AgentContext context;
    context.items.reserve(reply.items.size());
    for (const ports::PulledItem& item : reply.items) {
        const model::Notification& notification = item.notification;
        const std::string_view tone = item.needs_answer ? std::string_view(notification.tone_hint) : "";
        context.items.push_back({item.handle, model::priority_name(notification.priority), notification.subscriber_id,
                                 notification.directive, tone, notification.content, item.needs_answer,
                                 item.must_tell});
    }
    context.seen = reply.seen;
    context.digest = reply.digest;
    for (const model::ContextValue& value : reply.context) {
        const std::int64_t age_s = std::max<std::int64_t>((reply.at - value.set_at).us / 1'000'000, 0);
        context.values.push_back({value.key.name, age_s, value.content});
    }
    context.values_left_out = reply.context_left_out.size();
    return codec::wrap_for_agent(context, reply.fence);
}

std::string pull_body(const ports::PullReply& reply, AgentFormat format, bool asks_context) {
    std::string body;
    model::JsonWriter writer(body);
    writer.begin_object().name("pull_id");
    reply.pull_id.is_nil() ? writer.null() : writer.text(base::format_uuid(reply.pull_id));
    writer.name("items").begin_array();
    for (const ports::PulledItem& item : reply.items) append_item(writer, item);
    writer.end_array().name("user_messages").begin_array();
    for (const model::SessionMessage& message : reply.user_messages) append_user_message(writer, message);
    writer.end_array().field("tokens", static_cast<long long>(reply.model_tokens));
    writer.field("waiting", static_cast<long long>(reply.waiting));
    codec::append_time_or_null(writer, "lease_until", reply.lease_until);
    writer.field("acknowledged", static_cast<long long>(reply.acknowledged));
    writer.name("seen").begin_array();
    for (const std::string& fact : reply.seen) writer.text(fact);
    writer.end_array().field("digest", reply.digest);
    if (asks_context) append_context(writer, reply.context, reply.context_left_out);
    const std::string text = agent_text(reply);
    writer.field("text", text);
    if (format != AgentFormat::plain) {
        writer.name("messages");
        std::vector<std::string_view> words;
        for (const model::SessionMessage& message : reply.user_messages) words.push_back(message.content);
        codec::append_agent_messages(writer, format, text, words);
        // Always the same: tools that come and go between two calls of a model cost it its prompt cache.
        writer.name("tools");
        codec::append_agent_tools(writer, format);
    }
    writer.end_object();
    return body;
}

base::Result<ports::Acknowledge::Item> read_item(JsonReader& reader) {
    ports::Acknowledge::Item item;
    TRY(read_members(reader, [&](std::string_view name) -> base::Result<void> {
        if (name == "id") {
            TRY_ASSIGN(item.key, read_notification_key(reader));
        } else if (name == "lease") {
            TRY_ASSIGN(item.lease, read_integer(reader, 1, limits::reported_count_max));
        } else if (name == "version") {
            TRY_ASSIGN(item.version, read_integer(reader, 1, limits::reported_count_max));
        } else {
            return unknown(reader);
        }
        return {};
    }));
    if (item.key.empty()) return reader.invalid("must have an id");
    if (item.lease == 0) return reader.invalid("must have a lease");
    return item;
}

base::Result<void> read_items(JsonReader& reader, std::vector<ports::Acknowledge::Item>& items) {
    TRY(reader.begin_array());
    for (;;) {
        TRY_ASSIGN(const bool more, reader.next_element());
        if (!more) return {};
        if (items.size() == limits::pull_items_max) {
            return reader.invalid("is one too many; at most " + std::to_string(limits::pull_items_max) +
                                  " items are allowed");
        }
        TRY_ASSIGN(ports::Acknowledge::Item item, read_item(reader));
        items.push_back(std::move(item));
    }
}

base::Result<std::unique_ptr<ports::Acknowledge>> read_acknowledge(const Exchange& exchange) {
    auto wish = std::make_unique<ports::Acknowledge>();
    TRY_ASSIGN(wish->session_id, scope_id_of_path(exchange, "session_id"));
    bool has_items = false;
    JsonReader reader(exchange.request.body);
    TRY(read_body(reader, [&](std::string_view name) -> base::Result<void> {
        if (name == "pull_id") {
            TRY_ASSIGN(wish->pull_id, read_uuid(reader));
            return {};
        }
        if (name != "items") return unknown(reader);
        has_items = true;
        return read_items(reader, wish->items);
    }));
    if (wish->pull_id && has_items) {
        return base::error(base::Code::invalid, "either a whole hand-over or single items, not both", "items");
    }
    if (!wish->pull_id && !has_items) return missing("pull_id");
    if (has_items && wish->items.empty()) return base::error(base::Code::invalid, "must not be empty", "items");
    wish->bytes = exchange.request.body.size();
    return wish;
}

}  // namespace

void pull_notifications(const Exchange& exchange) {
    const auto format = read_format(exchange.request);
    if (!format) return exchange.fail(format.error());
    auto pull = read_pull(exchange);
    if (!pull) return exchange.fail(pull.error());
    auto command = std::move(pull).value();
    command->done = [to = exchange.reply(), format = *format,
                     asks_context = !command->context.is_empty()](const base::Result<ports::PullReply>& result) {
        if (!result) return to.fail(result.error());
        to.respond({200, "application/json", pull_body(*result, format, asks_context), {}});
    };
    exchange.submit(std::move(command));
}

void acknowledge(const Exchange& exchange) {
    auto wish = read_acknowledge(exchange);
    if (!wish) return exchange.fail(wish.error());
    auto command = std::move(wish).value();
    command->lane = ports::Lane::control;
    exchange.submit(std::move(command), [](const Reply& to, const base::Result<ports::AcknowledgeReply>& result) {
        if (!result) return to.fail(result.error());
        std::string body;
        model::JsonWriter writer(body);
        writer.begin_object().field("acknowledged", static_cast<long long>(result->acknowledged));
        writer.name("untold").begin_array();
        for (const std::string& handle : result->untold) writer.text(handle);
        writer.end_array().end_object();
        to.respond({200, "application/json", body, {}});
    });
}

}  // namespace belfry::net::handlers
