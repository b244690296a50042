#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/beast/core/bind_handler.hpp>
#include <boost/beast/websocket/stream.hpp>
#include <memory>
#include <utility>

#include "base/time.hpp"
#include "wire/peer_link.hpp"

// What peer_network.cpp makes and peer_link.cpp uses; nobody else includes it, because it compiles slowly.
namespace belfry::wire {

using PeerTcp = boost::asio::basic_stream_socket<boost::asio::ip::tcp, boost::asio::io_context::executor_type>;

// Hangs up when WebSocket has said its good-bye, or has none to say because the other end broke the protocol. TLS would
// have its own, and wait for that of the other end without a limit.
class PeerTls : public boost::asio::ssl::stream<PeerTcp> {
public:
    using stream::stream;
};
void hang_up(PeerTls& socket);
inline void teardown(boost::beast::role_type /*role*/, PeerTls& socket, boost::beast::error_code& failure) {
    hang_up(socket);
    failure = {};
}
template <class Handler>
void async_teardown(boost::beast::role_type /*role*/, PeerTls& socket, Handler&& handler) {
    hang_up(socket);
    boost::asio::post(socket.get_executor(),
                      boost::beast::bind_front_handler(std::forward<Handler>(handler), boost::beast::error_code{}));
}

using PeerWebSocket = boost::beast::websocket::stream<PeerTls>;

// Takes a connection whose handshakes are done.
std::unique_ptr<PeerLink> make_peer_link(boost::asio::io_context& io, std::unique_ptr<PeerWebSocket> socket,
                                         LinkFacts facts, base::Duration good_bye_max);

}  // namespace belfry::wire
