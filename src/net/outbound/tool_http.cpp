#include "net/outbound/tool_http.hpp"

#include <algorithm>

#include "base/message_limits.hpp"
#include "codec/http_url.hpp"
#include "codec/json.hpp"
#include "codec/standard_webhooks.hpp"
#include "codec/utf8.hpp"
#include "wire/http_client.hpp"

namespace belfry::net {
namespace {

namespace limits = base::limits;
constexpr std::size_t shown_bytes_max = 200;

std::string words_of(const wire::HttpAnswer& answer) {
    std::string words = "HTTP " + std::to_string(answer.status);
    std::string_view body = answer.body;
    body = body.substr(0, std::min(body.find_first_of("\r\n"), shown_bytes_max));
    if (!body.empty()) words += ": " + codec::to_utf8(body);
    return words;
}

ToolAnswer failed(const char* code, std::string message) {
    return {{}, ports::OutsideCallError{code, std::move(message)}};
}

wire::HttpRequest request_for(const std::string& target, const std::string& secret, const std::string& key,
                              const model::OutsideCall& call, base::Timestamp now) {
    wire::HttpRequest request{"POST", target, {}, {}};
    model::JsonWriter writer(request.body);
    model::append_outside_call(writer, call);
    request.headers.emplace_back("User-Agent", "belfry/" BELFRY_VERSION);
    request.headers.emplace_back("Content-Type", "application/json");
    request.headers.emplace_back("Accept", "application/json");
    request.headers.emplace_back("Idempotency-Key", key);
    if (secret.empty()) return request;
    const std::int64_t now_s = now.us / 1'000'000;
    request.headers.emplace_back("webhook-id", key);
    request.headers.emplace_back("webhook-timestamp", std::to_string(now_s));
    request.headers.emplace_back("webhook-signature", codec::sign_webhook(secret, key, now_s, request.body));
    return request;
}

}  // namespace

base::Result<ToolAnswer> call_tool_server(const model::ToolExecution& execution, const std::string& secret,
                                          const std::string& key, const model::OutsideCall& call, base::Timestamp now,
                                          const wire::Interrupt& interrupt) {
    const auto url = codec::split_http_url(execution.url);
    if (!url) return failed("tool_unavailable", "its url is no http or https address");
    // It may have waited for its turn: what its agent was told has timed out is not begun.
    if (call.deadline <= now) return failed("timed_out", "its time was over before " + url->origin + " was asked");
    TRY_ASSIGN(const wire::Endpoint endpoint, wire::parse_endpoint(url->origin));
    wire::HttpClientOptions options;
    options.answer_time_max = call.deadline - now;
    options.connect_time_max = std::min(options.connect_time_max, options.answer_time_max);
    options.answer_bytes_max = limits::agent_message_bytes_max;
    options.interrupt = &interrupt;
    const auto answer = wire::HttpClient(endpoint, options).send(request_for(url->target, secret, key, call, now));
    if (!answer.ok() && answer.error().code == base::Code::too_large) {
        return failed("invalid_result",
                      "it answered with more than " + std::to_string(limits::agent_message_bytes_max) + " bytes");
    }
    if (!answer.ok()) return answer.error();
    const std::string said = url->origin + " answered " + words_of(*answer);  // many a path is a key
    if (answer->status >= 500) return base::error(base::Code::io, said);
    if (answer->status / 100 != 2) return failed("tool_refused", said);
    auto result = codec::validate(answer->body);
    const bool is_object = result.ok() && result->view().kind() == model::JsonKind::object;
    if (!is_object) return failed("invalid_result", url->origin + " answered with something that is no JSON object");
    return ToolAnswer{std::move(*result), std::nullopt};
}

}  // namespace belfry::net
