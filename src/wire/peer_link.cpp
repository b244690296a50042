#include "wire/peer_link.hpp"

#include <algorithm>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <chrono>
#include <deque>
#include <utility>

#include "base/assert.hpp"
#include "wire/peer_socket.hpp"

namespace belfry::wire {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace websocket = beast::websocket;
using boost::system::error_code;
using Timer = asio::basic_waitable_timer<std::chrono::steady_clock, asio::wait_traits<std::chrono::steady_clock>,
                                         asio::io_context::executor_type>;

constexpr std::size_t piece_bytes = 64 << 10;

// The socket and what is under way on it; lives as long as one of its operations does.
class Socket final : public std::enable_shared_from_this<Socket> {
public:
    Socket(asio::io_context& io, std::unique_ptr<PeerWebSocket> socket, base::Duration good_bye_max)
        : socket_(std::move(socket)), timer_(io.get_executor()), good_bye_max_(good_bye_max) {
        socket_->text(true);
        // Bounded here: Beast's own bound has it wait for the other end, which need not do anything.
        socket_->read_message_max(0);
    }

    void send(std::string message) {
        if (is_closing_ || is_cut_) return;
        unsent_bytes_ += message.size();
        unsent_.push_back(std::move(message));
        if (unsent_.size() == 1) write();
    }

    void receive(std::size_t bytes_max, PeerLink::OnMessage done) {
        ASSERT(!done_);
        done_ = std::move(done);
        bytes_max_ = bytes_max;
        read();
    }

    void close() {
        if (std::exchange(is_closing_, true) || is_cut_) return;
        done_ = nullptr;
        timer_.expires_after(std::chrono::microseconds(good_bye_max_.us));
        timer_.async_wait([self = shared_from_this()](const error_code& failure) {
            if (!failure) self->cut();
        });
        if (unsent_.empty()) say_good_bye();
    }

    // What is under way ends, and nobody is told.
    void cut() {
        done_ = nullptr;
        if (std::exchange(is_cut_, true)) return;
        timer_.cancel();
        error_code ignored;
        beast::get_lowest_layer(*socket_).close(ignored);
    }

    [[nodiscard]] bool is_closing() const { return is_closing_; }
    [[nodiscard]] std::size_t unsent_bytes() const { return unsent_bytes_; }
    [[nodiscard]] std::uint64_t bytes_received() const { return bytes_received_; }
    [[nodiscard]] std::uint64_t bytes_sent() const { return bytes_sent_; }
    [[nodiscard]] std::size_t unsent_messages() const { return unsent_.size(); }

private:
    void read() {
        const std::size_t bytes = std::min(piece_bytes, bytes_max_ + 1 - buffer_.size());
        socket_->async_read_some(buffer_, bytes,
                                 [self = shared_from_this()](const error_code& failure, std::size_t bytes) {
                                     self->was_read(failure, bytes);
                                 });
    }

    void was_read(const error_code& failure, std::size_t bytes) {
        bytes_received_ += bytes;
        if (!done_) return;
        if (failure) return finish(explain(failure));
        if (buffer_.size() > bytes_max_) {
            is_too_large_ = true;
            return finish(base::error(base::Code::too_large, "a message is larger than it may be"));
        }
        if (!socket_->is_message_done()) return read();
        if (!socket_->got_text()) return finish(base::error(base::Code::malformed, "a message that is no text"));
        const auto data = buffer_.data();
        std::string message(static_cast<const char*>(data.data()), data.size());
        buffer_.consume(buffer_.size());
        buffer_.shrink_to_fit();
        finish(std::move(message));
    }

    void finish(base::Result<std::string> outcome) { std::exchange(done_, nullptr)(std::move(outcome)); }

    [[nodiscard]] base::Error explain(const error_code& failure) const {
        if (write_failure_) return base::error(base::Code::io, "the link broke: " + write_failure_.message());
        if (failure == websocket::error::closed) {
            const bool is_big = socket_->reason().code == websocket::close_code::too_big;
            return base::error(base::Code::unavailable, is_big ? "the other device found a message too large"
                                                               : "the other device has ended the link");
        }
        return base::error(base::Code::io, "the link broke: " + failure.message());
    }

    // Piece by piece, so that it can be seen that a large message moves.
    void write() {
        const std::string& message = unsent_.front();
        const std::size_t bytes = std::min(message.size() - written_, piece_bytes);
        const bool is_last = written_ + bytes == message.size();
        socket_->async_write_some(is_last, asio::buffer(message.data() + written_, bytes),
                                  [self = shared_from_this(), bytes, is_last](const error_code& failure, std::size_t) {
                                      self->was_written(failure, bytes, is_last);
                                  });
    }

    void was_written(const error_code& failure, std::size_t bytes, bool is_last) {
        if (is_cut_) return;
        unsent_bytes_ -= bytes;
        bytes_sent_ += bytes;
        written_ = is_last ? 0 : written_ + bytes;
        if (is_last) unsent_.pop_front();
        if (failure) {
            // Whoever receives is told of it; where nobody does, the next who asks is.
            write_failure_ = failure;
            unsent_.clear();
            written_ = 0;
            unsent_bytes_ = 0;
            error_code ignored;
            beast::get_lowest_layer(*socket_).close(ignored);
            return;
        }
        if (!unsent_.empty()) write();
        else if (is_closing_) say_good_bye();
    }

    void say_good_bye() {
        socket_->async_close(is_too_large_ ? websocket::close_code::too_big : websocket::close_code::normal,
                             [self = shared_from_this()](const error_code&) { self->cut(); });
    }

    std::unique_ptr<PeerWebSocket> socket_;
    Timer timer_;
    base::Duration good_bye_max_;
    beast::flat_buffer buffer_;
    PeerLink::OnMessage done_;
    std::size_t bytes_max_ = 0;
    bool is_too_large_ = false;
    std::deque<std::string> unsent_;  // the first of them is being written
    std::size_t written_ = 0;         // of that one
    std::size_t unsent_bytes_ = 0;
    std::uint64_t bytes_received_ = 0;
    std::uint64_t bytes_sent_ = 0;
    error_code write_failure_;
    bool is_closing_ = false;
    bool is_cut_ = false;
};

class WebSocketLink final : public PeerLink {
public:
    WebSocketLink(std::shared_ptr<Socket> socket, LinkFacts facts)
        : socket_(std::move(socket)), facts_(std::move(facts)) {}
    ~WebSocketLink() override {
        if (!socket_->is_closing()) socket_->cut();
    }
    WebSocketLink(const WebSocketLink&) = delete;
    WebSocketLink& operator=(const WebSocketLink&) = delete;

    [[nodiscard]] const LinkFacts& facts() const override { return facts_; }
    void send(std::string message) override { socket_->send(std::move(message)); }
    [[nodiscard]] std::size_t unsent_bytes() const override { return socket_->unsent_bytes(); }
    void receive(std::size_t bytes_max, OnMessage done) override { socket_->receive(bytes_max, std::move(done)); }
    [[nodiscard]] std::uint64_t bytes_received() const override { return socket_->bytes_received(); }
    [[nodiscard]] std::size_t unsent_messages() const override { return socket_->unsent_messages(); }
    [[nodiscard]] std::uint64_t bytes_sent() const override { return socket_->bytes_sent(); }
    void close() override { socket_->close(); }

private:
    std::shared_ptr<Socket> socket_;
    LinkFacts facts_;
};

}  // namespace

void hang_up(PeerTls& socket) {
    error_code ignored;
    socket.next_layer().shutdown(PeerTcp::shutdown_both, ignored);
    socket.next_layer().close(ignored);
}

std::unique_ptr<PeerLink> make_peer_link(asio::io_context& io, std::unique_ptr<PeerWebSocket> socket, LinkFacts facts,
                                         base::Duration good_bye_max) {
    return std::make_unique<WebSocketLink>(std::make_shared<Socket>(io, std::move(socket), good_bye_max),
                                           std::move(facts));
}

}  // namespace belfry::wire
