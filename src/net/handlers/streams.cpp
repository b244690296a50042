#include <charconv>
#include <utility>

#include "base/limits.hpp"
#include "model/raw_json.hpp"
#include "net/handlers/handlers.hpp"
#include "net/handlers/live.hpp"
#include "net/handlers/parameters.hpp"
#include "net/handlers/stream_page.hpp"
#include "net/handlers/stream_request.hpp"

namespace belfry::net::handlers {
namespace {

void follow_sse(const Exchange& exchange, std::unique_ptr<ports::Cursor> cursor) {
    exchange.connection.follow(StreamFormat::sse, sse_head(exchange.service, exchange.connection), std::move(cursor),
                               exchange.caller);
}

void follow_websocket(const Exchange& exchange, const std::string& accept, std::unique_ptr<ports::Cursor> cursor) {
    exchange.connection.follow(StreamFormat::websocket, websocket_head(accept), std::move(cursor), exchange.caller);
}

void append_stream(model::JsonWriter& writer, const model::StreamInfo& stream) {
    writer.begin_object().field("name", stream.name);
    writer.field("head", static_cast<long long>(stream.head)).field("floor", static_cast<long long>(stream.floor));
    writer.end_object();
}

base::Result<ports::Streams::Question> read_question(const wire::Request& request) {
    ports::Streams::Question question;
    question.limit = base::limits::page_entries_default;
    TRY(read_parameters(request, [&](const std::string& name, const std::string& value) -> base::Result<void> {
        if (name == "after") {
            const auto [end, ec] = std::from_chars(value.data(), value.data() + value.size(), question.after);
            if (ec == std::errc{} && end == value.data() + value.size() && !value.empty()) return {};
            return base::error(base::Code::invalid, "must be the `next` of the page before", "after");
        }
        if (name == "limit") {
            TRY_ASSIGN(question.limit, parse_limit(value));
        } else if (name == "name") {
            question.name = value;
        } else {
            return unknown_parameter(name);
        }
        return {};
    }));
    return question;
}

}  // namespace

void list_streams(const Exchange& exchange) {
    auto question = read_question(exchange.request);
    if (!question) return exchange.fail(question.error());
    const std::size_t limit = question->limit++;  // one more tells whether more follow
    auto streams = exchange.service.ports.streams.list(exchange.principal(), *question);
    if (!streams) return exchange.fail(streams.error());
    const bool has_more = streams->size() > limit;
    if (has_more) streams->resize(limit);
    std::string body;
    model::JsonWriter writer(body);
    writer.begin_object().name("data").begin_array();
    for (const model::StreamInfo& stream : *streams) append_stream(writer, stream);
    writer.end_array().name("next");
    has_more ? writer.number(static_cast<long long>(streams->back().id)) : writer.null();
    writer.name("has_more").boolean(has_more).end_object();
    exchange.respond(200, body);
}

void get_stream(const Exchange& exchange) {
    auto wish = read_stream_request(exchange);
    if (!wish) return exchange.fail(wish.error());
    std::string accept;
    if (wish->form == StreamForm::websocket && !accept_websocket(exchange, accept)) return;
    auto cursor = exchange.service.ports.streams.open(wish->open);
    if (!cursor) return exchange.fail(cursor.error());
    switch (wish->form) {
        case StreamForm::sse: return follow_sse(exchange, std::move(cursor).value());
        case StreamForm::websocket: return follow_websocket(exchange, accept, std::move(cursor).value());
        case StreamForm::page: return answer_page(exchange.reply(), std::move(cursor).value(), wish->limit);
    }
}

}  // namespace belfry::net::handlers
