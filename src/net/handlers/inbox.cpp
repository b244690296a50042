#include <algorithm>
#include <utility>

#include "base/limits.hpp"
#include "codec/notification_json.hpp"
#include "codec/sse.hpp"
#include "net/handlers/handlers.hpp"
#include "net/handlers/inbox_guest.hpp"
#include "net/handlers/live.hpp"
#include "net/handlers/page.hpp"
#include "net/handlers/parameters.hpp"
#include "net/handlers/stream_request.hpp"
#include "ports/commands/delivery.hpp"

namespace belfry::net::handlers {
namespace {

namespace limits = base::limits;
using Question = ports::NotificationReading::InboxQuestion;

base::Result<void> take_parameter(Question& question, const std::string& name, const std::string& value) {
    if (name == "user") {
        TRY_ASSIGN(question.user_id, parse_filter(name, value));
    } else if (name == "session") {
        TRY_ASSIGN(question.session_id, parse_filter(name, value));
    } else if (name == "unread") {
        if (value != "true" && value != "false") {
            return base::error(base::Code::invalid, "must be true or false", "unread");
        }
        question.unread_only = value == "true";
    } else if (name == "before") {
        TRY_ASSIGN(const std::uint64_t before, codec::parse_position(value, "before"));
        question.before = static_cast<std::int64_t>(before);
    } else if (name == "limit") {
        TRY_ASSIGN(question.limit, parse_limit(value));
    } else {
        return unknown_parameter(name);
    }
    return {};
}

std::string inbox_body(const ports::Inbox& inbox, std::size_t limit) {
    std::string body;
    model::JsonWriter writer(body);
    writer.begin_object().field("user_id", inbox.user_id);
    const model::Notification* const last = append_data(writer, body, inbox.items, limit, codec::append_inbox_item);
    writer.field("unread", static_cast<long long>(inbox.counts.unread));
    writer.field("waiting", static_cast<long long>(inbox.counts.waiting)).name("next");
    last != nullptr ? writer.number(last->ordinal) : writer.null();
    writer.name("has_more").boolean(last != nullptr).end_object();
    return body;
}

std::string user_of_stream(const std::string& stream) {
    return stream.substr(std::min(stream.size(), stream.find(':') + 1));
}

// An inbox that the engine has opened, on its way to the connection that asked for it.
struct Opened {
    std::string accept;  // of a WebSocket's handshake
    std::string stream;
    InboxSnapshot snapshot;
    std::string lines;  // the first portion
};

// The inbox is open from here on: whatever happens now, it is closed when the guest goes.
void follow_inbox(const Reply& to, ConnectionId id, const SharedCaller& caller, Opened& opened) {
    auto guest = std::make_unique<InboxGuest>(to, caller, id, opened.snapshot);
    Connection* const connection = to.connection();
    if (connection == nullptr) return;
    ports::OpenStream open;
    open.principal = caller->principal;
    open.stream = opened.stream;
    open.filter.session_id = opened.snapshot.session_id;
    open.start = ports::StartAt::after;
    open.after = opened.snapshot.as_of;
    auto cursor = to.service().ports.streams.open(open);
    if (!cursor) return connection->fail(cursor.error());
    const StreamFormat format = opened.snapshot.format;
    std::string head = is_websocket(format) ? websocket_head(opened.accept) : sse_head(to.service(), *connection);
    head += opened.lines;
    connection->follow(format, std::move(head), std::move(cursor).value(), caller, std::move(guest));
}

base::Result<std::unique_ptr<ports::OpenInbox>> read_open(const Exchange& exchange) {
    auto open = std::make_unique<ports::OpenInbox>();
    TRY(read_parameters(exchange.request, [&](const std::string& name, const std::string& value) -> base::Result<void> {
        if (name == "user") {
            TRY_ASSIGN(open->user_id, parse_filter(name, value));
        } else if (name == "session") {
            TRY_ASSIGN(open->session_id, parse_filter(name, value));
        } else if (name != "ticket") {
            return unknown_parameter(name);
        }
        return {};
    }));
    return open;
}

}  // namespace

void list_inbox(const Exchange& exchange) {
    Question question;
    question.limit = limits::page_entries_default;
    const auto read = read_parameters(exchange.request, [&](const std::string& name, const std::string& value) {
        return take_parameter(question, name, value);
    });
    if (!read.ok()) return exchange.fail(read.error());
    const std::size_t limit = question.limit++;  // one more tells whether more follow
    exchange.service.ports.queries.inbox(exchange.principal(), std::move(question),
                                         [to = exchange.reply(), limit](const base::Result<ports::Inbox>& result) {
                                             if (!result) return to.fail(result.error());
                                             to.respond({200, "application/json", inbox_body(*result, limit), {}});
                                         });
}

void follow_live_inbox(const Exchange& exchange) {
    auto open = read_open(exchange);
    if (!open) return exchange.fail(open.error());
    Opened opened;
    opened.snapshot.session_id = (*open)->session_id;
    switch (form_of(exchange.request)) {
        case StreamForm::sse: break;
        case StreamForm::websocket:
            opened.snapshot.format = StreamFormat::inbox_websocket;
            if (!accept_websocket(exchange, opened.accept)) return;
            break;
        case StreamForm::page:
            return exchange.fail(base::error(base::Code::not_acceptable,
                                             "this goes out live only: ask with Accept: text/event-stream or as a "
                                             "WebSocket; /v1/inbox is the list"));
    }
    auto command = std::move(open).value();
    command->done = [to = exchange.reply(), id = exchange.connection.id(), caller = exchange.caller,
                     opened = std::move(opened)](const base::Result<ports::OpenedInbox>& result) mutable {
        if (!result) return to.fail(result.error());
        opened.stream = result->stream;
        opened.snapshot.user_id = user_of_stream(result->stream);
        opened.snapshot.as_of = result->as_of;
        opened.snapshot.until = result->until;
        opened.lines = question_lines(result->questions, opened.snapshot.format);
        opened.lines += snapshot_lines(opened.snapshot, *result);
        // What was said in the commit that opened it is published right after its answers: it is followed from there.
        to.service().soon(
            [to, id, caller, opened = std::move(opened)]() mutable { follow_inbox(to, id, caller, opened); });
    };
    exchange.submit(std::move(command));
}

}  // namespace belfry::net::handlers
