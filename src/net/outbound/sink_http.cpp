#include "net/outbound/sink_http.hpp"

#include <algorithm>

#include "base/limits.hpp"
#include "codec/http_url.hpp"
#include "codec/sink_text.hpp"
#include "codec/standard_webhooks.hpp"
#include "codec/utf8.hpp"
#include "wire/http_client.hpp"

namespace belfry::net {
namespace {

namespace limits = base::limits;
constexpr std::size_t shown_bytes_max = 200;

void add_webhook(wire::HttpRequest& request, const model::Sink& sink, const model::Notification& notification,
                 const std::string& call_id, base::Timestamp now) {
    const std::int64_t now_s = now.us / 1'000'000;
    request.body = codec::webhook_body(notification);
    for (const auto& header : sink.headers) request.headers.push_back(header);
    request.headers.emplace_back("webhook-id", call_id);
    request.headers.emplace_back("webhook-timestamp", std::to_string(now_s));
    request.headers.emplace_back("webhook-signature", codec::sign_webhook(sink.secret, call_id, now_s, request.body));
}

void add_ntfy(wire::HttpRequest& request, const model::Sink& sink, const model::Notification& notification) {
    request.body = codec::ntfy_body(notification, sink.topic);
    if (!sink.token.empty()) request.headers.emplace_back("Authorization", "Bearer " + sink.token);
}

std::string words_of(const wire::HttpAnswer& answer) {
    std::string words = "HTTP " + std::to_string(answer.status);
    std::string_view body = answer.body;
    body = body.substr(0, std::min(body.find_first_of("\r\n"), shown_bytes_max));
    if (!body.empty()) words += ": " + codec::to_utf8(body);
    return words;
}

}  // namespace

base::Result<std::string> call_sink_server(const model::Sink& sink, const model::Notification& notification,
                                           const std::string& call_id, base::Timestamp now,
                                           const wire::Interrupt& interrupt) {
    const auto url = codec::split_http_url(sink.url);
    if (!url) return base::error(base::Code::invalid, "it is no http or https address", "url");
    TRY_ASSIGN(const wire::Endpoint endpoint, wire::parse_endpoint(url->origin));
    wire::HttpRequest request{"POST", url->target, {}, {}};
    request.headers.emplace_back("User-Agent", "belfry/" BELFRY_VERSION);
    request.headers.emplace_back("Content-Type", "application/json");
    if (sink.kind == model::SinkKind::webhook) add_webhook(request, sink, notification, call_id, now);
    else add_ntfy(request, sink, notification);
    wire::HttpClientOptions options;
    options.connect_time_max = std::min(options.connect_time_max, sink.time_max);
    options.answer_time_max = sink.time_max;
    options.answer_bytes_max = limits::sink_answer_bytes_max;
    options.answer_wanted = wire::AnswerWanted::status;
    options.interrupt = &interrupt;
    TRY_ASSIGN(const wire::HttpAnswer answer, wire::HttpClient(endpoint, options).send(request));
    if (answer.status / 100 == 2) return "HTTP " + std::to_string(answer.status);
    const base::Code code = answer.status == 410 ? base::Code::gone : base::Code::io;
    // Many a path is a key: only the origin is told.
    return base::error(code, url->origin + " answered " + words_of(answer));
}

}  // namespace belfry::net
