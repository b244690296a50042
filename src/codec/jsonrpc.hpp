#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "model/raw_json.hpp"

// JSON-RPC 2.0: what a peer says, cut into calls, and what it is told.
namespace belfry::codec {

// The standard's numbers, and Belfry's own in the range that it leaves to servers.
enum class RpcCode : std::int32_t {
    parse_error = -32700,
    invalid_request = -32600,
    method_not_found = -32601,
    invalid_params = -32602,
    internal = -32603,
    rate_limited = -32000,
    unauthenticated = -32001,  // say first who you are
    forbidden = -32003,        // known, but not allowed
    unavailable = -32004,      // nothing can be taken now: try again
    conflict = -32009,         // contradicts what is recorded
};

struct RpcError {
    RpcCode code = RpcCode::internal;
    std::string message;
    std::string field{};   // the parameter at fault, dotted; empty: none
    std::string word{};    // Belfry's stable code, as in problems over HTTP; empty: none
    std::string reason{};  // where that alone does not tell
    std::optional<std::int64_t> retry_after_ms{};
};

// The refusals whose words are agreed.
RpcError rpc_parse_error();
RpcError rpc_too_large();
RpcError rpc_rate_limited(std::int64_t retry_after_ms);
// Any other failure of the house.
RpcError rpc_error_of(const base::Error& error);

// One call of a peer. Its views point into the text.
struct RpcCall {
    std::string id;  // a number, a string or null, as JSON; empty: a notification, which is not answered
    std::string method;
    std::string_view params;        // an object or an array, validated; empty: none
    std::optional<RpcError> error;  // it is no call; to be answered under `id`, which is `null` where none was found
    bool is_answer = false;         // to something that was asked of the peer

    [[nodiscard]] bool is_notification() const { return id.empty(); }
};

// What one message holds. What is no JSON, or is an empty or too large batch, is one call with an error.
struct RpcText {
    bool is_batch = false;  // its answers go out as one array
    std::vector<RpcCall> calls;
};

// Reads one message, strictly: UTF-8 and the grammar of JSON (else a parse error), `jsonrpc` must be "2.0", `method` a
// text that does not begin with `rpc.`, `params` an object or an array, `id` a text, a number or null. Members of a
// call that the standard does not know are passed over. Parameters are validated as JSON and left as they stand.
RpcText parse_rpc(std::string_view text);

// Each appends one message, without any framing. `id`, `result` and `params` are JSON.
void append_rpc_result(std::string& out, std::string_view id, std::string_view result);
void append_rpc_error(std::string& out, std::string_view id, const RpcError& error);
void append_rpc_request(std::string& out, std::string_view id, std::string_view method, std::string_view params);
void append_rpc_notification(std::string& out, std::string_view method, std::string_view params);

}  // namespace belfry::codec
