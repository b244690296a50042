#include <array>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <cerrno>
#include <cstring>
#include <sys/epoll.h>

#include "wire/readiness.hpp"

namespace belfry::wire {
namespace {
namespace asio = boost::asio;
using Descriptor = asio::posix::basic_stream_descriptor<asio::io_context::executor_type>;
constexpr int round_edges_max = 256;
}  // namespace

struct Readiness::Impl : std::enable_shared_from_this<Impl> {
    explicit Impl(asio::io_context& io) : descriptor(io.get_executor()) {}

    Descriptor descriptor;
    OnEdge on_edge;
    std::function<void()> after_round;
    std::array<epoll_event, round_edges_max> events{};

    void wait() {
        descriptor.async_wait(asio::posix::descriptor_base::wait_read,
                              [self = shared_from_this()](const boost::system::error_code& ec) {
                                  if (!ec) self->round();
                              });
    }

    void round() {
        const int count = epoll_wait(descriptor.native_handle(), events.data(), round_edges_max, 0);
        for (int i = 0; i < count; ++i) {
            const epoll_event& event = events[static_cast<std::size_t>(i)];
            Edge edge;
            edge.closed = (event.events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0;
            edge.readable = (event.events & EPOLLIN) != 0 || edge.closed;
            edge.writable = (event.events & (EPOLLOUT | EPOLLERR)) != 0;
            on_edge(event.data.u64, edge);
        }
        after_round();
        if (descriptor.is_open()) wait();
    }
};

Readiness::Readiness(asio::io_context& io) : impl_(std::make_shared<Impl>(io)) {}
Readiness::~Readiness() {
    stop();
}

base::Result<void> Readiness::start(OnEdge on_edge, std::function<void()> after_round) {
    const int descriptor = epoll_create1(EPOLL_CLOEXEC);
    if (descriptor < 0) return base::error(base::Code::io, std::string("epoll_create1: ") + std::strerror(errno));
    impl_->descriptor.assign(descriptor);
    impl_->on_edge = std::move(on_edge);
    impl_->after_round = std::move(after_round);
    impl_->wait();
    return {};
}

void Readiness::stop() {
    boost::system::error_code ignored;
    impl_->descriptor.close(ignored);
}

base::Result<void> Readiness::add(int socket, std::uint64_t key) {
    epoll_event event{};
    event.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET;
    event.data.u64 = key;
    if (epoll_ctl(impl_->descriptor.native_handle(), EPOLL_CTL_ADD, socket, &event) == 0) return {};
    return base::error(base::Code::io, std::string("epoll_ctl: ") + std::strerror(errno));
}

}  // namespace belfry::wire
