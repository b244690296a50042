#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <sys/epoll.h>
#include <utility>

namespace belfry::bench {

// A file descriptor with one owner.
class Descriptor {
public:
    Descriptor() = default;
    explicit Descriptor(int fd) : fd_(fd) {}
    Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    Descriptor& operator=(Descriptor&& other) noexcept {
        std::swap(fd_, other.fd_);
        return *this;
    }
    ~Descriptor();
    int get() const { return fd_; }

private:
    int fd_ = -1;
};

// A TCP connection to a server on 127.0.0.1, non-blocking once it stands, without Nagle's delay. A server that closes
// it or breaks it ends the program: no benchmark expects that.
class Socket {
public:
    explicit Socket(std::uint16_t port);
    int fd() const { return descriptor_.get(); }

    // How many bytes the kernel took; 0 when it takes none now.
    std::size_t send_some(std::string_view bytes);

    // How many bytes were there; 0 when none are there now.
    std::size_t receive_some(std::span<char> into);

private:
    Descriptor descriptor_;
};

// Which descriptors can be read or written, level-triggered. `tag` comes back with what happened.
class Poller {
public:
    Poller();
    void watch(int fd, std::uint64_t tag, bool writing = false);
    void rewatch(int fd, std::uint64_t tag, bool writing);

    // Waits until something can be done, or for `timeout_ms` (-1: without end); an empty answer is a timeout.
    std::span<const epoll_event> wait(int timeout_ms);

private:
    static constexpr std::size_t events_max = 1024;

    Descriptor descriptor_;
    epoll_event events_[events_max];
};

// Lets this process have as many descriptors open as the machine's hard limit allows.
void raise_descriptor_limit();

}  // namespace belfry::bench
