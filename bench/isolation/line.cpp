#include "isolation/line.hpp"

#include <array>
#include <poll.h>

#include "common/fail.hpp"
#include "common/http_answer.hpp"

namespace belfry::bench {
namespace {

constexpr int patience_ms = 60'000;

void wait(int descriptor, short events) {
    pollfd waiting{descriptor, events, 0};
    const int ready = ::poll(&waiting, 1, patience_ms);
    if (ready < 0) fail_errno("poll");
    if (ready == 0) fail("the server has said nothing for a minute");
}

}  // namespace

void Line::send(std::string_view bytes) {
    while (!bytes.empty()) {
        const std::size_t sent = socket_.send_some(bytes);
        bytes.remove_prefix(sent);
        if (sent == 0) wait(socket_.fd(), POLLOUT);
    }
}

void Line::receive(std::string& into) {
    std::array<char, 64 << 10> buffer;
    for (;;) {
        const std::size_t received = socket_.receive_some(buffer);
        into.append(buffer.data(), received);
        if (received > 0) return;
        wait(socket_.fd(), POLLIN);
    }
}

std::string ask(Line& line, std::string_view method, std::string_view target, std::string_view token,
                std::string_view body, int wanted) {
    std::string request(method);
    request.append(" ").append(target).append(" HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ").append(token);
    request.append("\r\nContent-Type: application/json\r\nContent-Length: ").append(std::to_string(body.size()));
    request.append("\r\n\r\n").append(body);
    line.send(request);
    std::string in;
    for (;;) {
        line.receive(in);
        const auto answer = read_http_answer(in);
        if (!answer) continue;
        if (answer->head.status != wanted) fail_bytes("the server answered", in);
        return std::string(answer->body);
    }
}

}  // namespace belfry::bench
