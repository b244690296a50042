#include "client/rpc_bridge.hpp"

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

base::Result<void> write_all(int descriptor, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return io_error("cannot write");
        bytes.remove_prefix(static_cast<std::size_t>(written));
    }
    return {};
}

// False at the end of it.
base::Result<bool> carry(int from, int to, std::array<char, piece_bytes>& piece) {
    const ssize_t got = ::read(from, piece.data(), piece.size());
    if (got < 0 && errno == EINTR) return true;
    if (got < 0 && errno != ECONNRESET) return io_error("cannot read");
    if (got <= 0) return false;
    TRY(write_all(to, {piece.data(), static_cast<std::size_t>(got)}));
    return true;
}

}  // namespace

base::Result<void> bridge_rpc(const std::string& socket_path, int in, int out) {
    const Socket socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (socket.get() < 0) return io_error("cannot make a socket");
    TRY(connect_to(socket.get(), socket_path));
    std::array<char, piece_bytes> piece;
    std::array<pollfd, 2> waiting{pollfd{in, POLLIN, 0}, pollfd{socket.get(), POLLIN, 0}};
    for (;;) {
        if (::poll(waiting.data(), waiting.size(), -1) < 0) {
            if (errno == EINTR) continue;
            return io_error("cannot wait");
        }
        if (waiting[1].revents != 0) {
            TRY_ASSIGN(const bool goes_on, carry(socket.get(), out, piece));
            if (!goes_on) return {};
        }
        if (waiting[0].revents != 0) {
            TRY_ASSIGN(const bool goes_on, carry(in, socket.get(), piece));
            if (goes_on) continue;
            waiting[0].fd = -1;  // the server answers what it was asked, and closes then
            ::shutdown(socket.get(), SHUT_WR);
        }
    }
}

}  // namespace belfry::client
