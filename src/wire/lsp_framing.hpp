#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

// Messages on a stream of bytes as the Language Server Protocol frames them: a header of fields as in HTTP, of which
// only Content-Length counts, an empty line, and so many bytes.
namespace belfry::wire {

void append_lsp_message(std::string& out, std::string_view body);

// Cuts what a peer sends into messages, in pieces of any size. What is only announced gets no memory, and a body that
// is too long is passed over without being kept.
class LspReader {
public:
    enum class Event : std::uint8_t {
        none,       // nothing is left of the bytes
        message,    // `message()` is whole
        too_large,  // a header announced more than is allowed; its body is passed over
        hopeless,   // or so much more that it is not even waited for: the connection is to end
        broken,     // this is no header: nobody can tell where the next one begins
    };

    // Bodies longer than `message_bytes_max` are refused, those longer than `skipped_bytes_max` are the end.
    LspReader(std::size_t message_bytes_max, std::size_t skipped_bytes_max)
        : message_bytes_max_(message_bytes_max), skipped_bytes_max_(skipped_bytes_max) {}

    // Takes bytes from the front of `bytes` until something is to be told or nothing is left. After `hopeless` and
    // `broken` it is of no more use.
    Event next(std::string_view& bytes);

    // Valid until the next call, and as long as the bytes that were given then.
    [[nodiscard]] std::string_view message() const { return message_; }
    // What is wrong with a header that is broken.
    [[nodiscard]] const char* problem() const { return problem_; }
    // Memory that is held of a message that is not whole.
    [[nodiscard]] std::size_t held() const { return head_.capacity() + body_.capacity(); }
    // Something has come of the next message, but not all.
    [[nodiscard]] bool is_amid() const { return state_ != State::header || !head_.empty(); }

    void set_message_bytes_max(std::size_t bytes) { message_bytes_max_ = bytes; }

private:
    enum class State : std::uint8_t { header, body, skipping };
    // The bytes up to and with the empty line; nothing: it has not come yet.
    bool take_header(std::string_view& bytes, std::string_view& header);
    bool read_header(std::string_view header);
    bool read_field(std::string_view line);
    Event begin_body();
    Event fail(const char* problem);

    std::size_t message_bytes_max_;
    std::size_t skipped_bytes_max_;
    State state_ = State::header;
    std::string head_;
    std::string body_;
    std::string_view message_;
    const char* problem_ = "";
    bool has_length_ = false;
    std::uint64_t length_ = 0;  // of the body, or what is left of one that is passed over
};

}  // namespace belfry::wire
