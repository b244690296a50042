#include "client/rpc_bridge.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <poll.h>
#include <string_view>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace belfry::client {
namespace {

constexpr std::size_t piece_bytes = 64 << 10;
constexpr std::size_t pipe_bytes = 4096;  // a pipe that is ready takes so much without waiting

base::Error io_error(const std::string& what) {
    return base::error(base::Code::io, what + ": " + std::strerror(errno));
}

class Socket {
public:
    explicit Socket(int descriptor) : descriptor_(descriptor) {}
    ~Socket() {
        if (descriptor_ >= 0) ::close(descriptor_);
    }
    Socket(const Socket&) = delete;
    Socket& operator=(const Socket&) = delete;
    [[nodiscard]] int get() const { return descriptor_; }

private:
    int descriptor_;
};

base::Result<void> connect_to(int descriptor, const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.size() >= sizeof address.sun_path) {
        return base::error(base::Code::invalid, "the path of the Unix socket is too long: " + path);
    }
    std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
    if (::connect(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return {};
    return base::error(base::Code::unavailable, "nobody listens on " + path + ": " + std::strerror(errno));
}

// Both ways at once: a server that is asked much does not read on before its answers are taken, so whoever only writes
// waits for it for ever.
class Bridge {
    using Piece = std::array<char, piece_bytes>;

public:
    Bridge(int in, int out, int socket) : in_(in), out_(out), socket_(socket) {}

    // False when all is carried. An error where the server went before it had everything.
    base::Result<bool> step() {
        std::array<pollfd, 3> waiting{pollfd{!in_ended_ && up_.empty() ? in_ : -1, POLLIN, 0},
                                      pollfd{socket_events() == 0 ? -1 : socket_, socket_events(), 0},
                                      pollfd{down_.empty() ? -1 : out_, POLLOUT, 0}};
        if (::poll(waiting.data(), waiting.size(), -1) < 0) {
            if (errno == EINTR) return true;
            return io_error("cannot wait");
        }
        if (waiting[2].revents != 0) TRY(write_some(out_, down_));
        if (down_.empty() && (waiting[1].revents & (POLLIN | POLLHUP | POLLERR)) != 0) {
            TRY_ASSIGN(const bool goes_on, read_some(socket_, down_piece_, down_));
            if (!goes_on && !half_closed_) {
                return base::error(base::Code::unavailable,
                                   "the daemon closed the connection before everything was sent");
            }
            if (!goes_on) return false;
        }
        if (!up_.empty() && (waiting[1].revents & POLLOUT) != 0) TRY(send_some());
        if (waiting[0].revents != 0) {
            TRY_ASSIGN(const bool goes_on, read_some(in_, up_piece_, up_));
            in_ended_ = !goes_on;
        }
        if (in_ended_ && up_.empty() && !half_closed_ && !cut_off_) {
            half_closed_ = true;  // the server answers what it was asked, and closes then
            ::shutdown(socket_, SHUT_WR);
        }
        return true;
    }

private:
    [[nodiscard]] short socket_events() const {
        return static_cast<short>((down_.empty() ? POLLIN : 0) | (up_.empty() ? 0 : POLLOUT));
    }

    // False at the end of it.
    static base::Result<bool> read_some(int from, Piece& piece, std::string_view& to) {
        const ssize_t got = ::read(from, piece.data(), piece.size());
        if (got < 0 && (errno == EINTR || errno == EAGAIN)) return true;
        if (got < 0 && errno != ECONNRESET) return io_error("cannot read");
        if (got <= 0) return false;
        to = {piece.data(), static_cast<std::size_t>(got)};
        return true;
    }

    static base::Result<void> write_some(int to, std::string_view& from) {
        const ssize_t written = ::write(to, from.data(), std::min(from.size(), pipe_bytes));
        if (written < 0 && (errno == EINTR || errno == EAGAIN)) return {};
        if (written < 0) return io_error("cannot write");
        from.remove_prefix(static_cast<std::size_t>(written));
        return {};
    }

    base::Result<void> send_some() {
        const ssize_t sent = ::send(socket_, up_.data(), up_.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0 && (errno == EINTR || errno == EAGAIN)) return {};
        // What the server still has to say (why it hangs up) is read on; more is not given to it.
        if (sent < 0 && (errno == EPIPE || errno == ECONNRESET)) {
            up_ = {};
            in_ended_ = cut_off_ = true;
            return {};
        }
        if (sent < 0) return io_error("cannot write");
        up_.remove_prefix(static_cast<std::size_t>(sent));
        return {};
    }

    int in_;
    int out_;
    int socket_;
    Piece up_piece_;
    Piece down_piece_;
    std::string_view up_;    // read from `in`, not yet sent
    std::string_view down_;  // read from the socket, not yet written
    bool in_ended_ = false;
    bool half_closed_ = false;  // the server has got everything
    bool cut_off_ = false;      // it takes no more
};

}  // namespace

base::Result<void> bridge_rpc(const std::string& socket_path, int in, int out) {
    const Socket socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (socket.get() < 0) return io_error("cannot make a socket");
    TRY(connect_to(socket.get(), socket_path));
    Bridge bridge(in, out, socket.get());
    for (;;) {
        TRY_ASSIGN(const bool goes_on, bridge.step());
        if (!goes_on) return {};
    }
}

}  // namespace belfry::client
