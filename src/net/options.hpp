#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/limits.hpp"

namespace belfry::net {

// How the server is reached and what it refuses; the daemon fills it in from the configuration.
struct ServerOptions {
    std::string host = "127.0.0.1";  // empty: no TCP
    std::uint16_t port = 7117;       // 0: any free one
    std::string socket_path;         // empty: no Unix socket
    std::string rpc_socket_path;     // of JSON-RPC; empty: no Unix socket
    std::string rpc_host;            // of JSON-RPC over TCP; empty: none
    std::uint16_t rpc_port = 0;      // 0: any free one
    std::string tls_certificate;     // with a key: TLS on TCP
    std::string tls_key;
    std::vector<std::string> allowed_hosts;    // besides 127.0.0.1, localhost, [::1] and `host`; without a port
    std::vector<std::string> allowed_origins;  // whole origins: https://app.example.org
    std::size_t connections_max = base::limits::http_connections_max;
    std::size_t unfinished_bytes_max = base::limits::http_unfinished_bytes_max;
    std::size_t untaken_bytes_max = base::limits::http_untaken_bytes_max;
    std::int64_t events_per_second =
        base::limits::events_per_second_default;  // per access token without its own; 0: none
    bool journal = true;                          // without it, its routes are not there
};

}  // namespace belfry::net
