#pragma once

#include <arpa/inet.h>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

namespace belfry::net::test {

struct Got {
    int status = 0;
    std::string head;
    std::string body;

    [[nodiscard]] std::string header(const std::string& name) const {
        const std::size_t at = head.find("\r\n" + name + ": ");
        if (at == std::string::npos) return {};
        const std::size_t from = at + name.size() + 4;
        return head.substr(from, head.find("\r\n", from) - from);
    }
};

// A client that sends exactly the bytes that it is told to.
class Client {
public:
    explicit Client(std::uint16_t port, int receive_buffer = 0) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
        if (receive_buffer > 0) ::setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(port);
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        EXPECT_EQ(::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
        limit_time();
    }
    explicit Client(const std::string& path) : socket_(::socket(AF_UNIX, SOCK_STREAM, 0)) {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
        EXPECT_EQ(::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
        limit_time();
    }
    ~Client() { ::close(socket_); }
    Client(const Client&) = delete;
    Client& operator=(const Client&) = delete;

    void send(std::string_view bytes) const {
        while (!bytes.empty()) {
            const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
            if (sent <= 0) return;
            bytes.remove_prefix(static_cast<std::size_t>(sent));
        }
    }
    void half_close() const { ::shutdown(socket_, SHUT_WR); }

    // Reads more; false at the end of the connection.
    bool more() {
        char piece[65536];
        const ssize_t count = ::recv(socket_, piece, sizeof piece, 0);
        EXPECT_FALSE(count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) << "nothing came; had: " << rest;
        if (count <= 0) return false;
        rest.append(piece, static_cast<std::size_t>(count));
        return true;
    }
    // Everything up to and with `mark`, taken from the front; all there is where it never comes.
    std::string until(std::string_view mark) {
        std::size_t at = 0;
        while ((at = rest.find(mark)) == std::string::npos) {
            if (!more()) return std::exchange(rest, {});
        }
        std::string out = rest.substr(0, at + mark.size());
        rest.erase(0, out.size());
        return out;
    }
    std::string exactly(std::size_t count) {
        while (rest.size() < count && more()) {
        }
        std::string out = rest.substr(0, count);
        rest.erase(0, out.size());
        return out;
    }
    Got response(bool has_body = true) {
        Got got;
        got.head = until("\r\n\r\n");
        if (got.head.size() > 12) got.status = std::atoi(got.head.c_str() + 9);
        const std::string length = got.header("Content-Length");
        if (has_body && !length.empty()) got.body = exactly(std::stoul(length));
        return got;
    }
    Got ask(std::string_view bytes) {
        send(bytes);
        return response();
    }
    // True when the server has closed and nothing more came.
    bool is_closed() {
        char byte = 0;
        const ssize_t count = ::recv(socket_, &byte, 1, 0);
        return rest.empty() && (count == 0 || (count < 0 && errno == ECONNRESET));
    }
    [[nodiscard]] int descriptor() const { return socket_; }

    std::string rest;

private:
    void limit_time() const {
        const timeval limit{10, 0};
        ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    }
    int socket_;
};

inline std::string request(const std::string& method, const std::string& target, const std::string& token = "",
                           const std::string& fields = "", const std::string& body = "") {
    std::string out = method + " " + target + " HTTP/1.1\r\nHost: localhost\r\n";
    if (!token.empty()) out += "Authorization: Bearer " + token + "\r\n";
    out += fields;
    if (!body.empty()) out += "Content-Length: " + std::to_string(body.size()) + "\r\n";
    return out + "\r\n" + body;
}

inline std::string post_event(const std::string& token = "emitter", const std::string& fields = "") {
    return request("POST", "/v1/events", token, "Content-Type: application/json\r\n" + fields,
                   R"({"type":"a.b","source":"test"})");
}

}  // namespace belfry::net::test
