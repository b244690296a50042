#pragma once

#include <arpa/inet.h>
#include <cstring>
#include <functional>
#include <mutex>
#include <netinet/in.h>
#include <poll.h>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <sys/un.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "base/assert.hpp"
#include "wire/endpoint.hpp"

// A real server on a real socket that does to each connection what its script says.
namespace belfry::wire {

// One accepted connection; closed when its script returns.
class ServedConnection {
public:
    explicit ServedConnection(int fd) : fd_(fd) {}
    ServedConnection(const ServedConnection&) = delete;
    ServedConnection& operator=(const ServedConnection&) = delete;
    ~ServedConnection() { ::close(fd_); }

    // Head and body of the next request; empty where the client went.
    std::string request() {
        std::size_t head = std::string::npos;
        while ((head = came_.find("\r\n\r\n")) == std::string::npos) {
            if (!receive()) return {};
        }
        std::size_t length = 0;
        const std::size_t at = came_.find("Content-Length: ");
        if (at < head) length = std::stoul(came_.substr(at + 16));
        while (came_.size() < head + 4 + length) {
            if (!receive()) return {};
        }
        std::string whole = came_.substr(0, head + 4 + length);
        came_.erase(0, whole.size());
        return whole;
    }

    void send(std::string_view bytes) {
        while (!bytes.empty()) {
            const ssize_t sent = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
            if (sent <= 0) return;
            bytes.remove_prefix(static_cast<std::size_t>(sent));
        }
    }

    void answer(int status, std::string_view body, std::string_view headers = {}) {
        send("HTTP/1.1 " + std::to_string(status) + " X\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" +
             std::string(headers) + "\r\n" + std::string(body));
    }

    void wait_for_hang_up() {
        while (receive()) came_.clear();
    }

    [[nodiscard]] int descriptor() const { return fd_; }

private:
    bool receive() {
        char buffer[4096];
        const ssize_t got = ::recv(fd_, buffer, sizeof(buffer), 0);
        if (got <= 0) return false;
        came_.append(buffer, static_cast<std::size_t>(got));
        return true;
    }

    int fd_;
    std::string came_;
};

// Keeps the requests of clients. Scripts add requests in the thread of the server; the test reads them in its own
// thread.
class Requests {
public:
    // Nothing: the client went.
    void push_back(std::string request) {
        const std::lock_guard lock(mutex_);
        if (!request.empty()) all_.push_back(std::move(request));
    }
    void clear() {
        const std::lock_guard lock(mutex_);
        all_.clear();
    }
    [[nodiscard]] std::string at(std::size_t i) const {
        const std::lock_guard lock(mutex_);
        return all_.at(i);
    }
    [[nodiscard]] std::string operator[](std::size_t i) const { return at(i); }
    [[nodiscard]] std::size_t size() const {
        const std::lock_guard lock(mutex_);
        return all_.size();
    }
    [[nodiscard]] bool empty() const { return size() == 0; }

private:
    mutable std::mutex mutex_;
    std::vector<std::string> all_;
};

class ScriptedServer {
public:
    // One script a connection, in their order; further connections are closed at once.
    using Script = std::function<void(ServedConnection&)>;

    explicit ScriptedServer(std::vector<Script> scripts, const std::string& socket_path = {}) {
        if (socket_path.empty()) listen_tcp();
        else listen_unix(socket_path);
        ASSERT(::listen(listener_, 16) == 0);
        ASSERT(::pipe(stop_) == 0);
        thread_ = std::thread([this, scripts = std::move(scripts)] { serve(scripts); });
    }
    ScriptedServer(const ScriptedServer&) = delete;
    ScriptedServer& operator=(const ScriptedServer&) = delete;
    ~ScriptedServer() {
        (void)!::write(stop_[1], "x", 1);
        thread_.join();
        ::close(stop_[0]);
        ::close(stop_[1]);
        ::close(listener_);
    }

    [[nodiscard]] const Endpoint& endpoint() const { return endpoint_; }

private:
    void listen_tcp() {
        listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        ASSERT(::bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0);
        socklen_t size = sizeof(address);
        ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
        endpoint_.host = "127.0.0.1";
        endpoint_.port = ntohs(address.sin_port);
    }

    void listen_unix(const std::string& path) {
        listener_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        ASSERT(path.size() < sizeof(address.sun_path));
        std::memcpy(address.sun_path, path.c_str(), path.size());
        ASSERT(::bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0);
        endpoint_.scheme = Endpoint::Scheme::unix_socket;
        endpoint_.socket_path = path;
    }

    void serve(const std::vector<Script>& scripts) {
        for (std::size_t next = 0;; ++next) {
            pollfd entries[2] = {{listener_, POLLIN, 0}, {stop_[0], POLLIN, 0}};
            ::poll(entries, 2, -1);
            if (entries[1].revents != 0) return;
            ServedConnection connection(::accept(listener_, nullptr, nullptr));
            if (next < scripts.size()) scripts[next](connection);
        }
    }

    int listener_ = -1;
    int stop_[2] = {-1, -1};
    Endpoint endpoint_;
    std::thread thread_;
};

}  // namespace belfry::wire
