#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"
#include "wire/client_stream.hpp"
#include "wire/endpoint.hpp"
#include "wire/http_answer.hpp"

namespace belfry::wire {

struct HttpRequest {
    std::string method = "GET";
    std::string target = "/";
    std::vector<std::pair<std::string, std::string>> headers;  // Host and Content-Length are added
    std::string body;
};

// `status`: a 2xx is the whole answer as soon as its head is there; of any other, as much of the body is collected as
// comes, up to the bound, and the connection is not kept.
enum class AnswerWanted : std::uint8_t { whole, status };

// What a stream must have come to within `answer_time_max`. A server may send its head long before it has something to
// say.
enum class StreamBegins : std::uint8_t { head, body };

struct HttpClientOptions {
    base::Duration connect_time_max = base::seconds(5);
    base::Duration answer_time_max = base::seconds(60);  // from the request to the whole answer, or a stream's begin
    base::Duration silence_max = base::seconds(60);      // between two pieces of a stream
    StreamBegins stream_begins = StreamBegins::head;
    std::optional<base::Duration> stream_time_max;     // from the request to a stream's end; none: it need not end
    std::size_t answer_bytes_max = 64 << 20;           // of a body that is collected
    AnswerWanted answer_wanted = AnswerWanted::whole;  // by `send`
    std::string tls_ca_file;
    const Interrupt* interrupt = nullptr;
};

// Speaks HTTP/1.1 to one server over TCP, TLS or a Unix socket and waits for each answer. The connection is kept for
// the next request. Not for several threads at once.
//
// An HTTP status is never an error here. Errors are: unavailable (could not connect: nothing was sent), outcome_unknown
// (the connection broke: the request may have been carried out), timeout, malformed (no HTTP), too_large, invalid (a
// request with a line break in its target or headers).
class HttpClient {
public:
    HttpClient(Endpoint endpoint, HttpClientOptions options);
    ~HttpClient();
    HttpClient(HttpClient&&) noexcept;
    HttpClient& operator=(HttpClient&&) noexcept;

    base::Result<HttpAnswer> send(const HttpRequest& request);

    // The body of a 2xx answer is handed on piece by piece, as it comes and without end; any other answer is collected.
    // `on_piece` returns false to hang up. The answer comes back when the body ended or `on_piece` had enough.
    using OnPiece = std::function<bool(std::string_view)>;
    base::Result<HttpAnswer> stream(const HttpRequest& request, const OnPiece& on_piece);

    [[nodiscard]] const Endpoint& endpoint() const { return endpoint_; }

private:
    base::Result<void> start(const HttpRequest& request, Deadline deadline);
    base::Result<std::size_t> receive(AnswerParser& parser, std::string& body, Deadline deadline);
    base::Result<HttpAnswer> send_for_status(const HttpRequest& request, Deadline deadline);
    base::Error refused(base::Error error);

    Endpoint endpoint_;
    HttpClientOptions options_;
    std::unique_ptr<ClientStream> connection_;  // none before the first request and after a failure
};

}  // namespace belfry::wire
