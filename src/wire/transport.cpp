#include "wire/transport.hpp"

#include <cerrno>
#include <climits>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

namespace belfry::wire {
namespace {

constexpr int backlog_bytes = 128 << 10;
constexpr int last_word_bytes = 208 << 10;  // the kernel doubles it, and gives no more without being told to

// Where the socket is of a kind that has no such option, nothing is lost.
void set_option(int socket, int level, int name, int value) {
    static_cast<void>(::setsockopt(socket, level, name, &value, sizeof value));
}

IoResult failure() {
    if (errno == EAGAIN || errno == EWOULDBLOCK) return {Io::would_block};
    return {Io::failed};
}

class PlainTransport final : public Transport {
public:
    explicit PlainTransport(int socket) : socket_(socket) {}
    ~PlainTransport() override { ::close(socket_); }
    PlainTransport(const PlainTransport&) = delete;
    PlainTransport& operator=(const PlainTransport&) = delete;

    IoResult read(char* into, std::size_t size) override {
        for (;;) {
            const ssize_t count = ::recv(socket_, into, size, 0);
            if (count > 0) {
                const auto bytes = static_cast<std::size_t>(count);
                return {Io::done, bytes, bytes < size};
            }
            if (count == 0) return {Io::closed};
            if (errno != EINTR) return failure();
        }
    }

    IoResult write(const iovec* pieces, std::size_t count) override {
        for (;;) {
            ssize_t sent = 0;
            if (count == 1) {
                sent = ::send(socket_, pieces->iov_base, pieces->iov_len, MSG_NOSIGNAL);
            } else {
                msghdr message{};
                message.msg_iov = const_cast<iovec*>(pieces);  // sendmsg does not change them
                message.msg_iovlen = count < IOV_MAX ? count : IOV_MAX;
                sent = ::sendmsg(socket_, &message, MSG_NOSIGNAL);
            }
            if (sent >= 0) return {Io::done, static_cast<std::size_t>(sent)};
            if (errno != EINTR) return failure();
        }
    }

    void finish() override { ::shutdown(socket_, SHUT_WR); }
    [[nodiscard]] int socket() const override { return socket_; }

private:
    int socket_;
};

}  // namespace

IoResult Transport::write(std::string_view bytes) {
    const iovec piece{const_cast<char*>(bytes.data()), bytes.size()};
    return write(&piece, 1);
}

std::unique_ptr<Transport> plain_transport(int socket) {
    return std::make_unique<PlainTransport>(socket);
}

void keep_backlog_small(int socket) {
    set_option(socket, IPPROTO_TCP, TCP_NOTSENT_LOWAT, backlog_bytes);
}

void make_room_for_last_word(int socket, base::Duration patience) {
    set_option(socket, IPPROTO_TCP, TCP_NOTSENT_LOWAT, -1);
    set_option(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, static_cast<int>(patience.us / base::milliseconds(1).us));
    int room = 0;
    socklen_t size = sizeof room;
    if (::getsockopt(socket, SOL_SOCKET, SO_SNDBUF, &room, &size) == 0 && room < 2 * last_word_bytes) {
        set_option(socket, SOL_SOCKET, SO_SNDBUF, last_word_bytes);
    }
}

}  // namespace belfry::wire
