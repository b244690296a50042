#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "common/socket.hpp"

namespace belfry::bench {

// One connection that waits for what it asks for.
class Line {
public:
    explicit Line(std::uint16_t port) : socket_(port) {}

    void send(std::string_view bytes);
    // Appends what has come, and waits where nothing has.
    void receive(std::string& into);

private:
    Socket socket_;
};

// A request with a JSON body, or with none, and the body of its answer; any other status than `wanted` ends the
// program.
std::string ask(Line& line, std::string_view method, std::string_view target, std::string_view token,
                std::string_view body, int wanted);

}  // namespace belfry::bench
