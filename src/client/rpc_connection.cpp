#include "client/rpc_connection.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>

#include "client/fields.hpp"
#include "codec/json.hpp"
#include "codec/jsonrpc.hpp"

namespace belfry::client {
namespace {

constexpr std::size_t head_bytes_max = 4096;
constexpr std::size_t frame_bytes_max = 16 << 20;
constexpr std::string_view head_end = "\r\n\r\n";

base::Error no_rpc(std::string_view what) {
    return base::error(base::Code::malformed,
                       "what answers does not speak JSON-RPC: " + std::string(what) + "; is this Belfry's socket?");
}

bool equal_ignoring_case(std::string_view a, std::string_view b) {
    return std::ranges::equal(a, b, [](char x, char y) {
        const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
        return lower(x) == lower(y);
    });
}

// The length that a frame's head gives.
base::Result<std::size_t> length_of(std::string_view head) {
    while (!head.empty()) {
        const std::size_t end = std::min(head.find("\r\n"), head.size());
        const std::string_view line = head.substr(0, end);
        head.remove_prefix(std::min(end + 2, head.size()));
        const std::size_t colon = line.find(':');
        if (!equal_ignoring_case(line.substr(0, colon), "content-length") || colon == std::string_view::npos) continue;
        std::string_view digits = line.substr(colon + 1);
        while (digits.starts_with(' ')) digits.remove_prefix(1);
        std::size_t length = 0;
        const auto [at, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), length);
        if (failed != std::errc{} || at != digits.data() + digits.size()) break;
        if (length > frame_bytes_max) return no_rpc("a message is longer than 16 MB");
        return length;
    }
    return no_rpc("a message has no Content-Length");
}

base::Code code_of(std::int64_t number) {
    switch (static_cast<codec::RpcCode>(number)) {
        case codec::RpcCode::parse_error: return base::Code::malformed;
        case codec::RpcCode::invalid_request:
        case codec::RpcCode::invalid_params: return base::Code::invalid;
        case codec::RpcCode::method_not_found: return base::Code::unsupported;
        case codec::RpcCode::rate_limited: return base::Code::rate_limited;
        case codec::RpcCode::unauthenticated: return base::Code::unauthenticated;
        case codec::RpcCode::forbidden: return base::Code::forbidden;
        case codec::RpcCode::unavailable: return base::Code::unavailable;
        case codec::RpcCode::conflict: return base::Code::conflict;
        case codec::RpcCode::internal: break;
    }
    return base::Code::internal;
}

std::optional<base::Code> named_code(std::string_view name) {
    for (int i = 0; i <= static_cast<int>(base::Code::internal); ++i) {
        if (name == base::code_name(static_cast<base::Code>(i))) return static_cast<base::Code>(i);
    }
    return std::nullopt;
}

RpcAnswer refusal_of(const model::RawJson& error) {
    const Fields fields(error.view());
    const model::RawJson data = fields.object("data");
    const Fields more(data.view());
    const base::Code code = named_code(more.text("code")).value_or(code_of(fields.number("code")));
    return {{},
            base::error(code, fields.text("message"), more.text("field"), more.text("reason")),
            base::milliseconds(more.number("retry_after_ms"))};
}

}  // namespace

std::string rpc_request_json(std::string_view id, std::string_view method, std::string_view params_json) {
    std::string out;
    model::JsonWriter writer(out);
    writer.begin_object().field("jsonrpc", "2.0").field("id", id).field("method", method);
    writer.name("params").raw(params_json).end_object();
    return out;
}

base::Result<wire::Endpoint> parse_rpc_address(std::string_view text) {
    if (text.starts_with("tcp://")) return wire::parse_endpoint("http://" + std::string(text.substr(6)));
    if (text.starts_with("tcps://")) return wire::parse_endpoint("https://" + std::string(text.substr(7)));
    // A bare word is no path: `localhost:7118` is meant for an address.
    const bool is_path = text.starts_with("unix:") ||
                         (text.find('/') != std::string_view::npos && text.find("://") == std::string_view::npos);
    if (!is_path) {
        return base::error(base::Code::invalid,
                           '"' + std::string(text) + "\" is none of unix:/path, tcp://host:port and tcps://host:port");
    }
    wire::Endpoint endpoint;
    endpoint.scheme = wire::Endpoint::Scheme::unix_socket;
    endpoint.socket_path = text.starts_with("unix:") ? text.substr(5) : text;
    return endpoint;
}

base::Result<RpcConnection::Connected> RpcConnection::connect(const RpcOptions& options, wire::Deadline deadline) {
    const wire::Deadline early = std::min(deadline, wire::deadline_in(options.connect_time_max));
    wire::ConnectOptions how;
    how.time_max = base::microseconds(
        std::chrono::duration_cast<std::chrono::microseconds>(early - std::chrono::steady_clock::now()).count());
    how.tls_ca_file = options.tls_ca_file;
    how.interrupt = options.interrupt;
    TRY_ASSIGN(auto stream, wire::connect_stream(options.endpoint, how));
    std::unique_ptr<RpcConnection> made(new RpcConnection(std::move(stream)));
    if (options.token.empty()) return Connected{std::move(made), {}};
    std::string params;
    model::JsonWriter(params).begin_object().field("token", options.token).end_object();
    TRY_ASSIGN(RpcAnswer answer, made->call("authenticate", "authenticate", params, early));
    if (answer.refusal) return Connected{nullptr, std::move(answer)};
    return Connected{std::move(made), {}};
}

base::Result<RpcAnswer> RpcConnection::call(std::string_view id, std::string_view method, std::string_view params_json,
                                            wire::Deadline deadline) {
    const std::string body = rpc_request_json(id, method, params_json);
    TRY(stream_->write("Content-Length: " + std::to_string(body.size()) + std::string(head_end) + body, deadline));
    for (;;) {
        TRY_ASSIGN(const std::string frame, read_frame(deadline));
        const auto json = codec::validate(frame);
        if (!json.ok() || json->view().kind() != model::JsonKind::object) return no_rpc("no JSON object came");
        const Fields fields(json->view());
        const auto answered = fields.member("id");
        if (!answered || fields.member("method")) continue;
        // An error without an id is about what could not be read, and only this request is under way.
        const bool is_ours = answered->kind() == model::JsonKind::null || answered->as_text() == id;
        if (!is_ours) continue;
        RpcAnswer answer;
        if (const auto error = fields.member("error")) {
            answer = refusal_of(fields.object("error"));
        } else if (const auto result = fields.member("result")) {
            answer.result = model::RawJson::trusted(std::string(result->text));
        } else {
            return no_rpc("an answer has neither result nor error");
        }
        return answer;
    }
}

base::Result<void> RpcConnection::read_more(wire::Deadline deadline) {
    std::array<char, 16 << 10> part;
    TRY_ASSIGN(const std::size_t got, stream_->read(part.data(), part.size(), deadline));
    if (got == 0) return base::error(base::Code::outcome_unknown, "the connection ended before the answer");
    rest_.append(part.data(), got);
    return {};
}

base::Result<std::string> RpcConnection::read_frame(wire::Deadline deadline) {
    std::size_t head = 0;
    while ((head = rest_.find(head_end)) == std::string::npos) {
        if (rest_.size() > head_bytes_max) return no_rpc("a message has no head");
        TRY(read_more(deadline));
    }
    TRY_ASSIGN(const std::size_t length, length_of(std::string_view(rest_).substr(0, head)));
    const std::size_t begin = head + head_end.size();
    while (rest_.size() < begin + length) TRY(read_more(deadline));
    std::string frame = rest_.substr(begin, length);
    rest_.erase(0, begin + length);
    return frame;
}

}  // namespace belfry::client
