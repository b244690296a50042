#include "codec/chat_completions.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/limits.hpp"
#include "codec/json.hpp"
#include "codec/utf8.hpp"

namespace belfry::codec {
namespace {

using model::ChatFailure;
using model::ChatFailureKind;
using model::FinishReason;
using model::JsonKind;
using model::JsonView;

constexpr std::size_t shown_bytes_max = 200;

ChatFailure protocol(std::string message) {
    return {ChatFailureKind::protocol, std::move(message)};
}

std::string shown(std::string_view text) {
    return to_utf8(text.substr(0, shown_bytes_max));
}

std::optional<JsonView> member(JsonView object, std::string_view name, JsonKind kind) {
    const auto value = object.member(name);
    return value && value->kind() == kind ? value : std::nullopt;
}

std::optional<std::int64_t> count(JsonView object, std::string_view name) {
    const auto value = member(object, name, JsonKind::number);
    std::int64_t number = 0;
    if (!value) return std::nullopt;
    const auto [end, failed] = std::from_chars(value->text.data(), value->text.data() + value->text.size(), number);
    const bool is_count = failed == std::errc{} && end == value->text.data() + value->text.size() && number >= 0 &&
                          number <= base::limits::reported_count_max;
    return is_count ? std::optional(number) : std::nullopt;
}

FinishReason read_finish(std::string_view name) {
    if (name == "stop" || name == "eos" || name == "end_turn") return FinishReason::stop;
    if (name == "length" || name == "max_tokens") return FinishReason::length;
    if (name == "tool_calls" || name == "function_call") return FinishReason::tool_calls;
    if (name == "content_filter") return FinishReason::content_filter;
    return FinishReason::other;
}

// A text, or parts of which those of kind text count.
std::string content_of(JsonView message) {
    if (const auto text = member(message, "content", JsonKind::string)) return text->as_text();
    std::string joined;
    const auto parts = member(message, "content", JsonKind::array);
    if (!parts) return joined;
    model::JsonWalker walker(*parts);
    while (const auto part = walker.next()) {
        if (part->kind() != JsonKind::object) continue;
        if (const auto text = member(*part, "text", JsonKind::string)) joined += text->as_text();
    }
    return joined;
}

}  // namespace

ChatAnswerParser::ChatAnswerParser(const model::ChatBounds& bounds)
    : bounds_(bounds), events_(bounds.line_bytes, SseParser::ErrorLines::events), calls_(bounds) {}

std::optional<ChatFailure> ChatAnswerParser::feed(std::string_view piece, std::string& text) {
    const std::size_t left = bounds_.body_bytes - body_bytes_;
    const bool is_too_long = piece.size() > left;
    if (is_too_long) piece = piece.substr(0, left);
    body_bytes_ += piece.size();
    if (form_ == Form::unknown) {
        piece.remove_prefix(std::min(piece.find_first_not_of(" \t\r\n\xEF\xBB\xBF"), piece.size()));
        if (!piece.empty()) form_ = piece.front() == '{' || piece.front() == '[' ? Form::json : Form::events;
    }
    begin_ += piece.substr(0, shown_bytes_max - std::min(shown_bytes_max, begin_.size()));
    if (form_ == Form::json) {
        if (json_.size() + piece.size() > bounds_.json_bytes) {
            return protocol("the answer has more than " + std::to_string(bounds_.json_bytes) + " bytes");
        }
        json_ += piece;
    } else {
        const auto fed = events_.feed(piece);
        while (!is_done_) {
            const std::optional<SseMessage> message = events_.next();
            if (!message) break;
            if (auto failure = take_event(*message, text)) return failure;
        }
        if (!fed.ok() && !is_done_) return protocol(fed.error().message);
    }
    if (!is_too_long || is_done_) return std::nullopt;
    return protocol("the answer has more than " + std::to_string(bounds_.body_bytes) + " bytes");
}

std::optional<ChatFailure> ChatAnswerParser::take_event(const SseMessage& message, std::string& text) {
    std::string_view data = message.data;
    while (data.ends_with(' ')) data.remove_suffix(1);
    if (data.empty()) return std::nullopt;
    if (data == "[DONE]") {
        if (!has_choice_) return protocol("the stream ended without an answer");
        is_done_ = true;
        return std::nullopt;
    }
    if (message.event == "error") return read_chat_failure(200, data);
    const auto json = validate(data);
    if (!json.ok()) {
        return protocol("a piece of the stream is no JSON: " + json.error().message + ", in: " + shown(data));
    }
    if (json->view().kind() != JsonKind::object) return protocol("a piece of the stream is no object: " + shown(data));
    return take_object(json->view(), text);
}

std::optional<ChatFailure> ChatAnswerParser::take_object(JsonView object, std::string& text) {
    const auto error = object.member("error");
    const auto kind = member(object, "object", JsonKind::string);
    if ((error && error->kind() != JsonKind::null) || (kind && kind->as_text() == "error")) {
        return read_chat_failure(200, object.text);
    }
    if (const auto name = member(object, "model", JsonKind::string); name && answer_.model.empty()) {
        answer_.model = shown(name->as_text());
    }
    if (const auto usage = member(object, "usage", JsonKind::object)) take_usage(*usage);
    const auto choices = member(object, "choices", JsonKind::array);
    if (!choices) return std::nullopt;
    model::JsonWalker walker(*choices);
    while (const auto choice = walker.next()) {
        if (choice->kind() != JsonKind::object) return protocol("a choice is no object: " + shown(choice->text));
        // One answer was asked for.
        if (count(*choice, "index").value_or(0) != 0) continue;
        if (auto failure = take_choice(*choice, text)) return failure;
    }
    return std::nullopt;
}

std::optional<ChatFailure> ChatAnswerParser::take_choice(JsonView choice, std::string& text) {
    has_choice_ = true;
    auto message = member(choice, "delta", JsonKind::object);
    if (!message) message = member(choice, "message", JsonKind::object);
    if (message) {
        if (auto failure = take_text(content_of(*message), text)) return failure;
        if (const auto calls = member(*message, "tool_calls", JsonKind::array)) {
            model::JsonWalker walker(*calls);
            while (const auto call = walker.next()) {
                if (auto problem = calls_.take(*call)) return protocol(std::move(*problem));
            }
        }
    }
    const auto reason = member(choice, "finish_reason", JsonKind::string);
    const std::string name = reason ? reason->as_text() : std::string();
    if (!name.empty()) {
        has_finish_ = true;
        answer_.finish = read_finish(name);
    }
    return std::nullopt;
}

std::optional<ChatFailure> ChatAnswerParser::take_text(std::string_view piece, std::string& text) {
    if (answer_.text.size() + piece.size() > bounds_.text_bytes) {
        return protocol("the answer's text has more than " + std::to_string(bounds_.text_bytes) + " bytes");
    }
    answer_.text += piece;
    text += piece;
    return std::nullopt;
}

// Nought of both is what servers say that do not count.
void ChatAnswerParser::take_usage(JsonView usage) {
    const auto prompt = count(usage, "prompt_tokens");
    const auto completion = count(usage, "completion_tokens");
    if (!prompt || !completion || *prompt + *completion == 0) return;
    answer_.usage = {*prompt, *completion, model::TokenUsage::Source::server};
}

model::ChatOutcome ChatAnswerParser::finish(std::string& text) {
    if (form_ == Form::json) {
        const auto json = validate(json_);
        if (!json.ok()) return protocol("the answer is no JSON: " + json.error().message + ", in: " + shown(begin_));
        if (json->view().kind() != JsonKind::object) return read_chat_failure(200, json_);
        if (auto failure = take_object(json->view(), text)) return std::move(*failure);
        is_done_ = true;
    } else if (!is_done_) {
        // The last event may lack the line that ends it. What is no JSON then was cut off.
        (void)events_.feed("\n\n");
        while (const auto message = events_.next()) {
            const bool is_whole = message->data == "[DONE]" || validate(message->data).ok();
            if (!is_whole) continue;
            if (auto failure = take_event(*message, text)) return std::move(*failure);
        }
    }
    const bool is_stream = begin_.starts_with("data:") || begin_.starts_with("event:") || begin_.starts_with(':');
    if (!has_choice_ && (is_done_ || !is_stream)) {
        return protocol(begin_.empty() ? "the answer is empty" : "there is no answer in: " + shown(begin_));
    }
    if (!is_done_ && !has_finish_) {
        return ChatFailure{ChatFailureKind::unreachable, "the stream ended before the answer was whole"};
    }
    answer_.calls = calls_.finish();
    if (!has_finish_) answer_.finish = FinishReason::other;
    const bool stopped = answer_.finish == FinishReason::stop || answer_.finish == FinishReason::other;
    if (stopped && !answer_.calls.empty()) answer_.finish = FinishReason::tool_calls;
    if (answer_.finish == FinishReason::tool_calls && answer_.calls.empty()) answer_.finish = FinishReason::stop;
    return std::move(answer_);
}

}  // namespace belfry::codec
