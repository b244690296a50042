#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <utility>

#include "wire/client_stream.hpp"
#include "wire/resolve.hpp"

namespace belfry::wire {
namespace {

using std::chrono::steady_clock;

enum class Ready : std::uint8_t { yes, timed_out, interrupted };

Ready wait_for(int fd, short what, Deadline deadline, const Interrupt* interrupt) {
    for (;;) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - steady_clock::now()).count();
        if (interrupt != nullptr && interrupt->is_raised()) return Ready::interrupted;
        if (left <= 0) return Ready::timed_out;
        pollfd entries[2] = {{fd, what, 0}, {interrupt != nullptr ? interrupt->descriptor() : -1, POLLIN, 0}};
        const int ready = ::poll(entries, 2, static_cast<int>(std::min<std::int64_t>(left, 60'000)));
        if (ready > 0 && entries[0].revents != 0) return Ready::yes;
    }
}

base::Result<void> must_be_ready(int fd, short what, Deadline deadline, const Interrupt* interrupt) {
    switch (wait_for(fd, what, deadline, interrupt)) {
        case Ready::yes: return {};
        case Ready::interrupted: return base::error(base::Code::timeout, "interrupted");
        case Ready::timed_out: break;
    }
    return base::error(base::Code::timeout, "no answer in time");
}

base::Error broken() {
    return base::error(base::Code::outcome_unknown, std::string("the connection broke: ") + std::strerror(errno));
}

class ClientSocket final : public ClientStream {
public:
    ClientSocket(int fd, const Interrupt* interrupt) : fd_(fd), interrupt_(interrupt) {}
    ClientSocket(const ClientSocket&) = delete;
    ClientSocket& operator=(const ClientSocket&) = delete;
    ~ClientSocket() override { ::close(fd_); }

    base::Result<std::size_t> read(char* to, std::size_t bytes_max, Deadline deadline) override {
        for (;;) {
            const ssize_t got = ::recv(fd_, to, bytes_max, 0);
            if (got >= 0) return static_cast<std::size_t>(got);
            if (errno == EAGAIN || errno == EWOULDBLOCK) TRY(must_be_ready(fd_, POLLIN, deadline, interrupt_));
            else if (errno != EINTR) return broken();
        }
    }

    base::Result<void> write(std::string_view bytes, Deadline deadline) override {
        while (!bytes.empty()) {
            const ssize_t sent = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
            if (sent >= 0) bytes.remove_prefix(static_cast<std::size_t>(sent));
            else if (errno == EAGAIN || errno == EWOULDBLOCK) TRY(must_be_ready(fd_, POLLOUT, deadline, interrupt_));
            else if (errno != EINTR) return broken();
        }
        return {};
    }

    [[nodiscard]] bool is_quiet() const override {
        pollfd entry{fd_, POLLIN, 0};
        return ::poll(&entry, 1, 0) == 0;
    }

private:
    int fd_;
    const Interrupt* interrupt_;
};

base::Error cannot_connect(const Endpoint& endpoint, std::string_view why) {
    std::string message = "cannot connect to " + endpoint.text() + ": ";
    message += why;
    return base::error(base::Code::unavailable, std::move(message));
}

// Connects one socket to one address; the text of the failure alone, because several addresses may be tried.
base::Result<std::unique_ptr<ClientStream>> connect_to(int family, const sockaddr* address, socklen_t bytes,
                                                       Deadline deadline, const Interrupt* interrupt) {
    const int fd = ::socket(family, SOCK_STREAM, 0);
    if (fd < 0) return base::error(base::Code::io, std::strerror(errno));
    auto socket = std::make_unique<ClientSocket>(fd, interrupt);
    ::fcntl(fd, F_SETFD, FD_CLOEXEC);
    ::fcntl(fd, F_SETFL, O_NONBLOCK);
    if (::connect(fd, address, bytes) != 0) {
        // A Unix socket says EAGAIN for a full backlog, where waiting would not help.
        if (errno != EINPROGRESS) return base::error(base::Code::io, std::strerror(errno));
        TRY(must_be_ready(fd, POLLOUT, deadline, interrupt));
        int failure = 0;
        socklen_t size = sizeof(failure);
        ::getsockopt(fd, SOL_SOCKET, SO_ERROR, &failure, &size);
        if (failure != 0) return base::error(base::Code::io, std::strerror(failure));
    }
    if (family != AF_UNIX) {
        const int on = 1;
        ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    }
    return std::unique_ptr<ClientStream>(std::move(socket));
}

base::Result<std::unique_ptr<ClientStream>> connect_unix(const Endpoint& endpoint, const ConnectOptions& options,
                                                         Deadline deadline) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (endpoint.socket_path.size() >= sizeof(address.sun_path)) {
        return cannot_connect(endpoint, "the path is longer than a socket's may be (" +
                                            std::to_string(sizeof(address.sun_path) - 1) + " bytes)");
    }
    std::memcpy(address.sun_path, endpoint.socket_path.data(), endpoint.socket_path.size());
    auto connected =
        connect_to(AF_UNIX, reinterpret_cast<const sockaddr*>(&address), sizeof(address), deadline, options.interrupt);
    if (!connected.ok()) return cannot_connect(endpoint, connected.error().message);
    return connected;
}

int count(const addrinfo* addresses) {
    int found = 0;
    for (; addresses != nullptr; addresses = addresses->ai_next) ++found;
    return found;
}

base::Result<std::unique_ptr<ClientStream>> connect_tcp(const Endpoint& endpoint, const ConnectOptions& options,
                                                        Deadline deadline) {
    const auto addresses = resolve(endpoint.host, std::to_string(endpoint.port), deadline, options.interrupt);
    if (!addresses.ok()) return cannot_connect(endpoint, addresses.error().message);
    std::string why = "the name has no address";
    int left = count(addresses->get());
    for (const addrinfo* at = addresses->get(); at != nullptr; at = at->ai_next, --left) {
        // One that swallows everything must not take the time of those behind it.
        const Deadline share = steady_clock::now() + (deadline - steady_clock::now()) / left;
        auto connected = connect_to(at->ai_family, at->ai_addr, at->ai_addrlen, share, options.interrupt);
        if (connected.ok()) return connected;
        why = connected.error().message;
    }
    return cannot_connect(endpoint, why);
}

}  // namespace

Deadline deadline_in(base::Duration time) {
    return steady_clock::now() + std::chrono::microseconds(time.us);
}

base::Result<std::unique_ptr<ClientStream>> connect_stream(const Endpoint& endpoint, const ConnectOptions& options) {
    const Deadline deadline = deadline_in(options.time_max);
    if (endpoint.scheme == Endpoint::Scheme::unix_socket) return connect_unix(endpoint, options, deadline);
    auto connected = connect_tcp(endpoint, options, deadline);
    if (!connected.ok() || endpoint.scheme == Endpoint::Scheme::http) return connected;
    return start_tls(std::move(connected).value(), endpoint, options, deadline);
}

}  // namespace belfry::wire
