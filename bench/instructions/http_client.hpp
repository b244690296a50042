#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "net/connections.hpp"
#include "wire/transport.hpp"

namespace belfry::bench {

class InProcessDaemon;

// The two directions of a connection, in memory.
struct ByteLine {
    std::string input;
    std::size_t input_read = 0;
    std::string output;
    std::size_t output_bytes = 0;  // also of output that is not kept
    bool keeps_output = true;
};

// Client of an InProcessDaemon, over a connection without a socket.
class HttpClient {
public:
    HttpClient(InProcessDaemon& daemon, std::string token);

    // The bytes of a request. Paths make them before their operations are counted.
    [[nodiscard]] std::string request(std::string_view method, std::string_view path, std::string_view body = {}) const;
    // Sends a request, runs the daemon until it has nothing left to do, and returns the answer with its head, valid
    // until the next call. Ends the program unless the answer has this status.
    std::string_view send(std::string_view request, std::string_view status);
    // The same for requests that are not counted. Returns the body.
    std::string ask(std::string_view method, std::string_view path, std::string_view body, std::string_view status);
    // Follows a stream by server-sent events. Its bytes are counted and not kept.
    void follow(std::string_view stream);

    [[nodiscard]] std::size_t output_bytes() const { return line_->output_bytes; }

private:
    InProcessDaemon& daemon_;
    std::string token_;
    std::shared_ptr<ByteLine> line_;
    net::ConnectionId connection_;
};

// The value of a member in a JSON text, without quotes: the first of this name. Ends the program where there is none.
std::string_view member_of(std::string_view json, std::string_view name);

}  // namespace belfry::bench
