#pragma once

#include <string>

#include "net/test_client.hpp"
#include "net/test_house.hpp"

namespace belfry::net::test {

inline const std::string upgrade =
    "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";

struct Frame {
    unsigned opcode = 0;
    std::string payload;
};

class Socket : public Client {
public:
    explicit Socket(House& house, const std::string& query = "")
        : Socket(house, "/v1/streams/events" + query, "user") {}
    Socket(House& house, const std::string& target, const std::string& token) : Client(house.server->port()) {
        send(request("GET", target, token, upgrade));
        head = response(false);
    }
    Frame frame() {
        const std::string start = exactly(2);
        if (start.size() < 2) return {};
        Frame frame;
        frame.opcode = static_cast<unsigned char>(start[0]) & 0x0FU;
        std::size_t size = static_cast<unsigned char>(start[1]);
        if (size == 126) {
            const std::string length = exactly(2);
            size = static_cast<std::size_t>(static_cast<unsigned char>(length[0])) << 8U |
                   static_cast<unsigned char>(length[1]);
        }
        frame.payload = exactly(size);
        return frame;
    }
    void say(unsigned opcode, const std::string& payload) const {
        std::string out(1, static_cast<char>(0x80U | opcode));
        if (payload.size() < 126) {
            out += static_cast<char>(0x80U | payload.size());
        } else {
            out += static_cast<char>(0x80U | 126U);
            out += static_cast<char>(payload.size() >> 8U);
            out += static_cast<char>(payload.size() & 0xFFU);
        }
        out += std::string("\0\0\0\0", 4) + payload;
        send(out);
    }
    Got head;
};

}  // namespace belfry::net::test
