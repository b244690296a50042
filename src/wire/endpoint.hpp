#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace belfry::wire {

// Where a server listens.
struct Endpoint {
    enum class Scheme : std::uint8_t { http, https, unix_socket };

    Scheme scheme = Scheme::http;
    std::string host;  // without the brackets of an IPv6 address
    std::uint16_t port = 0;
    std::string socket_path;  // of a Unix socket

    bool operator==(const Endpoint&) const = default;

    // As a person writes it: `http://127.0.0.1:7117`, `unix:/run/user/1000/belfry/belfry.sock`.
    [[nodiscard]] std::string text() const;
    // What the Host header says. On a Unix socket `localhost`.
    [[nodiscard]] std::string authority() const;
};

// `http://host[:port]`, `https://host[:port]` or `unix:/path`. A path, query or user in the address is refused: there
// is nothing that could be done with it. The port is 80 or 443 where none is given.
base::Result<Endpoint> parse_endpoint(std::string_view text);

}  // namespace belfry::wire
