#include "instructions/http_client.hpp"

#include <sys/uio.h>

#include "common/fail.hpp"
#include "instructions/in_process_daemon.hpp"

namespace belfry::bench {
namespace {

class MemoryTransport final : public wire::Transport {
public:
    explicit MemoryTransport(std::shared_ptr<ByteLine> line) : line_(std::move(line)) {}

    wire::IoResult read(char* into, std::size_t size) override {
        const std::size_t left = line_->input.size() - line_->input_read;
        if (left == 0) return {wire::Io::would_block, 0, true};
        const std::size_t bytes = line_->input.copy(into, size, line_->input_read);
        line_->input_read += bytes;
        return {wire::Io::done, bytes, bytes == left};
    }
    wire::IoResult write(const iovec* pieces, std::size_t count) override {
        std::size_t bytes = 0;
        for (std::size_t i = 0; i < count; ++i) {
            bytes += pieces[i].iov_len;
            if (line_->keeps_output) {
                line_->output.append(static_cast<const char*>(pieces[i].iov_base), pieces[i].iov_len);
            }
        }
        line_->output_bytes += bytes;
        return {wire::Io::done, bytes, false};
    }
    void finish() override {}
    [[nodiscard]] int socket() const override { return -1; }

private:
    std::shared_ptr<ByteLine> line_;
};

}  // namespace

HttpClient::HttpClient(InProcessDaemon& daemon, std::string token)
    : daemon_(daemon),
      token_(std::move(token)),
      line_(std::make_shared<ByteLine>()),
      connection_(daemon.connect(std::make_unique<MemoryTransport>(line_))) {}

std::string HttpClient::request(std::string_view method, std::string_view path, std::string_view body) const {
    std::string made(method);
    made.append(" ").append(path).append(" HTTP/1.1\r\nHost: 127.0.0.1:7117\r\nAuthorization: Bearer ").append(token_);
    made.append("\r\nUser-Agent: bench\r\nAccept: */*\r\n");
    if (!body.empty()) {
        made.append("Content-Type: application/json\r\nContent-Length: ").append(std::to_string(body.size()));
        made.append("\r\n");
    }
    return made.append("\r\n").append(body);
}

std::string_view HttpClient::send(std::string_view request, std::string_view status) {
    line_->input.assign(request);
    line_->input_read = 0;
    line_->output.clear();
    daemon_.receive(connection_);
    constexpr std::size_t status_at = std::string_view("HTTP/1.1 ").size();
    const std::string_view answer = line_->output;
    if (answer.substr(std::min(answer.size(), status_at), status.size()) != status) fail_bytes("unexpected", answer);
    return answer;
}

std::string HttpClient::ask(std::string_view method, std::string_view path, std::string_view body,
                            std::string_view status) {
    const std::string_view answer = send(request(method, path, body), status);
    return std::string(answer.substr(answer.find("\r\n\r\n") + 4));
}

void HttpClient::follow(std::string_view stream) {
    std::string made = request("GET", "/v1/streams/" + std::string(stream));
    constexpr std::string_view anything = "*/*";
    made.replace(made.find(anything), anything.size(), "text/event-stream");
    if (send(made, "200").find("text/event-stream") == std::string_view::npos) fail("the stream is not followed");
    line_->keeps_output = false;
}

std::string_view member_of(std::string_view json, std::string_view name) {
    const std::string marker = "\"" + std::string(name) + "\":";
    const std::size_t at = json.find(marker);
    if (at == std::string_view::npos) fail_bytes("no member " + std::string(name), json);
    std::string_view value = json.substr(at + marker.size());
    const bool is_text = value.starts_with('"');
    if (is_text) value.remove_prefix(1);
    return value.substr(0, value.find_first_of(is_text ? "\"" : ",}]"));
}

}  // namespace belfry::bench
