// What a language model's server streams: pieces of any size give the same answer, in bounds, with calls that can be
// made or say why not, and nothing of it is more than was sent.
#include "base/assert.hpp"
#include "codec/chat_completions.hpp"
#include "codec/json.hpp"

namespace {

using namespace belfry;

void check(const model::ChatAnswer& answer, const model::ChatBounds& bounds) {
    ASSERT(answer.text.size() <= bounds.text_bytes && answer.calls.size() <= bounds.calls);
    for (std::size_t i = 0; i < answer.calls.size(); ++i) {
        const model::ToolCall& call = answer.calls[i];
        ASSERT(!call.id.empty() && (!call.name.empty() || !call.problem.empty()));
        ASSERT(call.arguments.view().kind() == model::JsonKind::object && codec::validate(call.arguments.bytes()).ok());
        for (std::size_t k = 0; k < i; ++k) ASSERT(answer.calls[k].id != call.id);
    }
}

std::string show(const model::ChatOutcome& outcome, const model::ChatBounds& bounds) {
    if (const auto* const failure = std::get_if<model::ChatFailure>(&outcome)) {
        ASSERT(failure->message.size() < 16'000);
        return std::string(model::chat_failure_name(failure->kind)) + failure->message;
    }
    const auto& answer = std::get<model::ChatAnswer>(outcome);
    check(answer, bounds);
    std::string shown = answer.model + '|' + std::string(model::finish_reason_name(answer.finish));
    shown += std::to_string(answer.usage.prompt_tokens) + '+' + std::to_string(answer.usage.completion_tokens);
    for (const model::ToolCall& call : answer.calls) {
        shown += '|' + call.id + '|' + call.name + '|' + call.arguments.bytes() + '|' + call.problem;
    }
    return shown;
}

std::string read(std::string_view body, std::size_t piece) {
    model::ChatBounds bounds;
    bounds.text_bytes = 300;
    bounds.calls_bytes = 400;
    bounds.line_bytes = 1000;
    bounds.json_bytes = 2000;
    bounds.body_bytes = 3000;
    bounds.calls = 4;
    codec::ChatAnswerParser parser(bounds);
    std::string text;
    std::optional<model::ChatFailure> failure;
    for (std::size_t at = 0; at < body.size() && !failure && !parser.is_complete(); at += piece) {
        failure = parser.feed(body.substr(at, piece), text);
    }
    const model::ChatOutcome outcome = failure ? model::ChatOutcome(*failure) : parser.finish(text);
    if (const auto* const answer = std::get_if<model::ChatAnswer>(&outcome)) ASSERT(answer->text == text);
    return text + '|' + show(outcome, bounds);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string body(reinterpret_cast<const char*>(data), size);
    const std::string whole = read(body, body.size() + 1);
    ASSERT(read(body, 1) == whole);
    ASSERT(read(body, 7) == whole);
    const model::ChatFailure failure = codec::read_chat_failure(400, body);
    ASSERT(failure.message.size() < 16'000);
    return 0;
}
