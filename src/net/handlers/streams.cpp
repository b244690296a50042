#include <utility>

#include "model/raw_json.hpp"
#include "net/handlers/handlers.hpp"
#include "net/handlers/live.hpp"
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

}  // namespace

void list_streams(const Exchange& exchange) {
    const auto streams = exchange.service.ports.streams.list(exchange.principal());
    if (!streams) return exchange.fail(streams.error());
    std::string body;
    model::JsonWriter writer(body);
    writer.begin_object().name("data").begin_array();
    for (const model::StreamInfo& stream : *streams) append_stream(writer, stream);
    writer.end_array().name("next").null().name("has_more").boolean(false).end_object();
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
