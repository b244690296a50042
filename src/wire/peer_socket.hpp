#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/beast/websocket/ssl.hpp>
#include <boost/beast/websocket/stream.hpp>
#include <memory>

#include "base/time.hpp"
#include "wire/peer_link.hpp"

// What peer_network.cpp makes and peer_link.cpp uses; nobody else includes it, because it compiles slowly.
namespace belfry::wire {

using PeerTcp = boost::asio::basic_stream_socket<boost::asio::ip::tcp, boost::asio::io_context::executor_type>;
using PeerTls = boost::asio::ssl::stream<PeerTcp>;
using PeerWebSocket = boost::beast::websocket::stream<PeerTls>;

// Takes a connection whose handshakes are done.
std::unique_ptr<PeerLink> make_peer_link(boost::asio::io_context& io, std::unique_ptr<PeerWebSocket> socket,
                                         LinkFacts facts, base::Duration good_bye_max);

}  // namespace belfry::wire
