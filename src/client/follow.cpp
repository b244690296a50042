#include <algorithm>
#include <charconv>

#include "client/answers.hpp"
#include "client/client.hpp"
#include "client/requests.hpp"
#include "codec/json.hpp"
#include "codec/sse.hpp"

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

std::optional<model::Sequence> member_number(const model::RawJson& json, std::string_view name) {
    const auto value = json.member(name);
    model::Sequence number = 0;
    if (!value) return std::nullopt;
    const auto [end, failed] = std::from_chars(value->text.data(), value->text.data() + value->text.size(), number);
    if (failed != std::errc{} || end != value->text.data() + value->text.size()) return std::nullopt;
    return number;
}

}  // namespace

struct Client::Following {
    std::string path;
    const model::StreamFilter& filter;
    const FollowHandlers& handlers;
    bool from_beginning = false;
    model::Sequence last = 0;  // what was handed on, or is known to be gone
    bool progressed = false;   // something came since the connection was made
};

// "From now on" becomes a position at once: what is appended while a connection is down would be lost otherwise.
base::Result<void> Client::resolve_live(std::string_view stream, Following& following) {
    TRY_ASSIGN(const StreamState state, this->stream(stream));
    following.last = state.head;
    return {};
}

base::Result<void> Client::follow(std::string_view stream, const model::StreamFilter& filter, Start start,
                                  const FollowHandlers& handlers) {
    Following following{"/v1/streams/" + percent_encode(stream), filter,      handlers,
                        start.at == Start::At::beginning,        start.after, false};
    if (start.at == Start::At::live) TRY(resolve_live(stream, following));
    for (std::size_t attempt = 0;;) {
        following.progressed = false;
        base::Duration wish;
        auto go_on = follow_once(following, wish);
        if (interrupt_.is_raised()) return {};
        if (go_on.ok() && !*go_on) return {};
        base::Error why =
            go_on.ok() ? base::error(base::Code::unavailable, "the server ended the stream") : std::move(go_on).error();
        if (is_final(why.code) || !reached_) return why;
        if (following.progressed) attempt = 0;
        const base::Duration wait = std::max(pause(attempt++), wish);
        if (handlers.on_lost) handlers.on_lost(why, wait);
        if (interrupt_.wait(wait)) return {};
    }
}

// One connection, to its end. False: the handler had enough.
base::Result<bool> Client::follow_once(Following& following, base::Duration& wish) {
    Query query;
    if (following.from_beginning && following.last == 0) query.add("from", "start");
    else query.add("after", std::to_string(following.last));
    query.add(following.filter);
    wire::HttpRequest get = request("GET", following.path + query.text());
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
            verdict = take_message(following, *message);
        }
        return false;
    };
    auto answer = http_->stream(get, on_piece);
    if (!verdict.ok() || !*verdict) return verdict;
    if (!answer.ok()) return explain(std::move(answer).error());
    reached_ = true;
    if (answer->status / 100 == 2) return true;
    wish = retry_after(*answer);
    return read_problem(*answer);
}

base::Result<bool> Client::take_message(Following& following, const codec::SseMessage& message) {
    following.progressed = true;
    if (message.event == "message") {
        TRY_ASSIGN(const Entry entry, read_entry(message.data));
        if (entry.sequence <= following.last) return true;  // had before
        following.last = entry.sequence;
        return following.handlers.on_entry(entry);
    }
    auto json = codec::validate(message.data);
    if (!json.ok() || json->view().kind() != model::JsonKind::object) return true;
    if (message.event == "gap") {
        const auto from = member_number(*json, "from");
        const auto to = member_number(*json, "to");
        if (!from || !to || *to <= following.last) return true;
        following.last = *to;
        if (following.handlers.on_gap) following.handlers.on_gap(*from, *to);
    } else if (message.event == "close") {
        const auto reason = json->member("reason");
        const std::string why = reason ? reason->as_text() : std::string();
        if (why == "revoked") return base::error(base::Code::unauthenticated, "the token was revoked");
        return base::error(base::Code::unavailable, "the server closed the stream: " + why);
    }
    return true;
}

}  // namespace belfry::client
