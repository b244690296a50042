#include "common/socket.hpp"

#include <arpa/inet.h>
#include <cerrno>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/fail.hpp"

namespace belfry::bench {

namespace {

void control(int epoll, int operation, int fd, std::uint64_t tag, bool writing) {
    epoll_event event{};
    event.events = writing ? EPOLLIN | EPOLLOUT : EPOLLIN;
    event.data.u64 = tag;
    if (epoll_ctl(epoll, operation, fd, &event) != 0) fail_errno("epoll_ctl");
}

}  // namespace

Descriptor::~Descriptor() {
    if (fd_ >= 0) close(fd_);
}

Socket::Socket(std::uint16_t port) : descriptor_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    if (fd() < 0) fail_errno("socket");
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (connect(fd(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) fail_errno("connect");
    const int on = 1;
    if (setsockopt(fd(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) != 0) fail_errno("TCP_NODELAY");
    if (fcntl(fd(), F_SETFL, O_NONBLOCK) != 0) fail_errno("O_NONBLOCK");
}

std::size_t Socket::send_some(std::string_view bytes) {
    const ssize_t sent = send(fd(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent >= 0) return static_cast<std::size_t>(sent);
    if (errno != EAGAIN && errno != EINTR) fail_errno("send");
    return 0;
}

std::size_t Socket::receive_some(std::span<char> into) {
    const ssize_t received = recv(fd(), into.data(), into.size(), 0);
    if (received > 0) return static_cast<std::size_t>(received);
    if (received == 0) fail("the server closed a connection");
    if (errno != EAGAIN && errno != EINTR) fail_errno("recv");
    return 0;
}

Poller::Poller() : descriptor_(epoll_create1(EPOLL_CLOEXEC)), events_{} {
    if (descriptor_.get() < 0) fail_errno("epoll_create1");
}

void Poller::watch(int fd, std::uint64_t tag, bool writing) {
    control(descriptor_.get(), EPOLL_CTL_ADD, fd, tag, writing);
}

void Poller::rewatch(int fd, std::uint64_t tag, bool writing) {
    control(descriptor_.get(), EPOLL_CTL_MOD, fd, tag, writing);
}

std::span<const epoll_event> Poller::wait(int timeout_ms) {
    for (;;) {
        const int count = epoll_wait(descriptor_.get(), events_, events_max, timeout_ms);
        if (count >= 0) return {events_, static_cast<std::size_t>(count)};
        if (errno != EINTR) fail_errno("epoll_wait");
    }
}

void raise_descriptor_limit() {
    rlimit limit{};
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) fail_errno("getrlimit");
    limit.rlim_cur = limit.rlim_max;
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0) fail_errno("setrlimit");
}

}  // namespace belfry::bench
