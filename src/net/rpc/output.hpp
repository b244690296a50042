#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

#include "wire/websocket.hpp"

namespace belfry::net {

// What a link has to say and its peer has not taken yet: one string, and where in it each message ends, so that answers
// and what is followed can be told apart.
class RpcOutput {
public:
    enum class Kind : std::uint8_t { answer, stream };

    // One message in the framing of the link.
    void append_lsp(std::string_view message, Kind kind);
    void append_frame(wire::Opcode opcode, std::string_view payload, Kind kind);
    void append_close(std::uint16_t code);
    void append_raw(std::string_view bytes);

    [[nodiscard]] std::string_view unsent() const { return std::string_view(bytes_).substr(at_); }
    [[nodiscard]] std::size_t size() const { return bytes_.size() - at_; }
    [[nodiscard]] std::size_t answers() const { return answers_; }  // bytes of it that are no stream's

    // So many bytes of it have gone out.
    void sent(std::size_t size);
    // Whatever has not begun to go out is forgotten.
    void keep_begun();

private:
    struct Piece {
        std::size_t size = 0;
        Kind kind = Kind::answer;
    };
    void note(std::size_t before, Kind kind);

    std::string bytes_;
    std::size_t at_ = 0;
    std::deque<Piece> pieces_;
    std::size_t answers_ = 0;
};

}  // namespace belfry::net
