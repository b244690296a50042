#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace belfry::bench {

// The head of an HTTP answer, as views into the bytes that were read.
struct HttpHead {
    int status = 0;
    std::string_view fields;  // the header lines, each with its line end
    std::size_t bytes = 0;    // of the head with the empty line behind it
};

// Nothing while the head is incomplete; ends the program when it is no HTTP/1.1.
std::optional<HttpHead> read_http_head(std::string_view in);

// The value of a header field by its name in any case, or nothing.
std::optional<std::string_view> http_field(const HttpHead& head, std::string_view name);

struct HttpAnswer {
    HttpHead head;
    std::string_view body;
    std::size_t bytes = 0;  // of the whole answer
};

// Nothing while the answer is incomplete. Its body must have a Content-Length.
std::optional<HttpAnswer> read_http_answer(std::string_view in);

}  // namespace belfry::bench
