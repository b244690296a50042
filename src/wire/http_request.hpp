#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

// Requests of HTTP/1.1 as the server reads them: views into the connection's bytes, nothing copied but a chunked body.
namespace belfry::wire {

enum class Method : std::uint8_t { get, head, post, put, patch, delete_, options, other };
std::string_view method_name(Method method);

// The header fields that the server looks at by name.
enum class Header : std::uint8_t {
    accept,
    accept_encoding,
    access_control_request_method,
    authorization,
    content_type,
    expect,
    host,
    idempotency_key,
    last_event_id,
    origin,
    priority,
    sec_websocket_key,
    sec_websocket_version,
    title,
    upgrade,
    count,
};

struct HeaderField {
    std::string_view name;
    std::string_view value;
};

// One whole request. Its views live as long as the bytes that it was parsed from stay where they are.
struct Request {
    Method method = Method::other;
    std::string_view target;
    std::string_view path;   // the target up to the question mark, still percent-encoded
    std::string_view query;  // what follows it
    std::string_view body;
    std::vector<HeaderField> fields;
    bool keep_alive = true;
    bool asks_upgrade = false;  // `Connection: upgrade` and an `Upgrade` field
    bool is_chunked = false;    // its body comes in chunks, of whose end nothing is known beforehand

    // The value of a known field, empty where it is absent.
    [[nodiscard]] std::string_view header(Header name) const { return known[static_cast<std::size_t>(name)]; }

    std::array<std::string_view, static_cast<std::size_t>(Header::count)> known;
};

struct RequestLimits {
    std::size_t header_bytes_max;
    std::size_t header_fields_max;
    std::size_t target_bytes_max;
    std::size_t body_bytes_max;
    std::size_t framing_bytes_max = 256 << 10;  // of a chunked body: what is neither its header nor its content
};

// Why a request cannot be read; the connection ends with it, because where the next one begins is not known.
struct RequestError {
    int status = 400;
    base::Error error;
};

// Reads one request after the other from bytes that arrive in any pieces. Refuses what two readers could understand in
// two ways: a length beside chunks, codings other than `chunked`, folded fields, fields that may stand only once twice.
class RequestParser {
public:
    enum class State : std::uint8_t { need_more, complete, failed };

    explicit RequestParser(const RequestLimits& limits);
    ~RequestParser();
    RequestParser(const RequestParser&) = delete;
    RequestParser& operator=(const RequestParser&) = delete;

    // `bytes` begins with this request's first byte, at every call until it is complete; earlier bytes must not have
    // changed, but may lie elsewhere in memory.
    State parse(std::string_view bytes);

    // After `complete`: the request, and how many bytes it took.
    [[nodiscard]] const Request& request() const { return request_; }
    [[nodiscard]] std::size_t size() const { return consumed_; }
    // After `failed`.
    [[nodiscard]] const RequestError& error() const { return error_; }
    // The header is complete and the client waits for a word before it sends the body. True once.
    bool wants_continue();
    [[nodiscard]] bool has_header() const;
    // How many bytes are still to come, where that is known; else 0.
    [[nodiscard]] std::size_t missing() const;
    // Once the header is complete: the request as far as it is known, to decide whether its body is wanted. `bytes` as
    // they were parsed last. Its body is not to be looked at.
    const Request& head(std::string_view bytes);
    // The bytes that the parser holds besides those that it was given: what is there of a chunked body.
    [[nodiscard]] std::size_t held() const;

    // From here on a chunked body is handed over as it comes, and not kept: after the header is complete, the caller
    // takes what there is of the body after each `parse`, drops the bytes that were taken (`size`) and goes on with
    // what follows them. The request's views end with that. Its body has no limit then.
    void stream_body();
    std::string take_body();

    // Forgets this request, for the next one.
    void reset();

private:
    struct Impl;
    State fail(int status, base::Code code, std::string message);
    void resolve(std::string_view bytes);

    RequestLimits limits_;
    std::unique_ptr<Impl> impl_;
    Request request_;
    RequestError error_;
    std::size_t consumed_ = 0;
};

}  // namespace belfry::wire
