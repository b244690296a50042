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
#include "net/run_opening.hpp"
#include "wire/websocket.hpp"

namespace belfry::net::handlers {
namespace {

struct Wish {
    model::RunId run_id = 0;
    StreamForm form = StreamForm::page;
    std::string accept;  // of a WebSocket's handshake
    RunWish run;
    bool ag_ui = false;
    std::size_t limit = base::limits::page_entries_default;
};

base::Result<void> take_parameter(Wish& wish, const std::string& name, const std::string& value) {
    if (name == "after") {
        TRY_ASSIGN(wish.run.after, codec::parse_position(value));
    } else if (name == "from") {
        if (value != "start" && value != "live") return base::error(base::Code::invalid, "must be start or live", name);
        wish.run.live = value == "live";
    } else if (name == "limit") {
        TRY_ASSIGN(wish.limit, parse_limit(value));
    } else if (name == "tree") {
        if (value != "true" && value != "false") return base::error(base::Code::invalid, "must be true or false", name);
        wish.run.tree = value == "true";
    } else if (name == "format") {
        if (value != "ag-ui" && value != "native") {
            return base::error(base::Code::invalid, "must be native or ag-ui", name);
        }
        wish.ag_ui = value == "ag-ui";
    } else if (name == "agent") {
        TRY_ASSIGN(wish.run.agent_id, parse_filter(name, value));
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
        TRY_ASSIGN(wish.run.after, codec::parse_position(last, "Last-Event-ID"));
    }
    if (wish.ag_ui && wish.form != StreamForm::sse) {
        return base::error(base::Code::not_acceptable,
                           "AG-UI events go out as server-sent events: Accept: "
                           "text/event-stream");
    }
    return wish;
}

// Who begins now is told where that is: what comes while his connection is lost would be lost otherwise, too.
std::string head_of(const Wish& wish, Service& service, const Connection& connection, model::Sequence place) {
    const bool begins_now = wish.run.live && !wish.run.after;
    if (wish.form == StreamForm::sse) {
        std::string head = sse_head(service, connection);
        if (begins_now) codec::append_sse_place(head, place);
        return head;
    }
    std::string head = websocket_head(wish.accept);
    if (begins_now) {
        wire::append_frame(head, wire::Opcode::text, R"({"type":"live","after":)" + std::to_string(place) + "}");
    }
    return head;
}

void open_stream(const Reply& to, const SharedCaller& caller, const Wish& wish, const model::Run& run) {
    Connection* const connection = to.connection();
    if (connection == nullptr) return;
    const RunReading reading = wish.ag_ui                      ? RunReading::whole
                               : wish.form == StreamForm::page ? RunReading::page
                                                               : RunReading::onward;
    auto opened = open_run(to.service().ports.streams, caller->principal, run, wish.run, reading);
    if (!opened) return connection->fail(opened.error());
    if (wish.form == StreamForm::page) {
        return answer_page(to, std::move(opened->cursor), wish.limit, PageEntries::plain);
    }
    std::string head = head_of(wish, to.service(), *connection, opened->had);
    RunReader reader;
    reader.had = opened->had;
    reader.ends_here = opened->ends_here;
    if (wish.ag_ui) {
        const auto scope = wish.run.tree ? codec::AgUi::Scope::tree : codec::AgUi::Scope::run;
        reader.mapper =
            std::make_unique<codec::AgUi>(wish.run.tree ? run.root_id : run.id, run.session_id, scope, opened->had);
    }
    const StreamFormat format = wish.form == StreamForm::websocket ? StreamFormat::run_websocket
                                : wish.ag_ui                       ? StreamFormat::ag_ui
                                                                   : StreamFormat::run_sse;
    connection->follow(format, std::move(head), std::move(opened->cursor), caller, nullptr, std::move(reader));
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
