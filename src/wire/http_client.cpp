#include "wire/http_client.hpp"

#include <algorithm>
#include <array>

namespace belfry::wire {
namespace {

bool breaks_the_line(std::string_view text) {
    return text.find_first_of(std::string_view("\r\n\0", 3)) != std::string_view::npos;
}

base::Result<std::string> write_head(const HttpRequest& request, const Endpoint& endpoint) {
    const bool bad_target = breaks_the_line(request.target) || request.target.find(' ') != std::string::npos;
    if (bad_target || !request.target.starts_with('/')) {
        return base::error(base::Code::invalid, "the request's target must be a path without spaces", "target");
    }
    std::string head = request.method + " " + request.target + " HTTP/1.1\r\nHost: " + endpoint.authority() + "\r\n";
    for (const auto& [name, value] : request.headers) {
        if (breaks_the_line(name) || breaks_the_line(value)) {
            return base::error(base::Code::invalid, "a header must not hold a line break", name);
        }
        head += name + ": " + value + "\r\n";
    }
    const bool has_body = !request.body.empty() || request.method == "POST" || request.method == "PUT";
    if (has_body) head += "Content-Length: " + std::to_string(request.body.size()) + "\r\n";
    head += "\r\n";
    return head;
}

}  // namespace

HttpClient::HttpClient(Endpoint endpoint, HttpClientOptions options)
    : endpoint_(std::move(endpoint)), options_(std::move(options)) {}
HttpClient::~HttpClient() = default;
HttpClient::HttpClient(HttpClient&&) noexcept = default;
HttpClient& HttpClient::operator=(HttpClient&&) noexcept = default;

// Whatever failed, the connection is of no use any more.
base::Error HttpClient::refused(base::Error error) {
    connection_.reset();
    if (error.code != base::Code::unavailable && error.code != base::Code::invalid) {
        error.message = endpoint_.text() + ": " + error.message;
    }
    return error;
}

base::Result<void> HttpClient::start(const HttpRequest& request, Deadline deadline) {
    TRY_ASSIGN(std::string bytes, write_head(request, endpoint_));
    // A kept connection that has something to say has been ended by the server meanwhile.
    if (connection_ && !connection_->is_quiet()) connection_.reset();
    if (!connection_) {
        const ConnectOptions options{options_.connect_time_max, options_.tls_ca_file, options_.interrupt};
        TRY_ASSIGN(connection_, connect_stream(endpoint_, options));
    }
    bytes += request.body;
    auto written = connection_->write(bytes, deadline);
    // A server that refuses a large body answers and closes before all of it was sent: the answer is there to be read.
    if (!written.ok() && written.error().code == base::Code::outcome_unknown && !connection_->is_quiet()) return {};
    return written;
}

base::Result<std::size_t> HttpClient::receive(AnswerParser& parser, std::string& body, Deadline deadline) {
    std::array<char, 32 * 1024> buffer{};
    TRY_ASSIGN(const std::size_t got, connection_->read(buffer.data(), buffer.size(), deadline));
    if (got == 0) TRY(parser.end());
    else TRY(parser.take({buffer.data(), got}, body));
    return got;
}

base::Result<HttpAnswer> HttpClient::send(const HttpRequest& request) {
    const Deadline deadline = deadline_in(options_.answer_time_max);
    if (auto started = start(request, deadline); !started.ok()) return refused(std::move(started).error());
    if (options_.answer_wanted == AnswerWanted::status) return send_for_status(request, deadline);
    AnswerParser parser(request.method == "HEAD");
    std::string body;
    while (!parser.is_complete()) {
        if (auto got = receive(parser, body, deadline); !got.ok()) return refused(std::move(got).error());
        if (body.size() > options_.answer_bytes_max) {
            return refused(
                base::error(base::Code::too_large,
                            "the answer is longer than " + std::to_string(options_.answer_bytes_max) + " bytes"));
        }
    }
    if (!parser.keeps_connection()) connection_.reset();
    HttpAnswer answer = parser.head();
    answer.body = std::move(body);
    return answer;
}

base::Result<HttpAnswer> HttpClient::send_for_status(const HttpRequest& request, Deadline deadline) {
    AnswerParser parser(request.method == "HEAD");
    std::string body;
    while (!parser.is_complete() && body.size() < options_.answer_bytes_max) {
        if (parser.has_head() && parser.head().status / 100 == 2) break;
        if (auto got = receive(parser, body, deadline); !got.ok()) {
            if (parser.has_head()) break;
            return refused(std::move(got).error());
        }
    }
    connection_.reset();
    HttpAnswer answer = parser.head();
    body.resize(std::min(body.size(), options_.answer_bytes_max));
    answer.body = std::move(body);
    return answer;
}

base::Result<HttpAnswer> HttpClient::stream(const HttpRequest& request, const OnPiece& on_piece) {
    const Deadline end = options_.stream_time_max ? deadline_in(*options_.stream_time_max) : Deadline::max();
    Deadline deadline = std::min(end, deadline_in(options_.answer_time_max));
    if (auto started = start(request, deadline); !started.ok()) return refused(std::move(started).error());
    AnswerParser parser;
    std::string piece;
    bool has_begun = options_.stream_begins == StreamBegins::head;
    while (!parser.is_complete()) {
        if (auto got = receive(parser, piece, deadline); !got.ok()) return refused(std::move(got).error());
        if (!parser.has_head()) continue;
        if (parser.head().status / 100 != 2) {
            if (piece.size() <= options_.answer_bytes_max) continue;
            return refused(base::error(base::Code::too_large, "the answer is too long"));
        }
        has_begun = has_begun || !piece.empty();
        if (has_begun) deadline = std::min(end, deadline_in(options_.silence_max));
        if (!piece.empty() && !on_piece(piece)) break;
        piece.clear();
    }
    if (!parser.is_complete() || !parser.keeps_connection()) connection_.reset();
    HttpAnswer answer = parser.head();
    answer.body = std::move(piece);
    return answer;
}

}  // namespace belfry::wire
