#include "net/outbound/chat_completions.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "codec/chat_completions.hpp"
#include "net/outbound/chat_failure.hpp"
#include "net/outbound/chat_http.hpp"
#include "wire/http_client.hpp"

namespace belfry::net {
namespace {

using model::ChatFailure;
using model::ChatFailureKind;
using model::ChatOutcome;
using std::chrono::steady_clock;

constexpr std::size_t refusal_bytes_max = 1 << 20;  // a server's words when it refuses

wire::HttpClientOptions http_options(const model::ChatRequest& request, const wire::Interrupt& interrupt) {
    const model::ChatTimes& times = request.times;
    wire::HttpClientOptions options;
    options.connect_time_max = std::min({times.connect, times.first_byte, times.whole});
    options.answer_time_max = times.first_byte;
    options.silence_max = times.silence;
    options.stream_begins = wire::StreamBegins::body;
    options.stream_time_max = times.whole;
    options.answer_bytes_max = refusal_bytes_max;
    options.tls_ca_file = request.endpoint.tls_ca_file;
    options.interrupt = &interrupt;
    return options;
}

class Call final : public ports::ModelCall {
public:
    Call(model::ChatRequest request, const ChatCompletions::EstimateTokens& estimate)
        : request_(std::move(request)), estimate_(estimate) {
        if (auto made = wire::Interrupt::make(); made.ok()) interrupt_ = std::move(made).value();
        // The first byte of an answer that comes whole comes with the last one.
        model::ChatTimes& times = request_.times;
        if (request_.endpoint.streaming == model::ChatStreaming::whole) times.first_byte = times.whole;
    }

    ChatOutcome wait(const OnText& on_text) override {
        started_ = steady_clock::now();
        ChatOutcome outcome = ask(on_text);
        if (auto* const failure = std::get_if<ChatFailure>(&outcome)) {
            // Whatever it broke off with, it is the caller's doing.
            if (interrupt_ && interrupt_->is_raised()) return ChatFailure{ChatFailureKind::cancelled, "cancelled"};
            make_presentable(*failure, request_.endpoint);
        } else {
            complete(std::get<model::ChatAnswer>(outcome));
        }
        return outcome;
    }

    void cancel() override {
        if (interrupt_) interrupt_->raise();
    }

private:
    ChatOutcome ask(const OnText& on_text) {
        if (!interrupt_) return ChatFailure{ChatFailureKind::unreachable, "there is no descriptor left"};
        if (interrupt_->is_raised()) return ChatFailure{ChatFailureKind::cancelled, {}};
        const auto http = chat_http_request(request_);
        if (!http.ok()) return request_failure(http.error());

        codec::ChatAnswerParser parser(request_.bounds);
        std::optional<ChatFailure> failure;
        const auto on_piece = [&](std::string_view piece) {
            if (!first_byte_time_) first_byte_time_ = elapsed();
            // Who is never silent is never waited for: the connection does not look at the clock then.
            if (interrupt_->is_raised()) failure = ChatFailure{ChatFailureKind::cancelled, {}};
            else if (elapsed() >= request_.times.whole) failure = timed_out(model::ChatLimit::whole, request_.times);
            else failure = feed(parser, piece, on_text);
            return !failure && !parser.is_complete();
        };
        const auto answer =
            wire::HttpClient(http->endpoint, http_options(request_, *interrupt_)).stream(http->request, on_piece);
        if (failure) return std::move(*failure);
        if (!answer.ok())
            return wire_failure(answer.error(), request_.times, {elapsed(), first_byte_time_.has_value()});
        if (answer->status / 100 != 2) return refusal(*answer);
        std::string rest;
        ChatOutcome outcome = parser.finish(rest);
        if (!rest.empty() && on_text) on_text(rest);
        return outcome;
    }

    static std::optional<ChatFailure> feed(codec::ChatAnswerParser& parser, std::string_view piece,
                                           const OnText& on_text) {
        std::string text;
        auto failure = parser.feed(piece, text);
        if (!text.empty() && on_text) on_text(text);
        return failure;
    }

    void complete(model::ChatAnswer& answer) const {
        answer.whole_time = elapsed();
        answer.first_byte_time = first_byte_time_.value_or(answer.whole_time);
        if (answer.usage.source == model::TokenUsage::Source::server) return;
        for (const model::ChatMessage& message : request_.messages) {
            answer.usage.prompt_tokens += estimate(message.text, message.calls);
        }
        for (const model::ChatTool& tool : request_.tools) {
            answer.usage.prompt_tokens += estimate_(tool.name + ' ' + tool.description + ' ' + tool.parameters.bytes());
        }
        answer.usage.completion_tokens = estimate(answer.text, answer.calls);
    }

    [[nodiscard]] std::int64_t estimate(std::string_view text, const std::vector<model::ToolCall>& calls) const {
        std::int64_t tokens = estimate_(text);
        for (const model::ToolCall& call : calls) tokens += estimate_(call.name + ' ' + call.arguments.bytes());
        return tokens;
    }

    [[nodiscard]] base::Duration elapsed() const {
        const auto time = steady_clock::now() - started_;
        return base::microseconds(std::chrono::duration_cast<std::chrono::microseconds>(time).count());
    }

    model::ChatRequest request_;
    const ChatCompletions::EstimateTokens& estimate_;
    std::unique_ptr<wire::Interrupt> interrupt_;
    steady_clock::time_point started_;
    std::optional<base::Duration> first_byte_time_;
};

}  // namespace

ChatCompletions::ChatCompletions(EstimateTokens estimate) : estimate_(std::move(estimate)) {}

std::unique_ptr<ports::ModelCall> ChatCompletions::begin(model::ChatRequest request) {
    return std::make_unique<Call>(std::move(request), estimate_);
}

}  // namespace belfry::net
