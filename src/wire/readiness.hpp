#pragma once

#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <functional>
#include <memory>

#include "base/result.hpp"
#include "wire/transport.hpp"

namespace belfry::wire {

// Which of many sockets can be read or written, told by edges: each socket is registered once, and after an edge its
// owner reads or writes until it would block. So a request costs no system call but its own read and write. The set
// itself is one descriptor that the io_context waits for.
class Readiness {
public:
    // `key` is what the socket was added with; edges of one round may name a key that was removed in it.
    using OnEdge = std::function<void(std::uint64_t key, Edge edge)>;

    explicit Readiness(boost::asio::io_context& io);
    ~Readiness();
    Readiness(const Readiness&) = delete;
    Readiness& operator=(const Readiness&) = delete;

    // Begins to wait. `after_round` is called when all edges of a round were told.
    base::Result<void> start(OnEdge on_edge, std::function<void()> after_round);
    // The io_context may run out of work.
    void stop();

    // A socket leaves the set by being closed.
    base::Result<void> add(int socket, std::uint64_t key);

private:
    struct Impl;
    std::shared_ptr<Impl> impl_;
};

}  // namespace belfry::wire
