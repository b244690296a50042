#include <charconv>
#include <utility>

#include "base/limits.hpp"
#include "model/raw_json.hpp"
#include "model/session_stream.hpp"
#include "net/handlers/handlers.hpp"
#include "net/handlers/live.hpp"
#include "net/handlers/parameters.hpp"
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

void begin(const Reply& to, const SharedCaller& caller, const Wish& wish, std::unique_ptr<ports::Cursor> cursor) {
    Connection* const connection = to.connection();
    if (connection == nullptr) return;
    switch (wish.form) {
        case StreamForm::page: return answer_page(to, std::move(cursor), wish.limit);
        case StreamForm::sse:
            return connection->follow(StreamFormat::sse, sse_head(to.service(), *connection), std::move(cursor),
                                      caller);
        case StreamForm::websocket:
            return connection->follow(StreamFormat::websocket, websocket_head(wish.accept), std::move(cursor), caller);
    }
}

// A session has a stream from its first follower on.
void open_session_stream(const Exchange& exchange, ports::OpenStream open, Wish wish) {
    open.stream = open.stream.substr(model::session_stream_name({}).size());
    open_session(
        exchange.service, exchange.connection.id(), std::move(open), SessionReading::page,
        [to = exchange.reply(), caller = exchange.caller, wish = std::move(wish)](base::Result<OpenedSession> opened) {
            if (!opened.ok()) return to.fail(opened.error());
            begin(to, caller, wish, std::move(opened->cursor));
        });
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
    auto request = read_stream_request(exchange);
    if (!request) return exchange.fail(request.error());
    Wish wish{request->form, {}, request->limit};
    if (wish.form == StreamForm::websocket && !accept_websocket(exchange, wish.accept)) return;
    if (model::is_session_stream(request->open.stream)) {
        return open_session_stream(exchange, std::move(request->open), std::move(wish));
    }
    auto cursor = exchange.service.ports.streams.open(request->open);
    if (!cursor) return exchange.fail(cursor.error());
    begin(exchange.reply(), exchange.caller, wish, std::move(cursor).value());
}

}  // namespace belfry::net::handlers
