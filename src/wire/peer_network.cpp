#include "wire/peer_network.hpp"

#include <atomic>
#include <boost/asio/connect.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <chrono>
#include <openssl/ssl.h>
#include <optional>
#include <set>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "base/assert.hpp"
#include "wire/peer_socket.hpp"
#include "wire/peer_tls.hpp"
#include "wire/resolve.hpp"

namespace belfry::wire {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace websocket = beast::websocket;
using asio::ip::tcp;
using boost::system::error_code;
using Executor = asio::io_context::executor_type;
using Timer =
    asio::basic_waitable_timer<std::chrono::steady_clock, asio::wait_traits<std::chrono::steady_clock>, Executor>;
using Acceptor = asio::basic_socket_acceptor<tcp, Executor>;

constexpr std::uint32_t head_bytes_max = 8 << 10;
constexpr std::size_t packed_from_bytes = 256;  // below that packing saves nothing
constexpr std::size_t write_bytes = 32 << 10;
constexpr base::Duration accept_pause = base::seconds(1);  // where the machine has no descriptor left

std::chrono::microseconds as_chrono(base::Duration duration) {
    return std::chrono::microseconds(duration.us);
}

bool is_our_path(std::string_view path) {
    return path == "/v1/sync" || path == "/v1/pair";
}

void prepare(PeerWebSocket& socket) {
    websocket::permessage_deflate packing;
    packing.server_enable = true;
    packing.client_enable = true;
    packing.compLevel = 6;
    packing.msg_size_threshold = packed_from_bytes;
    socket.set_option(packing);
    // Time is taken by those who know what they wait for.
    const websocket::stream_base::timeout none{websocket::stream_base::none(), websocket::stream_base::none(), false};
    socket.set_option(none);
    socket.write_buffer_bytes(write_bytes);
}

std::string address_text(const PeerTcp& socket) {
    error_code failure;
    const auto endpoint = socket.remote_endpoint(failure);
    if (failure) return {};
    const std::string host = endpoint.address().to_string();
    return (endpoint.address().is_v6() ? "[" + host + "]" : host) + ":" + std::to_string(endpoint.port());
}

base::Error unavailable(const std::string& what) {
    return base::error(base::Code::unavailable, what);
}

}  // namespace

// Shared with those who look up names: what comes late finds nobody. Callbacks hold only its address, for they live and
// end with its io_context.
struct PeerNetwork::Core {
    explicit Core(PeerNetworkOptions the_options) : options(the_options), tls(asio::ssl::context::tls) {}

    PeerNetworkOptions options;
    asio::io_context io{1};
    std::optional<asio::executor_work_guard<Executor>> work;
    asio::ssl::context tls;
    bool has_key = false;
    std::optional<Acceptor> acceptor;
    std::uint16_t port = 0;
    OnLink on_link;
    std::size_t arriving = 0;
    std::atomic<std::uint64_t> turned_away{0};
    std::thread thread;

    void accept();
    void take(PeerTcp socket);
    void try_again_later();
};

namespace {

// A connection on its way to become a link. Whatever comes first ends it: it is up, it failed, or its time is over.
class Opening : public std::enable_shared_from_this<Opening> {
public:
    Opening(asio::io_context& io, asio::ssl::context& tls, base::Duration time_max)
        : io_(io), timer_(io.get_executor()), socket_(std::make_unique<PeerWebSocket>(io.get_executor(), tls)) {
        prepare(*socket_);
        timer_.expires_after(as_chrono(time_max));
    }
    virtual ~Opening() = default;
    Opening(const Opening&) = delete;
    Opening& operator=(const Opening&) = delete;

protected:
    // Callbacks hold the object: it ends with the last of them.
    void watch_time() {
        timer_.async_wait([self = shared_from_this()](const error_code& failure) {
            if (!failure) self->fail("no answer in time");
        });
    }

    virtual void ended(base::Result<LinkFacts> facts) = 0;

    void fail(const std::string& why) {
        if (std::exchange(is_over_, true)) return;
        timer_.cancel();
        error_code ignored;
        tcp_socket().close(ignored);
        ended(why_failed(why));
    }

    void succeed() {
        if (std::exchange(is_over_, true)) return;
        timer_.cancel();
        SSL* session = socket_->next_layer().native_handle();
        LinkFacts facts;
        facts.key = peer_key_of(session);
        facts.pin = pin_of(facts.key);
        auto exporter = exporter_of(session);
        ASSERT(!facts.key.empty() && exporter.has_value());
        facts.exporter = std::move(*exporter);
        facts.address = address_text(tcp_socket());
        ended(std::move(facts));
    }

    // Whether to go on; where not, it has ended.
    bool goes_on(const error_code& failure) {
        if (failure) fail(failure.message());
        return !is_over_;
    }

    [[nodiscard]] virtual base::Error why_failed(const std::string& why) const { return unavailable(why); }

    [[nodiscard]] PeerTls& tls() { return socket_->next_layer(); }
    [[nodiscard]] PeerTcp& tcp_socket() { return socket_->next_layer().next_layer(); }
    void make_prompt() {
        error_code ignored;
        tcp_socket().set_option(tcp::no_delay(true), ignored);
        tcp_socket().set_option(asio::socket_base::keep_alive(true), ignored);
    }

    asio::io_context& io_;
    Timer timer_;
    std::unique_ptr<PeerWebSocket> socket_;
    bool is_over_ = false;
};

// One who has come.
class Arrival final : public Opening {
public:
    using Ended = std::function<void(base::Result<std::unique_ptr<PeerLink>>)>;
    Arrival(asio::io_context& io, asio::ssl::context& tls, const PeerNetworkOptions& options, Ended done)
        : Opening(io, tls, options.handshake_max), good_bye_max_(options.good_bye_max), done_(std::move(done)) {
        parser_.header_limit(head_bytes_max);
        parser_.body_limit(0);
    }

    void start(PeerTcp socket) {
        watch_time();
        tcp_socket() = std::move(socket);
        make_prompt();
        tls().async_handshake(asio::ssl::stream_base::server, [this, self = shared_from_this()](const error_code& ec) {
            if (goes_on(ec)) read_head();
        });
    }

private:
    void read_head() {
        http::async_read_header(
            tls(), buffer_, parser_, [this, self = shared_from_this()](const error_code& ec, std::size_t) {
                if (!goes_on(ec)) return;
                path_ = std::string(parser_.get().target());
                // Nothing is said before the answer: what came with the question is no message of ours.
                if (!is_our_path(path_) || !websocket::is_upgrade(parser_.get()) || buffer_.size() != 0) {
                    return fail("not asked for a link");
                }
                accept();
            });
    }

    void accept() {
        socket_->async_accept(parser_.get(), [this, self = shared_from_this()](const error_code& ec) {
            if (goes_on(ec)) succeed();
        });
    }

    void ended(base::Result<LinkFacts> facts) override {
        auto done = std::exchange(done_, nullptr);
        if (!facts.ok()) return done(std::move(facts).error());
        facts->path = path_;
        done(make_peer_link(io_, std::move(socket_), std::move(*facts), good_bye_max_));
    }

    base::Duration good_bye_max_;
    Ended done_;
    beast::flat_buffer buffer_{head_bytes_max};
    http::request_parser<http::empty_body> parser_;
    std::string path_;
};

// One whom we call.
class Calling final : public Opening {
public:
    Calling(asio::io_context& io, asio::ssl::context& tls, const PeerNetworkOptions& options, PeerNetwork::Call wish,
            PeerNetwork::OnCalled done)
        : Opening(io, tls, options.handshake_max),
          good_bye_max_(options.good_bye_max),
          wish_(std::move(wish)),
          done_(std::move(done)) {
        if (!wish_.pin.empty()) expect_pin(socket_->next_layer().native_handle(), &wish_.pin);
    }

    void start() { watch_time(); }

    void go_to(const base::Result<std::vector<tcp::endpoint>>& places) {
        if (is_over_) return;
        if (!places.ok()) return fail(places.error().message);
        asio::async_connect(tcp_socket(), *places,
                            [this, self = shared_from_this()](const error_code& ec, const tcp::endpoint&) {
                                if (goes_on(ec)) shake_hands();
                            });
    }

private:
    void shake_hands() {
        make_prompt();
        tls().async_handshake(asio::ssl::stream_base::client, [this, self = shared_from_this()](const error_code& ec) {
            if (goes_on(ec)) ask();
        });
    }

    void ask() {
        const bool is_v6 = wish_.host.find(':') != std::string::npos;
        const std::string host = (is_v6 ? "[" + wish_.host + "]" : wish_.host) + ":" + std::to_string(wish_.port);
        socket_->async_handshake(host, wish_.path, [this, self = shared_from_this()](const error_code& ec) {
            if (goes_on(ec)) succeed();
        });
    }

    [[nodiscard]] base::Error why_failed(const std::string& why) const override {
        const std::string where = wish_.host + ":" + std::to_string(wish_.port);
        const long verdict = ::SSL_get_verify_result(socket_->next_layer().native_handle());
        if (!wish_.pin.empty() && verdict == X509_V_ERR_APPLICATION_VERIFICATION) {
            return base::error(base::Code::forbidden, "at " + where + " another device answers than the paired one", {},
                               "wrong_key");
        }
        return unavailable("cannot reach " + where + ": " + why);
    }

    void ended(base::Result<LinkFacts> facts) override {
        auto done = std::exchange(done_, nullptr);
        if (!facts.ok()) return done(std::move(facts).error());
        facts->path = wish_.path;
        facts->is_by_us = true;
        expect_pin(socket_->next_layer().native_handle(), nullptr);
        done(make_peer_link(io_, std::move(socket_), std::move(*facts), good_bye_max_));
    }

    base::Duration good_bye_max_;
    PeerNetwork::Call wish_;
    PeerNetwork::OnCalled done_;
};

std::vector<tcp::endpoint> endpoints_of(const Addresses& found) {
    std::vector<tcp::endpoint> places;
    for (const addrinfo* at = found.get(); at != nullptr; at = at->ai_next) {
        tcp::endpoint place;
        if (at->ai_addrlen > place.capacity()) continue;
        std::memcpy(place.data(), at->ai_addr, at->ai_addrlen);
        place.resize(at->ai_addrlen);
        places.push_back(place);
    }
    return places;
}

}  // namespace

void PeerNetwork::Core::accept() {
    acceptor->async_accept(io.get_executor(), [this](const error_code& ec, PeerTcp socket) {
        if (!acceptor || !acceptor->is_open()) return;
        if (ec == asio::error::no_descriptors || ec == asio::error::no_memory || ec == asio::error::no_buffer_space) {
            return try_again_later();
        }
        if (!ec) take(std::move(socket));
        accept();
    });
}

void PeerNetwork::Core::try_again_later() {
    auto timer = std::make_shared<Timer>(io.get_executor(), as_chrono(accept_pause));
    timer->async_wait([this, timer](const error_code& ec) {
        if (!ec) accept();
    });
}

void PeerNetwork::Core::take(PeerTcp socket) {
    if (arriving >= options.arriving_max) {
        ++turned_away;
        return;
    }
    ++arriving;
    const auto arrival =
        std::make_shared<Arrival>(io, tls, options, [this](base::Result<std::unique_ptr<PeerLink>> link) {
            --arriving;
            if (link.ok()) on_link(std::move(*link));
            else ++turned_away;
        });
    arrival->start(std::move(socket));
}

PeerNetwork::PeerNetwork(PeerNetworkOptions options) : core_(std::make_shared<Core>(options)) {}

PeerNetwork::~PeerNetwork() {
    stop();
}

base::Result<void> PeerNetwork::use(const DeviceKey& key) {
    TRY(prepare_peer_tls(core_->tls, key));
    core_->has_key = true;
    return {};
}

void PeerNetwork::start() {
    core_->work.emplace(core_->io.get_executor());
    core_->thread = std::thread([core = core_.get()] { core->io.run(); });
}

void PeerNetwork::stop() {
    core_->io.stop();
    if (core_->thread.joinable()) core_->thread.join();
    core_->work.reset();
    core_->acceptor.reset();
}

void PeerNetwork::post(std::function<void()> work) {
    asio::post(core_->io, std::move(work));
}

void PeerNetwork::repeat(base::Duration pause, std::function<bool()> work) {
    auto timer = std::make_shared<Timer>(core_->io.get_executor(), as_chrono(pause));
    Timer& at = *timer;
    at.async_wait([this, pause, timer, work = std::move(work)](const error_code& failure) mutable {
        if (!failure && work()) repeat(pause, std::move(work));
    });
}

base::Result<void> PeerNetwork::listen(const std::string& host, std::uint16_t port, OnLink on_link) {
    ASSERT(core_->has_key && !core_->acceptor);
    const std::string where = host + ":" + std::to_string(port);
    std::string bare = host;
    if (bare.starts_with('[') && bare.ends_with(']')) bare = bare.substr(1, bare.size() - 2);
    TRY_ASSIGN(const Addresses found, look_up(bare, std::to_string(port)));
    const std::vector<tcp::endpoint> places = endpoints_of(found);
    if (places.empty()) return base::error(base::Code::io, "cannot listen on " + where + ": it has no address");
    Acceptor acceptor(core_->io.get_executor());
    error_code ec;
    acceptor.open(places.front().protocol(), ec);
    if (!ec) acceptor.set_option(asio::socket_base::reuse_address(true), ec);
    if (!ec) acceptor.bind(places.front(), ec);
    if (!ec) acceptor.listen(asio::socket_base::max_listen_connections, ec);
    if (ec) return base::error(base::Code::io, "cannot listen on " + where + ": " + ec.message());
    core_->port = acceptor.local_endpoint(ec).port();
    core_->acceptor.emplace(std::move(acceptor));
    core_->on_link = std::move(on_link);
    core_->accept();
    return {};
}

std::uint16_t PeerNetwork::port() const {
    return core_->port;
}

std::uint64_t PeerNetwork::turned_away() const {
    return core_->turned_away;
}

// A name is looked up on a thread that is left behind where it takes too long: the system's question has no deadline.
void PeerNetwork::call(Call wish, OnCalled done) {
    ASSERT(core_->has_key);
    if (wish.host.starts_with('[') && wish.host.ends_with(']')) wish.host = wish.host.substr(1, wish.host.size() - 2);
    const std::string host = wish.host;
    const std::uint16_t port = wish.port;
    const auto calling =
        std::make_shared<Calling>(core_->io, core_->tls, core_->options, std::move(wish), std::move(done));
    calling->start();
    error_code is_name;
    const auto address = asio::ip::make_address(host, is_name);
    if (!is_name) {
        return post(
            [calling, place = tcp::endpoint(address, port)] { calling->go_to(std::vector<tcp::endpoint>{place}); });
    }
    const auto look = [weak_core = std::weak_ptr(core_), weak_calling = std::weak_ptr(calling), host, port] {
        auto found = look_up(host, std::to_string(port));
        base::Result<std::vector<tcp::endpoint>> places = std::vector<tcp::endpoint>{};
        if (found.ok()) places = endpoints_of(*found);
        else places = found.error();
        const auto core = weak_core.lock();
        if (!core) return;
        asio::post(core->io, [weak_calling, places = std::move(places)] {
            if (const auto waiting = weak_calling.lock()) waiting->go_to(places);
        });
    };
    try {
        std::thread(look).detach();
    } catch (const std::system_error& failure) {
        post([calling, why = std::string(failure.what())] { calling->go_to(unavailable(why)); });
    }
}

}  // namespace belfry::wire
