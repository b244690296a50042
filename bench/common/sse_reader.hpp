#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace belfry::bench {

// The bytes that ask a server on `port` for a stream of server-sent events.
std::string sse_request(std::uint16_t port, std::string_view target, std::string_view token);

// One reader of server-sent events, with no socket in it: it takes the bytes of the answer as they come, whether
// chunked or not, and expects the events numbered 0, 1, 2, … each once and in this order. Anything else, and any event
// that says that the stream has a gap or ends, ends the program.
class SseReader {
public:
    explicit SseReader(std::size_t name) : name_(name) {}

    // How many events were completed by these bytes.
    std::size_t take(std::string_view bytes);

    // The answer's head has come, and with it the promise that later events will.
    bool open() const { return open_; }
    std::uint64_t received() const { return next_number_; }

private:
    enum class ChunkPart { size, data, end };

    std::string_view take_head(std::string_view bytes);
    void take_chunks(std::string_view bytes);
    std::size_t take_lines(std::string_view bytes);
    bool take_line(std::string_view line);
    std::uint64_t number_in(std::string_view data);

    std::size_t name_;
    bool open_ = false;
    bool chunked_ = false;
    ChunkPart chunk_part_ = ChunkPart::size;
    std::size_t chunk_rest_ = 0;
    std::string chunk_line_;
    std::string pending_;        // of the head, later of a line, still incomplete
    bool has_data_ = false;      // the event under way has a line `data:`
    std::size_t number_at_ = 0;  // where in its line the last number stood: usually the next one's place too
    std::uint64_t next_number_ = 0;
};

}  // namespace belfry::bench
