#include <algorithm>

#include "client/answers.hpp"
#include "client/client.hpp"
#include "client/cursor.hpp"
#include "codec/json.hpp"

namespace belfry::client {
namespace {

// What ends a stream for good. Everything else is worth another attempt.
bool is_final(base::Code code) {
    switch (code) {
        case base::Code::unavailable:
        case base::Code::overloaded:
        case base::Code::outcome_unknown:
        case base::Code::rate_limited:
        case base::Code::timeout:
        case base::Code::io:
        case base::Code::internal: return false;
        default: return true;
    }
}

// The server's goodbye. False: the stream is at its end.
base::Result<bool> closed(const codec::SseMessage& message) {
    const auto json = codec::validate(message.data);
    const bool is_object = json.ok() && json->view().kind() == model::JsonKind::object;
    const auto reason = is_object ? json->member("reason") : std::nullopt;
    const std::string why = reason ? reason->as_text() : std::string();
    if (why == "ended") return false;
    if (why == "expired") return base::error(base::Code::gone, "the run has expired");
    if (why == "revoked") return base::error(base::Code::unauthenticated, "the token was revoked");
    return base::error(base::Code::unavailable, "the server closed the stream: " + why);
}

}  // namespace

base::Result<void> Client::follow_cursor(Cursor& cursor, const OnLost& on_lost) {
    for (std::size_t attempt = 0;;) {
        Connection connection;
        auto go_on = follow_once(cursor, connection);
        if (interrupt_.is_raised()) return {};
        if (go_on.ok() && !*go_on) return {};
        base::Error why =
            go_on.ok() ? base::error(base::Code::unavailable, "the server ended the stream") : std::move(go_on).error();
        if (is_final(why.code) || !reached_) return why;
        if (connection.progressed) attempt = 0;
        const base::Duration wait = std::max(pause(attempt++), connection.wish);
        if (on_lost) on_lost(why, wait);
        if (interrupt_.wait(wait)) return {};
    }
}

// One connection, to its end. False: the handler had enough, or the stream has ended.
base::Result<bool> Client::follow_once(Cursor& cursor, Connection& connection) {
    wire::HttpRequest get = request("GET", cursor.target());
    for (auto& [name, value] : get.headers) {
        if (name == "Accept") value = "text/event-stream";
    }
    codec::SseParser parser;
    base::Result<bool> verdict = true;
    const auto on_piece = [&](std::string_view piece) {
        reached_ = true;
        if (auto fed = parser.feed(piece); !fed.ok()) verdict = std::move(fed).error();
        while (verdict.ok() && *verdict) {
            const std::optional<codec::SseMessage> message = parser.next();
            if (!message) return true;
            connection.progressed = true;
            verdict = message->event == "close" ? closed(*message) : cursor.take(*message);
        }
        return false;
    };
    TRY(ask_leave());
    auto answer = http_->stream(get, on_piece);
    if (!verdict.ok() || !*verdict) return verdict;
    if (!answer.ok()) return explain(std::move(answer).error());
    reached_ = true;
    if (answer->status / 100 == 2) return true;
    connection.wish = retry_after(*answer);
    return read_problem(*answer);
}

}  // namespace belfry::client
