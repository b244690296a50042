#include <utility>

#include "base/limits.hpp"
#include "codec/sse.hpp"
#include "model/raw_json.hpp"
#include "net/handlers/handlers.hpp"
#include "net/handlers/stream_page.hpp"
#include "net/handlers/stream_request.hpp"
#include "wire/http_response.hpp"
#include "wire/websocket.hpp"

namespace belfry::net::handlers {
namespace {

constexpr std::int64_t retry_ms = 1000;

void follow_sse(const Exchange& exchange, std::unique_ptr<ports::Cursor> cursor) {
    std::string head;
    wire::append_stream_head(head, "text/event-stream; charset=utf-8", exchange.service.date,
                             exchange.connection.cors_fields());
    codec::append_sse_retry(head, retry_ms);
    exchange.connection.follow(StreamFormat::sse, std::move(head), std::move(cursor), exchange.caller);
}

void follow_websocket(const Exchange& exchange, const std::string& accept, std::unique_ptr<ports::Cursor> cursor) {
    std::string head =
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Accept: ";
    head += accept;
    head += "\r\n\r\n";
    exchange.connection.follow(StreamFormat::websocket, std::move(head), std::move(cursor), exchange.caller);
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
    if (wish->form == StreamForm::websocket) {
        if (exchange.request.header(wire::Header::sec_websocket_version) != "13") {
            return exchange.connection.fail(426, base::error(base::Code::unsupported, "WebSocket version 13 is spoken"),
                                            "Sec-WebSocket-Version: 13\r\nUpgrade: websocket\r\n");
        }
        accept = wire::websocket_accept(exchange.request.header(wire::Header::sec_websocket_key));
        if (accept.empty()) return exchange.fail(base::error(base::Code::malformed, "Sec-WebSocket-Key is malformed"));
    }
    auto cursor = exchange.service.ports.streams.open(wish->open);
    if (!cursor) return exchange.fail(cursor.error());
    switch (wish->form) {
        case StreamForm::sse: return follow_sse(exchange, std::move(cursor).value());
        case StreamForm::websocket: return follow_websocket(exchange, accept, std::move(cursor).value());
        case StreamForm::page: return answer_page(exchange.reply(), std::move(cursor).value(), wish->limit);
    }
}

}  // namespace belfry::net::handlers
