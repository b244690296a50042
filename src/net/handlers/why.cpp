#include <charconv>
#include <utility>

#include "base/limits.hpp"
#include "codec/notification_json.hpp"
#include "net/handlers/body.hpp"
#include "net/handlers/context_words.hpp"
#include "net/handlers/handlers.hpp"
#include "net/handlers/notification_words.hpp"
#include "net/handlers/parameters.hpp"

namespace belfry::net::handlers {
namespace {

namespace limits = base::limits;

void append_waiting(model::JsonWriter& writer, const model::WaitingRow& row) {
    writer.begin_object().field("subscriber", row.subscriber_id);
    writer.field("kind", row.kind == model::WaitingKind::row ? "row" : "repeat");
    writer.field("count", static_cast<long long>(row.count));
    writer.field("until", base::format_timestamp(row.due_at)).end_object();
}

std::string why_body(const ports::Why& why, codec::Readers readers) {
    std::string body;
    model::JsonWriter writer(body);
    writer.begin_object().name("event");
    why.event ? writer.raw(why.event->json) : writer.null();
    writer.name("sequence");
    why.event ? writer.number(static_cast<long long>(why.event->sequence)) : writer.null();
    codec::append_text_or_null(writer, "reached_nobody", why.reached_nobody);
    writer.name("subscribers").begin_array();
    for (const ports::WhySubscriber& one : why.subscribers) {
        writer.begin_object().field("id", one.id).field("verdict", ports::why_verdict_name(one.verdict)).end_object();
    }
    writer.end_array().name("waiting").begin_array();
    for (const model::WaitingRow& row : why.waiting) append_waiting(writer, row);
    writer.end_array().name("notifications").begin_array();
    for (const ports::WhyNotification& one : why.notifications) {
        writer.begin_object().name("notification");
        codec::append_notification(writer, one.notification, readers);
        writer.name("as_repeat").boolean(one.as_repeat).name("steps").begin_array();
        for (const model::Transition& step : one.steps) codec::append_transition(writer, step);
        writer.end_array().end_object();
    }
    writer.end_array().end_object();
    return body;
}

base::Result<std::int64_t> parse_budget(const std::string& text) {
    std::int64_t budget = 0;
    const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), budget);
    const bool whole = ec == std::errc{} && end == text.data() + text.size();
    if (!whole || budget < 1 || budget > limits::pull_budget_tokens_max) {
        return base::error(base::Code::invalid,
                           "must be a number from 1 to " + std::to_string(limits::pull_budget_tokens_max),
                           "budget_tokens");
    }
    return budget;
}

base::Result<ports::ContextQuestion> read_question(const Exchange& exchange) {
    ports::ContextQuestion question;
    TRY_ASSIGN(question.session_id, scope_id_of_path(exchange, "session_id"));
    bool has_point = false;
    TRY(read_parameters(exchange.request, [&](const std::string& name, const std::string& value) -> base::Result<void> {
        if (name == "point") {
            const auto point = model::parse_inject_at(value);
            if (!point) {
                return base::error(base::Code::invalid, "must be immediate, turn_start, after_tool or turn_end", name);
            }
            question.point = *point;
            has_point = true;
        } else if (name == "budget_tokens") {
            TRY_ASSIGN(question.budget_tokens, parse_budget(value));
        } else if (name == "context") {
            TRY_ASSIGN(question.context, parse_context_request(value));
        } else {
            return unknown_parameter(name);
        }
        return {};
    }));
    if (!has_point) return missing("point");
    return question;
}

std::string context_body(const ports::ContextPreview& preview, bool asks_context) {
    std::string body;
    model::JsonWriter writer(body);
    writer.begin_object().name("items").begin_array();
    for (const model::Notification& one : preview.due) codec::append_notification(writer, one);
    writer.end_array().name("user_messages").begin_array();
    for (const model::SessionMessage& message : preview.user_messages) append_user_message(writer, message);
    writer.end_array().name("seen").begin_array();
    for (const std::string& fact : preview.seen) writer.text(fact);
    writer.end_array().field("digest", preview.digest);
    if (asks_context) append_context(writer, preview.context, preview.context_left_out);
    writer.field("tokens", static_cast<long long>(preview.model_tokens));
    writer.field("counted", static_cast<long long>(preview.counted));
    writer.field("waiting", static_cast<long long>(preview.waiting));
    writer.field("batched", static_cast<long long>(preview.batched)).end_object();
    return body;
}

}  // namespace

void get_why(const Exchange& exchange) {
    std::string session;
    const auto read =
        read_parameters(exchange.request, [&](const std::string& name, const std::string& value) -> base::Result<void> {
            if (name != "session") return unknown_parameter(name);
            TRY_ASSIGN(session, parse_filter(name, value));
            return {};
        });
    if (!read.ok()) return exchange.fail(read.error());
    if (const auto key = check_notification_key(exchange.captures.front()); !key.ok())
        return exchange.fail(key.error());
    exchange.service.ports.queries.why(
        exchange.principal(), session, exchange.captures.front(),
        [to = exchange.reply(), readers = readers_of(exchange.principal())](const base::Result<ports::Why>& result) {
            if (!result) return to.fail(result.error());
            to.respond({200, "application/json", why_body(*result, readers), {}});
        });
}

void get_context(const Exchange& exchange) {
    auto question = read_question(exchange);
    if (!question) return exchange.fail(question.error());
    const bool asks_context = !question->context.is_empty();
    exchange.service.ports.queries.context(
        exchange.principal(), std::move(question).value(),
        [to = exchange.reply(), asks_context](const base::Result<ports::ContextPreview>& result) {
            if (!result) return to.fail(result.error());
            to.respond({200, "application/json", context_body(*result, asks_context), {}});
        });
}

}  // namespace belfry::net::handlers
