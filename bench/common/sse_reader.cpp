#include "common/sse_reader.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <utility>

#include "common/event_bytes.hpp"
#include "common/fail.hpp"
#include "common/http_answer.hpp"

namespace belfry::bench {

namespace {

constexpr std::string_view data_field = "data:";

}  // namespace

std::string sse_request(std::uint16_t port, std::string_view target, std::string_view token) {
    std::string request = "GET " + std::string(target) + " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port) +
                          "\r\nAccept: text/event-stream\r\n";
    if (!token.empty()) request.append("Authorization: Bearer ").append(token).append("\r\n");
    return request + "\r\n";
}

std::size_t SseReader::take(std::string_view bytes) {
    if (!open_) bytes = take_head(bytes);
    if (chunked_) {
        take_chunks(bytes);
        bytes = pending_;
    } else if (!pending_.empty()) {
        bytes = pending_.append(bytes);
    }
    const std::uint64_t before = next_number_;
    const std::size_t used = take_lines(bytes);
    // What is left may lie inside `pending_` itself.
    std::string rest(bytes.substr(used));
    pending_.swap(rest);
    return static_cast<std::size_t>(next_number_ - before);
}

// Gives back what came behind the head.
std::string_view SseReader::take_head(std::string_view bytes) {
    const std::size_t known = pending_.size();
    pending_.append(bytes);
    const auto head = read_http_head(pending_);
    if (!head) return {};
    if (head->status != 200) fail_bytes("no stream", pending_);
    const auto type = http_field(*head, "content-type");
    if (!type || !type->starts_with("text/event-stream")) fail_bytes("no event stream", pending_);
    chunked_ = http_field(*head, "transfer-encoding") == "chunked";
    bytes.remove_prefix(head->bytes - known);
    pending_.clear();
    open_ = true;
    return bytes;
}

// Appends the content of the chunks to `pending_`.
void SseReader::take_chunks(std::string_view bytes) {
    while (!bytes.empty()) {
        if (chunk_part_ == ChunkPart::data) {
            const std::size_t size = std::min(bytes.size(), chunk_rest_);
            pending_.append(bytes.substr(0, size));
            bytes.remove_prefix(size);
            chunk_rest_ -= size;
            if (chunk_rest_ == 0) chunk_part_ = ChunkPart::end;
            continue;
        }
        const char c = bytes.front();
        bytes.remove_prefix(1);
        if (c != '\n') {
            chunk_line_ += c;
        } else if (chunk_part_ == ChunkPart::end) {
            chunk_line_.clear();
            chunk_part_ = ChunkPart::size;
        } else {
            const char* begin = chunk_line_.data();
            const auto read = std::from_chars(begin, begin + chunk_line_.size(), chunk_rest_, 16);
            if (read.ec != std::errc()) fail_bytes("a chunk without a size", chunk_line_);
            if (chunk_rest_ == 0) fail("the server ended a stream");
            chunk_line_.clear();
            chunk_part_ = ChunkPart::data;
        }
    }
}

// Deals with all whole lines and gives back their length.
std::size_t SseReader::take_lines(std::string_view bytes) {
    if (!open_) return 0;
    std::size_t begin = 0;
    while (begin < bytes.size()) {
        const auto* end = static_cast<const char*>(std::memchr(bytes.data() + begin, '\n', bytes.size() - begin));
        if (end == nullptr) break;
        const auto size = static_cast<std::size_t>(end - bytes.data()) - begin;
        if (take_line(bytes.substr(begin, size))) ++next_number_;
        begin += size + 1;
    }
    return begin;
}

// True at the empty line that ends an event.
bool SseReader::take_line(std::string_view line) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty()) return std::exchange(has_data_, false);
    if (line == "event: llm.stream") return false;  // what the events of runs are called
    if (line.starts_with("event:")) fail_bytes("reader " + std::to_string(name_) + " was told", line);
    if (!line.starts_with(data_field)) return false;
    const std::uint64_t number = number_in(line);
    if (has_data_ || number != next_number_)
        fail("reader " + std::to_string(name_) + " awaited event " + std::to_string(next_number_) + " and got " +
             std::to_string(number));
    has_data_ = true;
    return false;
}

std::uint64_t SseReader::number_in(std::string_view data) {
    if (data.substr(std::min(number_at_, data.size()), number_marker.size()) != number_marker) {
        number_at_ = data.find(number_marker);
        if (number_at_ == std::string_view::npos) fail_bytes("an event without its number", data);
    }
    const std::string_view digits = data.substr(number_at_ + number_marker.size(), number_digits);
    std::uint64_t number = 0;
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (digits.size() != number_digits || read.ptr != digits.data() + digits.size())
        fail_bytes("an event with a strange number", data);
    return number;
}

}  // namespace belfry::bench
