#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "base/time.hpp"
#include "model/raw_json.hpp"
#include "wire/client_stream.hpp"
#include "wire/endpoint.hpp"
#include "wire/interrupt.hpp"

namespace belfry::client {

struct RpcOptions {
    wire::Endpoint endpoint;  // a Unix socket, or host and port: its scheme http means plain TCP here, https TLS
    std::string token;        // empty: none, as for a peer on the Unix socket
    std::string tls_ca_file;  // trusted besides the system's certificates
    // For connecting and showing the token together: who waits has to hear of a lost connection within a second.
    base::Duration connect_time_max = base::milliseconds(800);
    const wire::Interrupt* interrupt = nullptr;
};

// `unix:/path` (or a path alone), `tcp://host:port`, or `tcps://host:port` where the daemon has a certificate.
base::Result<wire::Endpoint> parse_rpc_address(std::string_view text);

// What the server made of a request: a result, or its own word why not.
struct RpcAnswer {
    model::RawJson result;
    std::optional<base::Error> refusal;
    base::Duration retry_after;  // of a refusal that says so: who is too fast, or too early
};

// One connection that speaks JSON-RPC 2.0 in the framing of the language server protocol (`Content-Length: N`), one
// request at a time. Not for several threads at once.
//
// Errors are those of the way: unavailable (could not connect, nothing was sent), outcome_unknown (it broke: the
// request may have been carried out), timeout, malformed (no JSON-RPC). After any of them the connection is of no
// further use. That the server refuses is no error of the way but an answer; its code is the one that the error's data
// names, else what the number means.
class RpcConnection {
public:
    // With a token, `authenticate` is the first request. That it was refused is an answer here, too.
    struct Connected {
        std::unique_ptr<RpcConnection> connection;  // none where it was refused
        RpcAnswer refused;
    };
    static base::Result<Connected> connect(const RpcOptions& options, wire::Deadline deadline);

    // Sends a request and waits for the answer of the same id. Whatever else comes is passed over.
    base::Result<RpcAnswer> call(std::string_view id, std::string_view method, std::string_view params_json,
                                 wire::Deadline deadline);

    // Nothing has come unasked, not even the end: fit for another request.
    [[nodiscard]] bool is_quiet() const { return rest_.empty() && stream_->is_quiet(); }

private:
    explicit RpcConnection(std::unique_ptr<wire::ClientStream> stream) : stream_(std::move(stream)) {}
    base::Result<std::string> read_frame(wire::Deadline deadline);
    base::Result<void> read_more(wire::Deadline deadline);

    std::unique_ptr<wire::ClientStream> stream_;
    std::string rest_;  // bytes that came behind the last frame
};

// The bytes of a request without its frame, for those who must know its size beforehand.
std::string rpc_request_json(std::string_view id, std::string_view method, std::string_view params_json);

}  // namespace belfry::client
