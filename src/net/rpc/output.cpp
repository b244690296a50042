#include "net/rpc/output.hpp"

#include <algorithm>
#include <utility>

#include "wire/lsp_framing.hpp"

namespace belfry::net {
namespace {
constexpr std::size_t kept_bytes_max = 16 << 10;  // a larger buffer is given back when it is empty
}  // namespace

void RpcOutput::append_lsp(std::string_view message, Kind kind) {
    const std::size_t before = bytes_.size();
    wire::append_lsp_message(bytes_, message);
    note(before, kind);
}

void RpcOutput::append_frame(wire::Opcode opcode, std::string_view payload, Kind kind) {
    const std::size_t before = bytes_.size();
    wire::append_frame(bytes_, opcode, payload);
    note(before, kind);
}

void RpcOutput::append_close(std::uint16_t code) {
    const std::size_t before = bytes_.size();
    wire::append_close_frame(bytes_, code, "");
    note(before, Kind::answer);
}

void RpcOutput::append_raw(std::string_view bytes) {
    const std::size_t before = bytes_.size();
    bytes_ += bytes;
    note(before, Kind::answer);
}

void RpcOutput::note(std::size_t before, Kind kind) {
    const std::size_t size = bytes_.size() - before;
    if (size == 0) return;
    pieces_.push_back({size, kind});
    if (kind == Kind::answer) answers_ += size;
}

void RpcOutput::sent(std::size_t size) {
    at_ += size;
    while (size > 0) {
        Piece& piece = pieces_.front();
        const std::size_t part = std::min(size, piece.size);
        if (piece.kind == Kind::answer) answers_ -= part;
        piece.size -= part;
        size -= part;
        if (piece.size == 0) pieces_.pop_front();
    }
    if (at_ == bytes_.size()) {
        bytes_.clear();
        at_ = 0;
        if (bytes_.capacity() > kept_bytes_max) bytes_.shrink_to_fit();
    } else if (at_ > bytes_.size() / 2) {
        bytes_.erase(0, std::exchange(at_, 0));
    }
}

void RpcOutput::keep_begun() {
    if (pieces_.empty()) return;
    const Piece begun = pieces_.front();
    pieces_.resize(1);
    bytes_.resize(at_ + begun.size);
    answers_ = begun.kind == Kind::answer ? begun.size : 0;
}

}  // namespace belfry::net
