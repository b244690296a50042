#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "base/limits.hpp"
#include "base/result.hpp"
#include "model/log.hpp"

// Server-sent events, as the server writes them and the client reads them.
namespace belfry::codec {

// `{"sequence":N,"event":…}`, or `{"sequence":N,"erased":true}` where the body is empty: an entry as pages have it too.
void append_entry_json(std::string& out, model::Sequence sequence, std::string_view body);

// Frames, each with the empty line that ends it. An entry's body is one line.
void append_sse_entry(std::string& out, model::Sequence sequence, std::string_view body);
// An entry of a stream whose readers know its lines by name: `event: notification`, and its line as the data.
// Sequence 0: it has no place in the stream, and no id.
void append_sse_named(std::string& out, model::Sequence sequence, std::string_view event, std::string_view line);
// Only an id: where a reader is before anything has come. It is no event, but a reader goes on from there.
void append_sse_place(std::string& out, model::Sequence sequence);
void append_sse_gap(std::string& out, model::Sequence from, model::Sequence to);
void append_sse_close(std::string& out, std::string_view reason);
void append_sse_comment(std::string& out, std::string_view text);  // `: ping`
void append_sse_retry(std::string& out, std::int64_t ms);

// A position that a client gives (Last-Event-ID, `after`): digits only, at most 63 bits. Else Code::malformed.
base::Result<std::uint64_t> parse_position(std::string_view text, std::string_view field = "after");

struct SseMessage {
    std::string id;     // the last id that was given, by this message or one before it
    std::string event;  // `message` unless it is named
    std::string data;   // its lines, joined by newlines
};

// Reads a stream of events from pieces of any size, as the HTML standard says: LF, CR and CRLF end a line, a byte order
// mark at the start, comments and unknown fields are passed over, an event without data is none. Memory is bounded: a
// line or an event of more than `bytes_max` is Code::too_large, and the parser is then of no more use.
class SseParser {
public:
    static constexpr std::size_t bytes_max_default = 2 * base::limits::event_bytes_max;

    // What `error: …` is, which the standard does not know: passed over, or an event of that name with it as data. Some
    // servers tell their failures so.
    enum class ErrorLines : std::uint8_t { unknown, events };

    explicit SseParser(std::size_t bytes_max = bytes_max_default, ErrorLines error_lines = ErrorLines::unknown)
        : bytes_max_(bytes_max), error_lines_(error_lines) {}

    // Takes the next piece; what it completes waits in `next`.
    base::Result<void> feed(std::string_view piece);
    std::optional<SseMessage> next();

    [[nodiscard]] const std::string& last_event_id() const { return last_event_id_; }
    // What the server asked for by `retry:`.
    [[nodiscard]] std::optional<std::int64_t> retry_ms() const { return retry_ms_; }

private:
    base::Result<void> take_line(std::string_view line);
    base::Result<void> take_data(std::string_view value);
    void dispatch();

    std::size_t bytes_max_;
    ErrorLines error_lines_;
    std::string line_;  // begun in an earlier piece
    bool first_line_ = true;
    bool after_cr_ = false;  // a LF now belongs to the CR before it
    std::string event_;
    std::string data_;
    bool has_data_ = false;
    std::string id_;
    std::string last_event_id_;
    std::optional<std::int64_t> retry_ms_;
    std::deque<SseMessage> ready_;
};

}  // namespace belfry::codec
