#pragma once

#include <memory>
#include <string>

#include "base/result.hpp"
#include "wire/transport.hpp"

struct ssl_ctx_st;

namespace belfry::wire {

// A server's certificate and key, TLS 1.2 and newer. Connections keep what they began with when it is loaded anew.
class TlsServer {
public:
    TlsServer(std::string certificate_path, std::string key_path);

    // Reads the files. When that fails, what was loaded before stays in force.
    base::Result<void> load();

    // The server's side of a new connection; takes the socket. The handshake happens with the first reads and writes.
    [[nodiscard]] base::Result<std::unique_ptr<Transport>> accept(int socket) const;

private:
    std::string certificate_path_;
    std::string key_path_;
    std::shared_ptr<ssl_ctx_st> context_;
};

}  // namespace belfry::wire
