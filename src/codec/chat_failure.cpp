#include <algorithm>
#include <array>
#include <charconv>

#include "codec/chat_completions.hpp"
#include "codec/json.hpp"
#include "codec/media_type.hpp"
#include "codec/utf8.hpp"

namespace belfry::codec {
namespace {

using model::ChatFailureKind;
using model::JsonKind;
using model::JsonView;

// Longer than what is shown in the end: whoever shows it takes secrets out before it is cut.
constexpr std::size_t words_bytes_max = 4096;

// What is common to the errors of all servers.
struct Said {
    std::string message;
    std::string type;
    std::string code;
};

std::string text_of(JsonView object, std::string_view name) {
    const auto value = object.member(name);
    if (!value || value->kind() == JsonKind::null) return {};
    return value->as_text();
}

// {"error":{"message","type","code"}}, {"error":"…"}, {"object":"error","message":…}, {"detail":…}, or the inner object
// alone; in a list or not.
Said read_said(std::string_view body) {
    const auto json = validate(body);
    const std::string_view line = body.substr(0, std::min(body.find_first_of("\r\n"), words_bytes_max));
    if (!json.ok()) return {to_utf8(line), {}, {}};
    JsonView view = json->view();
    if (view.kind() == JsonKind::array) view = model::JsonWalker(view).next().value_or(view);
    if (view.kind() != JsonKind::object) return {to_utf8(line), {}, {}};
    if (const auto error = view.member("error"); error && error->kind() == JsonKind::string) {
        return {error->as_text(), text_of(view, "type"), text_of(view, "code")};
    } else if (error && error->kind() == JsonKind::object) {
        view = *error;
    }
    Said said{text_of(view, "message"), text_of(view, "type"), text_of(view, "code")};
    if (said.message.empty()) said.message = text_of(view, "detail");
    if (said.message.empty()) said.message = line;
    return said;
}

bool is_about_length(const Said& said) {
    if (said.code == "context_length_exceeded" || said.type == "exceed_context_size_error") return true;
    constexpr std::array<std::string_view, 6> words{"context length",    "context size",
                                                    "context window",    "prompt is too long",
                                                    "input is too long", "exceeds the model's maximum"};
    const std::string message = to_lower(said.message);
    return std::ranges::any_of(words, [&message](auto word) { return message.find(word) != std::string::npos; });
}

// Inside a stream the status is 200, and the error may name the one that it would have had.
int status_in(const Said& said) {
    int status = 0;
    const char* const end = said.code.data() + said.code.size();
    const auto [stop, failed] = std::from_chars(said.code.data(), end, status);
    if (failed == std::errc{} && stop == end && status >= 400 && status < 600) return status;
    if (said.type.starts_with("rate_limit") || said.code.starts_with("rate_limit")) return 429;
    if (said.type == "authentication_error" || said.code == "invalid_api_key") return 401;
    if (said.type == "invalid_request_error") return 400;
    return 500;
}

ChatFailureKind kind_of(int status, const Said& said) {
    const bool may_be_length = status == 400 || status == 413 || status == 422 || status >= 500;
    if (status == 413 || (may_be_length && is_about_length(said))) return ChatFailureKind::too_long;
    if (said.code == "model_not_found" && status < 500) return ChatFailureKind::not_found;
    switch (status) {
        case 401:
        case 402:
        case 403: return ChatFailureKind::refused;
        case 404: return ChatFailureKind::not_found;
        case 429: return ChatFailureKind::rate_limited;
        case 408: return ChatFailureKind::server;
        default: break;
    }
    if (status >= 500) return ChatFailureKind::server;
    return status >= 400 ? ChatFailureKind::invalid : ChatFailureKind::protocol;
}

}  // namespace

model::ChatFailure read_chat_failure(int status, std::string_view body) {
    const Said said = read_said(body);
    const bool is_inside = status / 100 == 2;
    model::ChatFailure failure;
    failure.kind = kind_of(is_inside ? status_in(said) : status, said);
    failure.http_status = status;
    failure.message = is_inside ? "an error in place of the answer" : "HTTP " + std::to_string(status);
    if (status / 100 == 3) failure.message += ", which leads elsewhere and is not followed";
    if (!said.message.empty()) failure.message += ": " + to_utf8(said.message.substr(0, words_bytes_max));
    return failure;
}

}  // namespace belfry::codec
