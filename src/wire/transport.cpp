#include "wire/transport.hpp"

#include <cerrno>
#include <climits>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

namespace belfry::wire {
namespace {

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

}  // namespace belfry::wire
