#include <utility>

#include "net/handlers/handlers.hpp"
#include "net/handlers/live.hpp"
#include "net/handlers/stream_page.hpp"
#include "net/handlers/stream_request.hpp"
#include "net/session_opening.hpp"

namespace belfry::net::handlers {
namespace {

struct Wish {
    StreamForm form = StreamForm::page;
    std::string accept;  // of a WebSocket's handshake
    std::size_t limit = 0;
};

void begin(const Reply& to, const SharedCaller& caller, const Wish& wish, OpenedSession opened) {
    Connection* const connection = to.connection();
    if (connection == nullptr) return;
    RunReader reader;
    reader.had = opened.had;
    switch (wish.form) {
        case StreamForm::page: return answer_page(to, std::move(opened.cursor), wish.limit);
        case StreamForm::sse:
            return connection->follow(StreamFormat::sse, sse_head(to.service(), *connection), std::move(opened.cursor),
                                      caller, nullptr, std::move(reader));
        case StreamForm::websocket:
            return connection->follow(StreamFormat::websocket, websocket_head(wish.accept), std::move(opened.cursor),
                                      caller, nullptr, std::move(reader));
    }
}

}  // namespace

void follow_session(const Exchange& exchange) {
    auto request = read_stream_request(exchange);
    if (!request) return exchange.fail(request.error());
    Wish wish{request->form, {}, request->limit};
    if (wish.form == StreamForm::websocket && !accept_websocket(exchange, wish.accept)) return;
    const auto reading = wish.form == StreamForm::page ? SessionReading::page : SessionReading::onward;
    open_session(
        exchange.service, exchange.connection.id(), std::move(request->open), reading,
        [to = exchange.reply(), caller = exchange.caller, wish = std::move(wish)](base::Result<OpenedSession> opened) {
            if (!opened.ok()) return to.fail(opened.error());
            begin(to, caller, wish, std::move(opened).value());
        });
}

}  // namespace belfry::net::handlers
