#include <utility>

#include "base/limits.hpp"
#include "codec/ag_ui.hpp"
#include "codec/sse.hpp"
#include "net/handlers/handlers.hpp"
#include "net/handlers/live.hpp"
#include "net/handlers/parameters.hpp"
#include "net/handlers/run_words.hpp"
#include "net/handlers/stream_page.hpp"
#include "net/handlers/stream_request.hpp"

namespace belfry::net::handlers {
namespace {

struct Wish {
    model::RunId run_id = 0;
    StreamForm form = StreamForm::page;
    std::string accept;  // of a WebSocket's handshake
    std::optional<model::Sequence> after;
    bool live = false;
    bool tree = false;
    bool ag_ui = false;
    std::string agent_id;
    std::size_t limit = base::limits::page_entries_default;
};

base::Result<void> take_parameter(Wish& wish, const std::string& name, const std::string& value) {
    if (name == "after") {
        TRY_ASSIGN(wish.after, codec::parse_position(value));
    } else if (name == "from") {
        if (value != "start" && value != "live") return base::error(base::Code::invalid, "must be start or live", name);
        wish.live = value == "live";
    } else if (name == "limit") {
        TRY_ASSIGN(wish.limit, parse_limit(value));
    } else if (name == "tree") {
        if (value != "true" && value != "false") return base::error(base::Code::invalid, "must be true or false", name);
        wish.tree = value == "true";
    } else if (name == "format") {
        if (value != "ag-ui" && value != "native") {
            return base::error(base::Code::invalid, "must be native or ag-ui", name);
        }
        wish.ag_ui = value == "ag-ui";
    } else if (name == "agent") {
        TRY_ASSIGN(wish.agent_id, parse_filter(name, value));
    } else if (name != "ticket") {
        return unknown_parameter(name);
    }
    return {};
}

base::Result<Wish> read_wish(const Exchange& exchange) {
    Wish wish;
    TRY_ASSIGN(wish.run_id, run_id_of_path(exchange));
    wish.form = form_of(exchange.request);
    TRY(read_parameters(exchange.request, [&](const std::string& name, const std::string& value) {
        return take_parameter(wish, name, value);
    }));
    const std::string_view last = exchange.request.header(wire::Header::last_event_id);
    if (!last.empty()) {
        TRY_ASSIGN(wish.after, codec::parse_position(last, "Last-Event-ID"));
    }
    if (wish.ag_ui && wish.form != StreamForm::sse) {
        return base::error(base::Code::not_acceptable,
                           "AG-UI events go out as server-sent events: Accept: "
                           "text/event-stream");
    }
    return wish;
}

base::Error beyond(model::Sequence position, model::Sequence head) {
    return base::error(
        base::Code::invalid,
        "position " + std::to_string(position) + " lies beyond the stream's head, " + std::to_string(head), "after");
}

void open_stream(const Reply& to, const SharedCaller& caller, const Wish& wish, const model::Run& run) {
    Connection* const connection = to.connection();
    if (connection == nullptr) return;
    ports::Streams& streams = to.service().ports.streams;
    ports::OpenStream open;
    open.principal = caller->principal;
    open.stream = wish.tree ? model::tree_stream_name(run.root_id) : model::run_stream_name(run.id);
    open.filter.agent_id = wish.agent_id;
    const model::Sequence head = streams.head(open.stream);
    // Who wants all is told what is gone of it: he begins before the first.
    const model::Sequence from = wish.after ? *wish.after : wish.live ? head : 0;
    if (from > head) return connection->fail(beyond(from, head));
    RunReader reader;
    reader.had = from;
    open.start = ports::StartAt::after;
    // One who has the last one is to be told that it was the last: he begins by looking at it again.
    open.after = wish.form == StreamForm::page || from == 0 ? from : from - 1;
    if (wish.ag_ui) {
        const auto scope = wish.tree ? codec::AgUi::Scope::tree : codec::AgUi::Scope::run;
        reader.mapper = std::make_unique<codec::AgUi>(wish.tree ? run.root_id : run.id, run.session_id, scope, from);
        open.after = 0;
    }
    auto cursor = streams.open(open);
    if (!cursor) {
        if (wish.tree && cursor.error().code == base::Code::not_found) {
            return connection->fail(base::error(base::Code::not_found,
                                                "this run has no tree: it has no children, and was not made with "
                                                "tree",
                                                "tree"));
        }
        return connection->fail(cursor.error());
    }
    switch (wish.form) {
        case StreamForm::page: return answer_page(to, std::move(cursor).value(), wish.limit, PageEntries::plain);
        case StreamForm::sse:
            return connection->follow(wish.ag_ui ? StreamFormat::ag_ui : StreamFormat::run_sse,
                                      sse_head(to.service(), *connection), std::move(cursor).value(), caller, nullptr,
                                      std::move(reader));
        case StreamForm::websocket:
            return connection->follow(StreamFormat::run_websocket, websocket_head(wish.accept),
                                      std::move(cursor).value(), caller, nullptr, std::move(reader));
    }
}

}  // namespace

void get_run_events(const Exchange& exchange) {
    auto wish = read_wish(exchange);
    if (!wish) return exchange.fail(wish.error());
    if (wish->form == StreamForm::websocket && !accept_websocket(exchange, wish->accept)) return;
    const model::RunId id = wish->run_id;
    exchange.service.ports.queries.run(exchange.principal(), id,
                                       [to = exchange.reply(), caller = exchange.caller,
                                        wish = std::move(wish).value()](const base::Result<model::Run>& run) {
                                           if (!run) return to.fail(run.error());
                                           open_stream(to, caller, wish, *run);
                                       });
}

}  // namespace belfry::net::handlers
