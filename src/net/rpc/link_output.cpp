#include <algorithm>
#include <utility>

#include "base/limits.hpp"
#include "net/rpc/link_section.hpp"
#include "net/service.hpp"

// What a link says, and how it ends.
namespace belfry::net {
namespace {
namespace limits = base::limits;
constexpr std::size_t discarded_bytes_max = 4 << 20;
}  // namespace

void RpcLink::send(std::string_view message, Kind kind) {
    if (state_ != State::open) return;
    if (out_.size() == 0) moved_at_ = service_.tick;
    if (frames_) out_.append_frame(wire::Opcode::text, message, kind);
    else out_.append_lsp(message, kind);
}

void RpcLink::append_control(wire::Opcode opcode, std::string_view payload) {
    if (out_.size() == 0) moved_at_ = service_.tick;
    out_.append_frame(opcode, payload, Kind::answer);
}

void RpcLink::append_close(std::uint16_t code) {
    if (out_.size() == 0) moved_at_ = service_.tick;
    out_.append_close(code);
}

void RpcLink::flush() {
    if (state_ == State::ended || state_ == State::lingering) return;
    while (out_.size() > 0 && !blocked_) {
        const wire::IoResult result = transport_->write(out_.unsent());
        if (result.state == wire::Io::failed || result.state == wire::Io::closed) return end();
        if (result.bytes > 0) moved_at_ = service_.tick;
        blocked_ = result.bytes < out_.size();
        out_.sent(result.bytes);
    }
    if (out_.size() == 0) moved_at_ = std::max(moved_at_, service_.tick);
    if (state_ == State::closing && out_.size() == 0) {
        // Closing a socket with unread bytes would take back the answer that is on its way.
        state_ = State::lingering;
        since_ = service_.tick;
        readable_ = true;
        transport_->finish();
    }
}

// Says no more and listens no more; what was said goes out first.
void RpcLink::finish(std::optional<CloseReason> reason) {
    if (state_ != State::open) return;
    const Section section(*this);
    if (reason) close_subscriptions(*reason);
    if (frames_ && !std::exchange(close_sent_, true)) append_close(wire::close_going_away);
    state_ = State::closing;
    subscriptions_.clear();
    in_.clear();
}

void RpcLink::finish_after_answers(std::string close) {
    is_deaf_ = true;
    half_closed_ = true;
    close_frame_ = std::move(close);
    in_.clear();
}

// It has taken nothing for long. What has not begun to go out, answers too, gives way to the word that its streams are
// over, and it has a moment to take that.
void RpcLink::end_slow() {
    const Section section(*this);
    ++service_.ports.metrics.stream_readers_closed_slow;
    was_slow_ = true;
    out_.keep_begun();
    wire::make_room_for_last_word(transport_->socket(), limits::stream_farewell_max);
    blocked_ = false;
    finish(CloseReason::slow_reader);
    moved_at_ = service_.tick;
}

void RpcLink::discard() {
    for (std::size_t bytes = 0; readable_ && state_ == State::lingering;) {
        const wire::IoResult result = transport_->read(service_.input.data(), service_.input.size());
        if (result.state == wire::Io::closed || result.state == wire::Io::failed) return end();
        if (result.state == wire::Io::would_block || (result.drained && !end_is_near_)) readable_ = false;
        bytes += result.bytes;
        if (bytes > discarded_bytes_max) return end();
    }
}

}  // namespace belfry::net
