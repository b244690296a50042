#pragma once

#include <cstdint>
#include <string>
#include <string_view>

// WebSocket frames (RFC 6455) as a server writes and reads them. Written by hand because a message that goes to a
// thousand readers is framed once for all of them: what a server sends is not masked.
namespace belfry::wire {

// What the server answers to `Sec-WebSocket-Key`; empty where the key is not 16 bytes in base64.
std::string websocket_accept(std::string_view key);

enum class Opcode : std::uint8_t { continuation = 0, text = 1, binary = 2, close = 8, ping = 9, pong = 10 };

// Appends the head of an unfragmented frame whose payload of `size` bytes follows.
void append_frame_head(std::string& out, Opcode opcode, std::size_t size);
void append_frame(std::string& out, Opcode opcode, std::string_view payload);
void append_close_frame(std::string& out, std::uint16_t code, std::string_view reason);

// Close codes that are used here.
inline constexpr std::uint16_t close_normal = 1000;
inline constexpr std::uint16_t close_going_away = 1001;
inline constexpr std::uint16_t close_protocol_error = 1002;
inline constexpr std::uint16_t close_policy = 1008;
inline constexpr std::uint16_t close_too_big = 1009;
inline constexpr std::uint16_t close_internal = 1011;

// Reads what a client sends. Control frames come out. Data messages are checked, and passed over where a client has
// nothing to say; else they come out whole. Holds at most one control frame or frame head, and one message that is
// wanted.
class FrameReader {
public:
    enum class Event : std::uint8_t { none, text, binary, ping, pong, close, error };
    enum class Messages : std::uint8_t { passed_over, wanted };

    explicit FrameReader(std::size_t message_bytes_max, Messages messages = Messages::passed_over)
        : message_bytes_max_(message_bytes_max), messages_(messages) {}

    // Takes bytes from the front of `bytes` until something is to be told or nothing is left.
    Event next(std::string_view& bytes);

    // After text or binary: the message. Its bytes are as they came: whether they are UTF-8 is for the reader to ask.
    [[nodiscard]] const std::string& message() const { return message_; }
    // The message was taken: its memory is given back.
    void forget_message() { message_ = {}; }
    // Memory that is held of a message that is not whole, and whether something of the next one has come.
    [[nodiscard]] std::size_t held() const { return message_.capacity(); }
    [[nodiscard]] bool is_amid() const { return in_payload_ || fragmented_ || !head_.empty(); }
    // After ping or close: what it carried. After error: the code to close with is `error_code()`.
    [[nodiscard]] const std::string& payload() const { return payload_; }
    [[nodiscard]] std::uint16_t error_code() const { return error_code_; }

private:
    Event fail(std::uint16_t code);
    Event begin_frame();
    [[nodiscard]] std::size_t head_size() const;
    void take_payload(std::string& out, std::string_view bytes) const;

    std::size_t message_bytes_max_;
    Messages messages_;
    std::string head_;  // of the frame that is being read
    bool in_payload_ = false;
    Opcode opcode_ = Opcode::text;
    std::uint64_t left_ = 0;   // of the payload
    std::uint64_t taken_ = 0;  // of the payload, for the mask
    bool fragmented_ = false;  // a data message goes on
    std::uint64_t message_bytes_ = 0;
    Opcode message_opcode_ = Opcode::text;
    std::string message_;  // as far as it has come
    std::string payload_;
    std::uint16_t error_code_ = close_protocol_error;
};

}  // namespace belfry::wire
