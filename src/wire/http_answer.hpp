#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"

namespace belfry::wire {

struct HttpAnswer {
    int status = 0;
    std::vector<std::pair<std::string, std::string>> headers;  // names in lower case
    std::string body;

    // The first of that name (in lower case), or nothing.
    [[nodiscard]] std::optional<std::string_view> header(std::string_view name) const;
};

// Reads one HTTP/1.1 answer from bytes as they come. Strict: what could be read in two ways is malformed.
class AnswerParser {
public:
    // `of_head`: the answer to a HEAD request has no body, whatever its headers say.
    explicit AnswerParser(bool of_head = false, std::size_t head_bytes_max = 64 << 10)
        : of_head_(of_head), head_bytes_max_(head_bytes_max) {}

    // Takes the bytes and appends what of them is body, freed from its framing. Bytes behind the end of the answer make
    // it malformed: nobody asked for them.
    base::Result<void> take(std::string_view bytes, std::string& body);
    // The peer ended the connection: fine where that ends the body, else an error.
    base::Result<void> end();

    [[nodiscard]] bool has_head() const { return state_ != State::head; }
    [[nodiscard]] bool is_complete() const { return state_ == State::complete; }
    // The connection can carry another request after this answer.
    [[nodiscard]] bool keeps_connection() const { return keeps_connection_; }
    // Status and headers, once they are there; its body stays empty.
    [[nodiscard]] const HttpAnswer& head() const { return answer_; }

private:
    enum class State : std::uint8_t { head, length, until_end, chunk_size, chunk, chunk_end, trailers, complete };

    base::Result<bool> step(std::string& body);
    base::Result<bool> take_head();
    base::Result<void> parse_head(std::string_view text);
    base::Result<void> choose_framing();
    base::Result<bool> take_chunk_size();
    base::Result<bool> take_trailers();
    std::optional<std::string_view> take_line(std::size_t bytes_max);
    bool take_body(std::string& body, State then);

    bool of_head_;
    std::size_t head_bytes_max_;
    State state_ = State::head;
    std::string pending_;  // came and was not understood yet
    std::string line_;
    std::uint64_t left_ = 0;  // bytes of the body or chunk still to come
    std::size_t trailer_bytes_ = 0;
    bool keeps_connection_ = true;
    HttpAnswer answer_;
};

}  // namespace belfry::wire
