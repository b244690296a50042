#include "net/outbound/chat_failure.hpp"

#include <algorithm>
#include <charconv>

#include "codec/chat_completions.hpp"
#include "codec/http_url.hpp"
#include "codec/utf8.hpp"

namespace belfry::net {
namespace {

using model::ChatFailure;
using model::ChatFailureKind;
using model::ChatLimit;

constexpr std::size_t message_bytes_max = 500;
constexpr std::size_t header_secret_bytes_min = 8;  // a shorter value of a header may be an ordinary word
constexpr base::Duration retry_after_max = base::hours(24);

std::optional<base::Duration> read_wait(const wire::HttpAnswer& answer, std::string_view header, base::Duration unit) {
    const auto text = answer.header(header);
    std::int64_t number = 0;
    if (!text) return std::nullopt;
    const auto [end, failed] = std::from_chars(text->data(), text->data() + text->size(), number);
    // A fraction is cut; a date is not read.
    const bool is_number = failed == std::errc{} && (end == text->data() + text->size() || *end == '.');
    if (!is_number || number < 0) return std::nullopt;
    return unit * std::min(number, retry_after_max.us / unit.us);
}

void take_out(std::string& text, const std::string& secret) {
    for (std::size_t at = 0; (at = text.find(secret, at)) != std::string::npos; at += 3) {
        text.replace(at, secret.size(), "***");
    }
}

void cut(std::string& text, std::size_t bytes_max) {
    if (text.size() <= bytes_max) return;
    std::size_t end = bytes_max;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
    text.resize(end);
    text += "…";
}

}  // namespace

ChatFailure timed_out(ChatLimit limit, const model::ChatTimes& times) {
    ChatFailure failure{ChatFailureKind::timed_out, {}};
    failure.limit = limit;
    switch (limit) {
        case ChatLimit::connect:
            failure.message = "no connection within " + base::format_duration(times.connect);
            break;
        case ChatLimit::first_byte:
            failure.message = "no byte of an answer within " + base::format_duration(times.first_byte);
            break;
        case ChatLimit::silence:
            failure.message = "silent for " + base::format_duration(times.silence) + " in the middle of the answer";
            break;
        case ChatLimit::whole:
            failure.message = "the answer was not whole within " + base::format_duration(times.whole);
            break;
    }
    return failure;
}

ChatFailure request_failure(const base::Error& error) {
    const bool is_long = error.code == base::Code::too_large;
    const bool lacks_subject =
        error.message.starts_with("must ") || error.message.starts_with("is ") || error.message.starts_with("has ");
    return {is_long ? ChatFailureKind::too_long : ChatFailureKind::invalid,
            (lacks_subject ? error.field + " " : std::string()) + error.message};
}

ChatFailure wire_failure(const base::Error& error, const model::ChatTimes& times, const ChatProgress& progress) {
    const bool is_connecting = error.code == base::Code::unavailable;
    if (is_connecting || error.code == base::Code::timeout) {
        // Who could not connect does not say whether it took too long; the clock does.
        if (progress.elapsed >= times.whole) return timed_out(ChatLimit::whole, times);
        if (is_connecting && progress.elapsed >= times.connect) return timed_out(ChatLimit::connect, times);
        if (progress.elapsed >= times.first_byte && !progress.has_body) return timed_out(ChatLimit::first_byte, times);
        if (!is_connecting) return timed_out(ChatLimit::silence, times);
    }
    switch (error.code) {
        case base::Code::unavailable:
        case base::Code::outcome_unknown: return {ChatFailureKind::unreachable, error.message};
        case base::Code::invalid: return {ChatFailureKind::invalid, error.message};
        default: return {ChatFailureKind::protocol, error.message};
    }
}

ChatFailure refusal(const wire::HttpAnswer& answer) {
    ChatFailure failure = codec::read_chat_failure(answer.status, answer.body);
    failure.retry_after = read_wait(answer, "retry-after-ms", base::milliseconds(1));
    if (!failure.retry_after) failure.retry_after = read_wait(answer, "retry-after", base::seconds(1));
    return failure;
}

void make_presentable(ChatFailure& failure, const model::ChatEndpoint& endpoint) {
    std::string text = codec::to_utf8(failure.message);
    if (!endpoint.secret.empty()) take_out(text, endpoint.secret);
    for (const auto& [name, value] : endpoint.headers) {
        if (value.size() >= header_secret_bytes_min) take_out(text, value);
    }
    cut(text, message_bytes_max);
    // Many a path is a key: only the origin is told.
    const auto url = codec::split_http_url(endpoint.base_url);
    const bool is_own = failure.http_status == 0 &&
                        (failure.kind == ChatFailureKind::invalid || failure.kind == ChatFailureKind::too_long);
    const bool has_origin = !url || is_own || text.find(url->origin) != std::string::npos;
    failure.message = has_origin ? std::move(text) : url->origin + ": " + text;
}

}  // namespace belfry::net
