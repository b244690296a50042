#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/time.hpp"
#include "model/raw_json.hpp"

// What is said to a language model, and what it answers: one turn.
namespace belfry::model {

enum class ChatRole : std::uint8_t { system, user, assistant, tool };

// What the model asks for. `arguments` is always a valid JSON object and can be sent back to the model as it is; where
// the model wrote something else, it is the empty object, `problem` says what was wrong, and the call must not be made:
// its result is the problem.
struct ToolCall {
    std::string id;  // never empty: `call_0`, `call_1` … by their place where the server gave none
    std::string name;
    RawJson arguments;
    std::string problem;  // empty: none

    bool operator==(const ToolCall&) const = default;
};

struct ChatMessage {
    ChatRole role = ChatRole::user;
    std::string text;
    std::vector<ToolCall> calls;  // of an assistant
    std::string tool_call_id;     // of a tool: the call that `text` is the result of

    bool operator==(const ChatMessage&) const = default;
};

struct ChatTool {
    std::string name;
    std::string description;
    RawJson parameters = RawJson::trusted(R"({"type":"object","properties":{}})");  // a JSON schema

    bool operator==(const ChatTool&) const = default;
};

// `one`: the tool that `ChatRequest::tool` names, and no other.
enum class ToolChoice : std::uint8_t { automatic, none, required, one };

// How the server calls the most tokens that it may write: the newest hosted models refuse the old name, and many local
// servers do not know the new one.
enum class OutputLimitName : std::uint8_t { max_tokens, max_completion_tokens };

// Whether the answer is asked for in pieces. Some servers lose tool calls when it is.
enum class ChatStreaming : std::uint8_t { pieces, whole };

// Where the model is.
struct ChatEndpoint {
    std::string base_url;                                      // `http://127.0.0.1:11434/v1`
    std::string secret;                                        // sent as `Authorization: Bearer …`; empty: not sent
    std::vector<std::pair<std::string, std::string>> headers;  // besides
    std::string tls_ca_file;                                   // trusted besides the system's; empty: only those
    OutputLimitName output_limit_name = OutputLimitName::max_tokens;
    ChatStreaming streaming = ChatStreaming::pieces;
};

struct ChatTimes {
    base::Duration connect = base::seconds(10);
    base::Duration first_byte =
        base::minutes(2);  // from the start to the first byte of the body; not of ChatStreaming::whole
    base::Duration silence = base::minutes(1);  // between two pieces of the body; a server's keep-alive is one
    base::Duration whole = base::minutes(10);
};

struct ChatBounds {
    std::size_t request_bytes = 8 << 20;
    std::size_t text_bytes = 1 << 20;   // of the answer
    std::size_t calls_bytes = 1 << 20;  // names, ids and arguments of all its calls
    std::size_t line_bytes = 1 << 20;   // one line of the stream
    std::size_t json_bytes = 8 << 20;   // an answer that comes as one JSON text
    std::size_t body_bytes = 64 << 20;  // all that the server sends: the frame of each piece is longer than it
    std::size_t calls = 128;
};

struct ChatRequest {
    ChatEndpoint endpoint;
    std::string model;
    std::vector<ChatMessage> messages;
    std::vector<ChatTool> tools;
    ToolChoice tool_choice = ToolChoice::automatic;  // of no meaning without tools
    std::string tool;                                // of ToolChoice::one
    std::optional<double> temperature;               // none: the server's
    std::optional<std::int64_t> output_tokens_max;   // none: the server's
    ChatTimes times;
    ChatBounds bounds;
};

// Why the model stopped. `tool_calls` whenever it stopped of itself and there are some, whatever the server called it.
enum class FinishReason : std::uint8_t { stop, length, tool_calls, content_filter, other };

struct TokenUsage {
    enum class Source : std::uint8_t { server, estimate };

    std::int64_t prompt_tokens = 0;
    std::int64_t completion_tokens = 0;
    Source source = Source::estimate;  // the server said nothing of it

    bool operator==(const TokenUsage&) const = default;
};

struct ChatAnswer {
    std::string text;
    std::vector<ToolCall> calls;  // in the order of the model
    FinishReason finish = FinishReason::stop;
    TokenUsage usage;
    std::string model;  // as the server calls it; empty where it does not
    base::Duration first_byte_time;
    base::Duration whole_time;
};

enum class ChatFailureKind : std::uint8_t {
    invalid,       // the request is wrong: by its own form, or in the words of the server (400, 422)
    refused,       // the credential is missing, wrong or not enough (401, 403)
    not_found,     // no such model, or nothing of the kind at this address (404)
    too_long,      // the messages do not fit the model's context; the next attempt needs fewer
    rate_limited,  // 429; `retry_after` where the server says it
    server,        // 5xx, or an error inside the stream
    unreachable,   // no connection, or it broke before the answer was whole
    timed_out,     // `limit` says which
    cancelled,
    protocol,  // an answer that is none, or one beyond the bounds
};

enum class ChatLimit : std::uint8_t { connect, first_byte, silence, whole };

struct ChatFailure {
    ChatFailureKind kind = ChatFailureKind::protocol;
    std::string message;  // for a person, in bounds, and never with the secret in it
    int http_status = 0;  // 0: none came
    std::optional<base::Duration> retry_after{};
    std::optional<ChatLimit> limit{};

    // The same request may well succeed later.
    [[nodiscard]] bool is_passing() const;
};

using ChatOutcome = std::variant<ChatAnswer, ChatFailure>;

std::string_view chat_role_name(ChatRole role);
std::string_view finish_reason_name(FinishReason reason);
std::string_view chat_failure_name(ChatFailureKind kind);
std::string_view chat_limit_name(ChatLimit limit);

}  // namespace belfry::model
