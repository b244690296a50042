#include "net/server.hpp"

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <csignal>
#include <optional>
#include <sys/socket.h>
#include <utility>
#include <vector>

#include "net/connection.hpp"
#include "net/guard.hpp"
#include "net/interaction_waits.hpp"
#include "net/links.hpp"
#include "net/listener.hpp"
#include "net/outside_call_waits.hpp"
#include "net/problem.hpp"
#include "net/rpc/link.hpp"
#include "net/service.hpp"
#include "net/wake_waits.hpp"
#include "wire/http_response.hpp"
#include "wire/readiness.hpp"
#include "wire/tls.hpp"

namespace belfry::net {
namespace asio = boost::asio;
namespace {

constexpr base::Duration away_min = base::seconds(5);  // since the last tick, which comes every second

}  // namespace

struct Server::Impl {
    Impl(const ServerOptions& options, const Ports& ports)
        : service(options, ports, [this](std::function<void()> work) { asio::post(io, std::move(work)); }),
          readiness(io),
          timer(io) {
        keep_time();
        ticked_at = service.tick;
    }

    // Between two ticks, too, because a process may be stopped there: what comes after that must not seem older.
    void look_at_clock() { service.tick = service.ports.clock.monotonic(); }

    void keep_time() {
        look_at_clock();
        service.date = wire::http_date(service.ports.clock.now());
    }

    base::Result<void> listen() {
        TRY(readiness.start(
            [this](std::uint64_t key, wire::Edge edge) {
                look_at_clock();
                if (Connection* connection = service.connections.find(key)) connection->on_edge(edge);
                else if (RpcLink* link = service.rpc.find(key)) link->on_edge(edge);
            },
            [this] { after_work(); }));
        const ServerOptions& options = service.options;
        if (!options.tls_certificate.empty()) {
            std::signal(SIGPIPE, SIG_IGN);  // OpenSSL writes without MSG_NOSIGNAL
            tls.emplace(options.tls_certificate, options.tls_key);
            TRY(tls->load());
        }
        const auto on_accept = [this](int socket, const Peer& peer) { accept(socket, peer); };
        if (!options.host.empty()) {
            TRY_ASSIGN(auto listener, listen_tcp(io, options.host, options.port, on_accept));
            port = listener->port();
            service.options.port = port;
            listeners.push_back(std::move(listener));
        }
        if (!options.socket_path.empty()) {
            TRY_ASSIGN(auto listener, listen_unix(io, options.socket_path, on_accept));
            listeners.push_back(std::move(listener));
        }
        TRY(listen_rpc());
        service.ports.streams.set_listener([this](const std::vector<model::StreamId>& streams) {
            service.fanout.on_news(streams);
            service.rpc.on_news(streams);
            service.interaction_waits->on_news(streams);
            service.wake_waits->on_news(streams);
            service.outside_call_waits->on_news(streams);
        });
        tick();
        return {};
    }

    base::Result<void> listen_rpc() {
        const ServerOptions& options = service.options;
        const auto on_accept = [this](int socket, const Peer& peer) { accept_rpc(socket, peer); };
        if (!options.rpc_host.empty()) {
            TRY_ASSIGN(auto listener, listen_tcp(io, options.rpc_host, options.rpc_port, on_accept));
            rpc_port = listener->port();
            listeners.push_back(std::move(listener));
        }
        if (!options.rpc_socket_path.empty()) {
            TRY_ASSIGN(auto listener, listen_unix(io, options.rpc_socket_path, on_accept));
            listeners.push_back(std::move(listener));
        }
        return {};
    }

    // Some places are for the peers of Unix sockets alone, so that nobody on the network can lock the owner out.
    [[nodiscard]] std::size_t local_places() const {
        const ServerOptions& options = service.options;
        if (options.socket_path.empty() && options.rpc_socket_path.empty()) return 0;
        const std::size_t share = options.connections_max / base::limits::http_local_places_share;
        return std::min(std::max(share, base::limits::http_local_places_min), options.connections_max / 2);
    }

    [[nodiscard]] bool is_full(const Peer& peer) const {
        const std::size_t places = service.options.connections_max - (peer.is_local ? 0 : local_places());
        return service.connections.size() + service.rpc.size() >= places;
    }

    // Nothing where the peer's hello makes no sense.
    std::unique_ptr<wire::Transport> transport_of(int socket, const Peer& peer) {
        if (!tls || peer.is_local) return wire::plain_transport(socket);
        auto made = tls->accept(socket);
        return made ? std::move(made).value() : nullptr;
    }

    void accept_rpc(int socket, const Peer& peer) {
        look_at_clock();
        auto transport = transport_of(socket, peer);
        if (!transport) return;
        if (is_full(peer)) {
            ++service.ports.metrics.http_connections_refused;
            return;
        }
        const ConnectionId id = service.rpc.next_id();
        RpcLink& link = service.rpc.put(std::make_unique<RpcLink>(
            service, id, std::move(transport), peer, RpcFraming::lsp, peer.is_same_user ? peer_caller(peer) : nullptr));
        if (!readiness.add(socket, id)) link.end();
    }

    void accept(int socket, const Peer& peer) {
        look_at_clock();
        if (is_full(peer)) return turn_away(socket);
        std::unique_ptr<wire::Transport> transport = transport_of(socket, peer);
        if (!transport) return;
        const ConnectionId id = service.connections.reserve();
        Connection& connection =
            service.connections.put(id, std::make_unique<Connection>(service, id, std::move(transport), peer));
        if (!readiness.add(socket, id)) connection.end();
    }

    // With a word, as far as that goes without keeping anything for it.
    void turn_away(int socket) {
        ++service.ports.metrics.http_connections_refused;
        const auto transport = wire::plain_transport(socket);
        if (tls) return;
        const Problem problem =
            make_problem(503, base::error(base::Code::overloaded, "too many connections are open; try again"));
        wire::Response response;
        response.status = 503;
        response.content_type = "application/problem+json";
        response.body = problem.body;
        response.extra_fields = problem.extra_fields;
        response.date = service.date;
        response.keep_alive = false;
        std::string out;
        wire::append_response(out, response);
        static_cast<void>(transport->write(out));
        transport->finish();
        static_cast<void>(transport->read(service.input.data(), service.input.size()));
    }

    void tick() {
        timer.expires_after(std::chrono::seconds(1));
        timer.async_wait([this](const boost::system::error_code& ec) {
            if (ec) return;
            if (was_away()) keep_time();
            else sweep();
            tick();
        });
    }

    // A process that was stopped has not heard what was said to it meanwhile. It listens first, and judges who was
    // silent at the next tick.
    bool was_away() {
        const base::Duration now = service.ports.clock.monotonic();
        const bool is_late = now - std::exchange(ticked_at, now) >= away_min;
        listened = is_late && !listened;
        return listened;
    }

    void sweep() {
        keep_time();
        const base::Duration now = service.tick;
        const std::uint64_t generation = service.ports.access.generation();
        const bool ask_again = generation != asked_generation || now - asked_at >= base::limits::stream_heartbeat;
        if (ask_again) {
            asked_generation = generation;
            asked_at = now;
        }
        service.connections.for_each([&](Connection& connection) { connection.sweep(now, ask_again); });
        service.wake_waits->sweep(now, ask_again);  // before the links, which end without an answer to who waits there
        service.rpc.sweep(now, ask_again);
        service.outside_call_waits->sweep(now, ask_again);
        service.interaction_waits->sweep(now, ask_again);
        service.fanout.sweep();
        service.send_unsent();
        service.event_rates.sweep(now);
        service.failed_logins.sweep(now);
        for (const auto& listener : listeners) listener->resume();
        if (service.stopping && now - stop_began >= base::limits::http_stop_max) {
            service.connections.for_each([](Connection& connection) { connection.end(); });
            service.rpc.end_all();
        }
        after_work();
    }

    void after_work() {
        service.connections.bury();
        service.rpc.bury();
        const bool is_empty = service.connections.size() == 0 && service.rpc.size() == 0;
        if (service.stopping && on_stopped && is_empty) std::exchange(on_stopped, nullptr)();
    }

    void stop(std::function<void()> done) {
        keep_time();
        service.stopping = true;
        stop_began = service.tick;
        on_stopped = std::move(done);
        for (const auto& listener : listeners) listener->close();
        service.connections.for_each([](Connection& connection) { connection.begin_stop(); });
        service.interaction_waits->answer_all();
        service.wake_waits->answer_all();
        service.outside_call_waits->answer_all();
        service.rpc.begin_stop();
        after_work();
    }

    asio::io_context io{1};
    Service service;
    wire::Readiness readiness;
    asio::basic_waitable_timer<std::chrono::steady_clock, asio::wait_traits<std::chrono::steady_clock>,
                               asio::io_context::executor_type>
        timer;
    std::vector<std::unique_ptr<Listener>> listeners;
    std::optional<wire::TlsServer> tls;
    std::uint16_t port = 0;
    std::uint16_t rpc_port = 0;
    std::uint64_t asked_generation = 0;
    base::Duration asked_at;
    base::Duration stop_began;
    base::Duration ticked_at;
    bool listened = false;  // at the last tick, instead of judging
    std::function<void()> on_stopped;
};

Server::Server(const ServerOptions& options, ports::Gateway& gateway, ports::Streams& streams, ports::Queries& queries,
               ports::Access& access, ports::Random& random, ports::Clock& clock, ports::Metrics& metrics)
    : impl_(std::make_unique<Impl>(options, Ports{gateway, streams, queries, access, random, clock, metrics})) {}

Server::~Server() = default;

base::Result<void> Server::listen() {
    return impl_->listen();
}
std::uint16_t Server::port() const {
    return impl_->port;
}
std::uint16_t Server::rpc_port() const {
    return impl_->rpc_port;
}

void Server::set_pairing(ports::Pairing* pairing) {
    impl_->service.ports.pairing = pairing;
}

void Server::make_link(std::function<void(base::Result<std::string>)> done) {
    post([this, done = std::move(done)] {
        auto issuer = std::make_shared<Caller>();
        issuer->principal = model::house_principal();
        auto link = net::make_link(impl_->service, std::move(issuer));
        done(link.ok() ? base::Result<std::string>(std::move(link->url)) : link.error());
    });
}

void Server::run() {
    impl_->io.run();
}

void Server::post(std::function<void()> work) {
    asio::post(impl_->io, std::move(work));
}

void Server::stop(std::function<void()> done) {
    post([this, done = std::move(done)]() mutable { impl_->stop(std::move(done)); });
}

void Server::quit() {
    impl_->io.stop();
}

base::Result<void> Server::reload_certificate() {
    if (!impl_->tls) return base::error(base::Code::not_found, "no certificate is configured");
    return impl_->tls->load();
}

void Server::sweep() {
    impl_->sweep();
}

}  // namespace belfry::net
