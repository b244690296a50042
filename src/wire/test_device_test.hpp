#pragma once

#include <arpa/inet.h>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <future>
#include <gtest/gtest.h>
#include <mutex>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "wire/peer_network.hpp"

// Devices and strangers on real sockets, as tests drive them: they wait for what must come.
namespace belfry::wire {

inline constexpr auto patience = std::chrono::seconds(30);

// One end of a link.
class TestLink {
public:
    TestLink(PeerNetwork& network, std::unique_ptr<PeerLink> link) : network_(network), link_(std::move(link)) {}
    ~TestLink() { cut(); }
    TestLink(const TestLink&) = delete;
    TestLink& operator=(const TestLink&) = delete;

    [[nodiscard]] const LinkFacts& facts() const { return link_->facts(); }
    void send(std::string message) {
        run([&] { link_->send(std::move(message)); });
    }
    base::Result<std::string> receive(std::size_t bytes_max = 8 << 20) {
        auto heard = ask(bytes_max);
        if (heard.wait_for(patience) == std::future_status::ready) return heard.get();
        return base::error(base::Code::timeout, "nothing came");
    }
    std::future<base::Result<std::string>> ask(std::size_t bytes_max = 8 << 20) {
        auto promise = std::make_shared<std::promise<base::Result<std::string>>>();
        run([&] {
            link_->receive(bytes_max,
                           [promise](base::Result<std::string> message) { promise->set_value(std::move(message)); });
        });
        return promise->get_future();
    }
    std::size_t unsent_bytes() {
        std::size_t bytes = 0;
        run([&] { bytes = link_->unsent_bytes(); });
        return bytes;
    }
    std::uint64_t bytes_received() {
        std::uint64_t bytes = 0;
        run([&] { bytes = link_->bytes_received(); });
        return bytes;
    }
    void close() {
        run([&] { link_->close(); });
    }
    void cut() {
        run([&] { link_.reset(); });
    }

private:
    template <class Work>
    void run(Work&& work) {
        std::promise<void> done;
        network_.post([&] {
            work();
            done.set_value();
        });
        done.get_future().wait();
    }

    PeerNetwork& network_;
    std::unique_ptr<PeerLink> link_;
};

class TestDevice {
public:
    explicit TestDevice(PeerNetworkOptions options = {}) : TestDevice(*DeviceKey::make(), options) {}
    explicit TestDevice(const DeviceKey& its_key, PeerNetworkOptions options = {}) : key(its_key), network(options) {
        EXPECT_TRUE(network.use(key).ok());
        network.start();
    }
    ~TestDevice() { network.stop(); }

    // Takes links from here on.
    std::uint16_t listen() {
        std::promise<base::Result<void>> done;
        network.post([&] {
            done.set_value(network.listen("127.0.0.1", 0, [this](std::unique_ptr<PeerLink> link) {
                const std::lock_guard lock(mutex_);
                came_.push_back(std::move(link));
                arrived_.notify_all();
            }));
        });
        const auto listening = done.get_future().get();
        EXPECT_TRUE(listening.ok()) << listening.error().message;
        return network.port();
    }
    // The next that came; none where nobody did.
    std::unique_ptr<TestLink> next() {
        std::unique_lock lock(mutex_);
        if (!arrived_.wait_for(lock, patience, [this] { return !came_.empty(); })) return nullptr;
        auto link = std::make_unique<TestLink>(network, std::move(came_.front()));
        came_.pop_front();
        return link;
    }
    bool has_come() {
        const std::lock_guard lock(mutex_);
        return !came_.empty();
    }
    base::Result<std::unique_ptr<TestLink>> call(std::uint16_t port, const std::string& pin = {},
                                                 const std::string& path = "/v1/sync",
                                                 const std::string& host = "127.0.0.1") {
        auto promise = std::make_shared<std::promise<base::Result<std::unique_ptr<PeerLink>>>>();
        network.post([=, this] {
            network.call({host, port, path, pin}, [promise](base::Result<std::unique_ptr<PeerLink>> link) {
                promise->set_value(std::move(link));
            });
        });
        auto called = promise->get_future();
        if (called.wait_for(patience) != std::future_status::ready) {
            return base::error(base::Code::timeout, "the call has no end");
        }
        auto link = called.get();
        if (!link.ok()) return std::move(link).error();
        return std::make_unique<TestLink>(network, std::move(*link));
    }

    DeviceKey key;
    PeerNetwork network;

private:
    std::mutex mutex_;
    std::condition_variable arrived_;
    std::deque<std::unique_ptr<PeerLink>> came_;
};

// A connection of somebody who need not speak anything.
class Stranger {
public:
    explicit Stranger(std::uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(port);
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        EXPECT_EQ(::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    }
    ~Stranger() { ::close(socket_); }
    Stranger(const Stranger&) = delete;
    Stranger& operator=(const Stranger&) = delete;

    void send(std::string_view bytes) { static_cast<void>(::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL)); }
    // Whether the other end closes within the patience of the test; what it says before is passed over.
    bool is_closed() {
        char buffer[4096];
        pollfd entry{socket_, POLLIN, 0};
        while (::poll(&entry, 1, static_cast<int>(std::chrono::milliseconds(patience).count())) > 0) {
            if (::recv(socket_, buffer, sizeof buffer, 0) <= 0) return true;
        }
        return false;
    }
    [[nodiscard]] int descriptor() const { return socket_; }

private:
    int socket_;
};

}  // namespace belfry::wire
