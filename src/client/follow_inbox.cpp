#include <algorithm>

#include "client/answers.hpp"
#include "client/client.hpp"
#include "client/requests.hpp"
#include "codec/json.hpp"
#include "codec/sse.hpp"

namespace belfry::client {
namespace {

// Access that is missing and names that are wrong stay so; everything else is worth another attempt.
bool is_final(base::Code code) {
    return code == base::Code::unauthenticated || code == base::Code::forbidden || code == base::Code::not_found ||
           code == base::Code::invalid || code == base::Code::malformed || code == base::Code::gone;
}

// False: the handler had enough.
base::Result<bool> take(const codec::SseMessage& message, const InboxHandlers& handlers) {
    TRY_ASSIGN(const model::RawJson json, codec::validate(message.data));
    if (json.view().kind() != model::JsonKind::object) return true;
    if (message.event == "close") {
        const auto reason = json.member("reason");
        const std::string why = reason ? reason->as_text() : std::string();
        if (why == "revoked") return base::error(base::Code::unauthenticated, "the token was revoked");
        return base::error(base::Code::unavailable, "the server closed the stream: " + why);
    }
    return json.member("type") ? handlers.on_message(json) : true;
}

}  // namespace

base::Result<void> Client::follow_inbox(std::string_view user_id, std::string_view session_id,
                                        const InboxHandlers& handlers) {
    const std::string target = "/v1/inbox/live" + Query().add("user", user_id).add("session", session_id).text();
    for (std::size_t attempt = 0;;) {
        bool progressed = false;
        auto go_on = follow_inbox_once(target, handlers, progressed);
        if (interrupt_.is_raised()) return {};
        if (go_on.ok() && !*go_on) return {};
        base::Error why =
            go_on.ok() ? base::error(base::Code::unavailable, "the server ended the stream") : std::move(go_on).error();
        if (is_final(why.code) || !reached_) return why;
        if (progressed) attempt = 0;
        const base::Duration wait = pause(attempt++);
        if (handlers.on_lost) handlers.on_lost(why, wait);
        if (interrupt_.wait(wait)) return {};
    }
}

// One connection, to its end. False: the handler had enough.
base::Result<bool> Client::follow_inbox_once(const std::string& target, const InboxHandlers& handlers,
                                             bool& progressed) {
    wire::HttpRequest get = request("GET", target);
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
            progressed = true;
            verdict = take(*message, handlers);
        }
        return false;
    };
    auto answer = http_->stream(get, on_piece);
    if (!verdict.ok() || !*verdict) return verdict;
    if (!answer.ok()) return explain(std::move(answer).error());
    reached_ = true;
    if (answer->status / 100 == 2) return true;
    return read_problem(*answer);
}

}  // namespace belfry::client
