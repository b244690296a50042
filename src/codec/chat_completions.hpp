#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "codec/chat_calls.hpp"
#include "codec/sse.hpp"
#include "model/chat.hpp"

// Chat completions as OpenAI's interface has them, and as Ollama, llama.cpp, vLLM and the hosted ones speak it, which
// is not the same (docs/models.md names the differences).
namespace belfry::codec {

// The body of `POST …/chat/completions`. Code::invalid for what no server could understand (no model, no message, a
// result without its call, text that is no UTF-8), its `field` saying where; too_large beyond the request's bound.
base::Result<std::string> chat_request_body(const model::ChatRequest& request);

// What a server says that refuses: an answer with any status but 2xx. The words are the server's, in bounds.
model::ChatFailure read_chat_failure(int status, std::string_view body);

// Reads the body of a 2xx answer from pieces of any size, whether it is a stream of events or one JSON text: the body
// itself shows which, because servers err in its media type.
class ChatAnswerParser {
public:
    explicit ChatAnswerParser(const model::ChatBounds& bounds);

    // Takes the next piece and appends the answer's text that it completes. A failure is final.
    std::optional<model::ChatFailure> feed(std::string_view piece, std::string& text);
    // The stream has said that it is whole (`[DONE]`): nothing further need be waited for.
    [[nodiscard]] bool is_complete() const { return is_done_; }
    // The body has ended, or is_complete: the answer, its text as far as `feed` did not give it yet. An answer without
    // the server's own count has `usage` zero, its source an estimate: which is for the caller to make.
    model::ChatOutcome finish(std::string& text);

private:
    enum class Form : std::uint8_t { unknown, events, json };

    std::optional<model::ChatFailure> take_event(const SseMessage& message, std::string& text);
    std::optional<model::ChatFailure> take_object(model::JsonView object, std::string& text);
    std::optional<model::ChatFailure> take_choice(model::JsonView choice, std::string& text);
    std::optional<model::ChatFailure> take_text(std::string_view piece, std::string& text);
    void take_usage(model::JsonView usage);

    model::ChatBounds bounds_;
    Form form_ = Form::unknown;
    std::size_t body_bytes_ = 0;
    std::string begin_;  // of the body, to be shown where it is no answer
    SseParser events_;
    std::string json_;  // of Form::json
    bool has_choice_ = false;
    bool is_done_ = false;
    bool has_finish_ = false;
    ChatCallParts calls_;
    model::ChatAnswer answer_;
};

}  // namespace belfry::codec
