#include "net/listener.hpp"

#include <algorithm>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "net/peer.hpp"
#include "wire/transport.hpp"

namespace belfry::net {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;
using Executor = asio::io_context::executor_type;

base::Error io_error(const std::string& what, const error_code& ec) {
    return base::error(base::Code::io, what + ": " + ec.message());
}

Address address_of(const asio::ip::address& address) {
    if (address.is_v6()) return address.to_v6().to_bytes();
    return asio::ip::make_address_v6(asio::ip::v4_mapped, address.to_v4()).to_bytes();
}

constexpr int silence_s = 15;  // then the kernel asks whether the other host is there
constexpr int probe_pause_s = 5;
constexpr int probes = 3;
// Longer than a slow reader is waited for: its end is told by a word, and this one is not.
constexpr int unacknowledged_ms = 40'000;

// A host that vanished without a word is noticed: bytes that are not acknowledged end the connection after a while, and
// where none are under way the kernel asks.
void notice_loss(int socket) {
    const auto set = [socket](int level, int name, int value) {
        static_cast<void>(::setsockopt(socket, level, name, &value, sizeof value));
    };
    set(SOL_SOCKET, SO_KEEPALIVE, 1);
    set(IPPROTO_TCP, TCP_KEEPIDLE, silence_s);
    set(IPPROTO_TCP, TCP_KEEPINTVL, probe_pause_s);
    set(IPPROTO_TCP, TCP_KEEPCNT, probes);
    set(IPPROTO_TCP, TCP_USER_TIMEOUT, unacknowledged_ms);
}

Peer peer_of(asio::ip::tcp::socket& socket) {
    error_code ignored;
    socket.set_option(asio::ip::tcp::no_delay(true), ignored);
    notice_loss(socket.native_handle());
    wire::keep_backlog_small(socket.native_handle());
    const auto endpoint = socket.remote_endpoint(ignored);
    Peer peer;
    if (!ignored) peer.address = address_of(endpoint.address());
    return peer;
}

Peer peer_of(asio::local::stream_protocol::socket& socket) {
    Peer peer;
    peer.is_local = true;
    if (const auto user = peer_user(socket.native_handle())) {
        peer.uid = *user;
        peer.is_same_user = *user == geteuid();
    }
    return peer;
}

template <class Protocol>
class AsioListener final : public Listener {
public:
    using Acceptor = asio::basic_socket_acceptor<Protocol, Executor>;

    AsioListener(asio::io_context& io, Acceptor acceptor, std::string path, std::uint16_t port, OnAccept on_accept)
        : io_(io),
          acceptor_(std::move(acceptor)),
          path_(std::move(path)),
          port_(port),
          on_accept_(std::move(on_accept)) {
        accept();
    }
    ~AsioListener() override { AsioListener::close(); }
    AsioListener(const AsioListener&) = delete;
    AsioListener& operator=(const AsioListener&) = delete;

    void resume() override {
        if (std::exchange(paused_, false)) accept();
    }
    void close() override {
        if (!acceptor_.is_open()) return;
        error_code ignored;
        acceptor_.close(ignored);
        if (!path_.empty()) ::unlink(path_.c_str());
    }
    [[nodiscard]] std::uint16_t port() const override { return port_; }

private:
    void accept() {
        acceptor_.async_accept(io_, [this](const error_code& ec, typename Protocol::socket socket) {
            if (ec == asio::error::operation_aborted) return;  // `this` may be gone
            if (!acceptor_.is_open()) return;
            if (ec == asio::error::no_descriptors || ec == asio::error::no_memory ||
                ec == asio::error::no_buffer_space) {
                paused_ = true;
                return;
            }
            if (!ec) take(std::move(socket));
            accept();
        });
    }

    void take(typename Protocol::socket socket) {
        error_code ec;
        socket.native_non_blocking(true, ec);
        const Peer peer = peer_of(socket);
        const int descriptor = socket.release(ec);
        if (!ec) on_accept_(descriptor, peer);
    }

    asio::io_context& io_;
    Acceptor acceptor_;
    std::string path_;
    std::uint16_t port_;
    OnAccept on_accept_;
    bool paused_ = false;
};

bool is_answered(asio::io_context& io, const asio::local::stream_protocol::endpoint& endpoint) {
    asio::local::stream_protocol::socket probe(io);
    error_code ec;
    probe.connect(endpoint, ec);
    return !ec;
}

}  // namespace

base::Result<std::unique_ptr<Listener>> listen_tcp(asio::io_context& io, const std::string& host, std::uint16_t port,
                                                   Listener::OnAccept on_accept) {
    using asio::ip::tcp;
    const std::string where = host + ":" + std::to_string(port);
    error_code ec;
    std::string bare = host;
    if (bare.starts_with('[') && bare.ends_with(']')) bare = bare.substr(1, bare.size() - 2);
    tcp::resolver resolver(io);
    const auto found = resolver.resolve(bare, std::to_string(port), tcp::resolver::passive, ec);
    if (ec || found.empty()) return io_error("cannot resolve " + where, ec);
    const tcp::endpoint endpoint = found.begin()->endpoint();
    AsioListener<tcp>::Acceptor acceptor(io.get_executor());
    acceptor.open(endpoint.protocol(), ec);
    if (!ec) acceptor.set_option(tcp::acceptor::reuse_address(true), ec);
    if (!ec) acceptor.bind(endpoint, ec);
    if (!ec) acceptor.listen(asio::socket_base::max_listen_connections, ec);
    if (ec == asio::error::address_in_use) {
        return base::error(base::Code::io, "cannot listen on " + where + ": another program does; choose another port");
    }
    if (ec) return io_error("cannot listen on " + where, ec);
    const std::uint16_t bound = acceptor.local_endpoint(ec).port();
    return std::unique_ptr<Listener>(
        std::make_unique<AsioListener<tcp>>(io, std::move(acceptor), "", bound, std::move(on_accept)));
}

base::Result<std::unique_ptr<Listener>> listen_unix(asio::io_context& io, const std::string& path,
                                                    Listener::OnAccept on_accept) {
    using asio::local::stream_protocol;
    if (path.size() >= sizeof(sockaddr_un::sun_path)) {
        return base::error(base::Code::invalid, "the path of the Unix socket is too long: " + path);
    }
    const stream_protocol::endpoint endpoint(path);
    struct stat info{};
    if (::lstat(path.c_str(), &info) == 0) {
        if (!S_ISSOCK(info.st_mode)) return base::error(base::Code::io, path + " is there and is no socket");
        if (is_answered(io, endpoint)) return base::error(base::Code::io, "somebody is listening on " + path);
        ::unlink(path.c_str());
    }
    error_code ec;
    AsioListener<stream_protocol>::Acceptor acceptor(io.get_executor());
    acceptor.open(endpoint.protocol(), ec);
    if (!ec) acceptor.bind(endpoint, ec);
    if (ec) return io_error("cannot listen on " + path, ec);
    // Nobody can connect before `listen`, so the mode is there in time.
    if (::chmod(path.c_str(), S_IRUSR | S_IWUSR) != 0) {
        return base::error(base::Code::io, "cannot set the mode of " + path);
    }
    acceptor.listen(asio::socket_base::max_listen_connections, ec);
    if (ec) return io_error("cannot listen on " + path, ec);
    return std::unique_ptr<Listener>(
        std::make_unique<AsioListener<stream_protocol>>(io, std::move(acceptor), path, 0, std::move(on_accept)));
}

}  // namespace belfry::net
