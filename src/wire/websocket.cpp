#include "wire/websocket.hpp"

#include <algorithm>
#include <array>
#include <openssl/evp.h>

#include "codec/utf8.hpp"

namespace belfry::wire {
namespace {

constexpr std::string_view accept_salt = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
constexpr unsigned fin_bit = 0x80;
constexpr unsigned mask_bit = 0x80;
constexpr std::size_t control_bytes_max = 125;

unsigned byte_at(std::string_view text, std::size_t at) {
    return static_cast<unsigned char>(text[at]);
}

bool is_base64_of_16_bytes(std::string_view key) {
    if (key.size() != 24 || !key.ends_with("==")) return false;
    return std::all_of(key.begin(), key.end() - 2, [](char c) {
        return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '+' || c == '/';
    });
}

// Nothing, or a code that may be sent and a reason in UTF-8 (RFC 6455, 7.4).
bool is_close_payload(std::string_view payload) {
    if (payload.empty()) return true;
    if (payload.size() == 1) return false;
    const unsigned code = byte_at(payload, 0) << 8U | byte_at(payload, 1);
    const bool is_defined = code >= 1000 && code <= 1014 && code != 1004 && code != 1005 && code != 1006;
    return (is_defined || (code >= 3000 && code <= 4999)) && codec::is_utf8(payload.substr(2));
}

}  // namespace

std::string websocket_accept(std::string_view key) {
    if (!is_base64_of_16_bytes(key)) return {};
    const std::string salted = std::string(key).append(accept_salt);
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned size = 0;
    if (EVP_Digest(salted.data(), salted.size(), digest.data(), &size, EVP_sha1(), nullptr) != 1) return {};
    std::array<unsigned char, 64> text{};
    const int length = EVP_EncodeBlock(text.data(), digest.data(), static_cast<int>(size));
    return {text.begin(), text.begin() + length};
}

void append_frame_head(std::string& out, Opcode opcode, std::size_t size) {
    out += static_cast<char>(fin_bit | static_cast<unsigned>(opcode));
    if (size <= control_bytes_max) {
        out += static_cast<char>(size);
        return;
    }
    const int bytes = size <= 0xFFFF ? 2 : 8;
    out += bytes == 2 ? '\x7E' : '\x7F';
    for (int shift = (bytes - 1) * 8; shift >= 0; shift -= 8) out += static_cast<char>((size >> shift) & 0xFFU);
}

void append_frame(std::string& out, Opcode opcode, std::string_view payload) {
    append_frame_head(out, opcode, payload.size());
    out += payload;
}

void append_close_frame(std::string& out, std::uint16_t code, std::string_view reason) {
    std::string payload;
    payload += static_cast<char>(code >> 8U);
    payload += static_cast<char>(code & 0xFFU);
    payload += reason.substr(0, control_bytes_max - 2);
    append_frame(out, Opcode::close, payload);
}

std::size_t FrameReader::head_size() const {
    if (head_.size() < 2) return 2;
    const unsigned length = byte_at(head_, 1) & 0x7FU;
    return 2U + (length == 126 ? 2U : length == 127 ? 8U : 0U) + 4U;
}

FrameReader::Event FrameReader::fail(std::uint16_t code) {
    error_code_ = code;
    return Event::error;
}

FrameReader::Event FrameReader::begin_frame() {
    const unsigned first = byte_at(head_, 0);
    const unsigned second = byte_at(head_, 1);
    const bool fin = (first & fin_bit) != 0;
    if ((first & 0x70U) != 0 || (second & mask_bit) == 0) return fail(close_protocol_error);
    std::uint64_t length = second & 0x7FU;
    if (length >= 126) {
        const std::size_t bytes = length == 126 ? 2 : 8;
        length = 0;
        for (std::size_t i = 0; i < bytes; ++i) length = length << 8U | byte_at(head_, 2 + i);
    }
    const unsigned code = first & 0x0FU;
    opcode_ = static_cast<Opcode>(code);
    if (code >= 8) {
        if (code > 10 || !fin || length > control_bytes_max) return fail(close_protocol_error);
    } else {
        if (code > 2 || (code == 0) != fragmented_) return fail(close_protocol_error);
        if (code != 0) {
            message_bytes_ = 0;
            message_opcode_ = opcode_;
            message_.clear();
        }
        if (length > message_bytes_max_ || message_bytes_ + length > message_bytes_max_) return fail(close_too_big);
        message_bytes_ += length;
        fragmented_ = !fin;
    }
    in_payload_ = true;
    left_ = length;
    taken_ = 0;
    payload_.clear();
    return Event::none;
}

void FrameReader::take_payload(std::string& out, std::string_view bytes) const {
    const std::size_t mask_at = head_.size() - 4;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        const unsigned mask = byte_at(head_, mask_at + (taken_ + i) % 4);
        out += static_cast<char>(static_cast<unsigned char>(bytes[i]) ^ mask);
    }
}

FrameReader::Event FrameReader::next(std::string_view& bytes) {
    for (;;) {
        if (!in_payload_) {
            while (head_.size() < head_size()) {
                if (bytes.empty()) return Event::none;
                head_ += bytes.front();
                bytes.remove_prefix(1);
            }
            if (const Event event = begin_frame(); event == Event::error) return event;
        }
        const auto take = static_cast<std::size_t>(std::min<std::uint64_t>(left_, bytes.size()));
        const bool control = static_cast<unsigned>(opcode_) >= 8;
        const bool wanted = control || messages_ == Messages::wanted;
        if (wanted) take_payload(control ? payload_ : message_, bytes.substr(0, take));
        bytes.remove_prefix(take);
        taken_ += take;
        left_ -= take;
        if (left_ > 0) return Event::none;
        in_payload_ = false;
        head_.clear();
        if (opcode_ == Opcode::ping) return Event::ping;
        if (opcode_ == Opcode::pong) return Event::pong;
        if (opcode_ == Opcode::close) {
            return is_close_payload(payload_) ? Event::close : fail(close_protocol_error);
        }
        if (wanted && !fragmented_) return message_opcode_ == Opcode::binary ? Event::binary : Event::text;
    }
}

}  // namespace belfry::wire
