#pragma once

#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/result.hpp"
#include "net/connection.hpp"

namespace belfry::net {

// A place where connections arrive.
class Listener {
public:
    // Gets the socket, which does not block, and owns it.
    using OnAccept = std::function<void(int socket, const Peer& peer)>;

    virtual ~Listener() = default;
    // Looks again after the machine had no descriptor for another connection.
    virtual void resume() = 0;
    // Takes no more connections; the port or path is free afterwards.
    virtual void close() = 0;
    [[nodiscard]] virtual std::uint16_t port() const = 0;  // 0 for a Unix socket
};

// `port` 0 takes a free one. A host name is resolved once.
base::Result<std::unique_ptr<Listener>> listen_tcp(boost::asio::io_context& io, const std::string& host,
                                                   std::uint16_t port, Listener::OnAccept on_accept);
// Mode 0600 from the first moment that somebody can connect. A socket file that nobody answers on is replaced.
base::Result<std::unique_ptr<Listener>> listen_unix(boost::asio::io_context& io, const std::string& path,
                                                    Listener::OnAccept on_accept);

}  // namespace belfry::net
