#include "net/rpc/link.hpp"

#include <algorithm>
#include <utility>

#include "base/limits.hpp"
#include "base/wake_limits.hpp"
#include "net/guard.hpp"
#include "net/rpc/link_section.hpp"
#include "net/rpc/methods.hpp"
#include "net/service.hpp"

namespace belfry::net {
namespace {
namespace limits = base::limits;
constexpr std::size_t strikes_max = 3;  // of a peer that does not say who it is
constexpr int fair_reads = 4;           // from one peer before the others have their turn

std::string rejection(const RpcTo& to, const codec::RpcError& error) {
    std::string params;
    model::JsonWriter writer(params);
    writer.begin_object().field("code", static_cast<long long>(error.code)).field("message", error.message);
    if (!error.field.empty()) writer.field("field", error.field);
    if (!error.reason.empty()) writer.field("reason", error.reason);
    if (!to.session_id.empty()) writer.field("session_id", to.session_id);
    if (!to.message_type.empty()) writer.field("message_type", to.message_type);
    if (error.retry_after_ms) writer.field("retry_after_ms", static_cast<long long>(*error.retry_after_ms));
    writer.end_object();
    return params;
}
}  // namespace

RpcLink::RpcLink(Service& service, ConnectionId id, std::unique_ptr<wire::Transport> transport, const Peer& peer,
                 RpcFraming framing, SharedCaller caller)
    : service_(service),
      id_(id),
      transport_(std::move(transport)),
      peer_(peer),
      caller_(std::move(caller)),
      lsp_(caller_ ? limits::rpc_message_bytes_max : limits::rpc_unasked_bytes_max, limits::rpc_skipped_bytes_max),
      since_(service.tick),
      moved_at_(since_),
      pulse_(since_) {
    if (framing == RpcFraming::websocket) {
        frames_ =
            std::make_unique<wire::FrameReader>(limits::rpc_message_bytes_max, wire::FrameReader::Messages::wanted);
    }
    ++service_.ports.metrics.connections;
}

RpcLink::~RpcLink() {
    service_.unfinished_bytes -= counted_;
    --service_.ports.metrics.connections;
}

std::string RpcLink::client_key() const {
    if (caller_ && !caller_->token.empty()) return caller_->principal.id;
    return "link:" + std::to_string(id_);
}

void RpcLink::end() {
    if (state_ == State::ended) return;
    state_ = State::ended;
    subscriptions_.clear();
    transport_.reset();
    service_.unfinished_bytes -= std::exchange(counted_, 0);
    service_.rpc.end(id_);
}

void RpcLink::on_edge(wire::Edge edge) {
    if (edge.readable || edge.closed) readable_ = true;
    if (edge.closed) end_is_near_ = true;
    if (edge.writable && std::exchange(blocked_, false)) pulse_.feel(service_.tick);
    const Section section(*this);
}

void RpcLink::begin(std::string head) {
    const Section section(*this);
    moved_at_ = service_.tick;
    out_.append_raw(head);
}

// Goes on as far as it goes now and is fair: what comes is read while it can be taken, then streams get the room that
// is left.
void RpcLink::drive() {
    for (int turns = 0;; ++turns) {
        flush();
        if (state_ != State::open || !may_read()) break;
        if (turns == fair_reads) {
            drive_later();
            break;
        }
        if (!in_.empty()) {
            const std::string bytes = std::exchange(in_, {});
            const std::size_t done = consume(bytes);
            if (state_ == State::open) in_.assign(bytes, done);
        } else if (readable_ && listens()) {
            read();
        } else {
            break;
        }
        count_memory();
    }
    if (state_ == State::open && !subscriptions_.empty()) {
        serve();
        flush();
    }
    end_if_all_is_said();
    if (state_ == State::lingering) discard();
}

// A peer that says no more still gets its answers and, of what it follows, all that there is.
void RpcLink::end_if_all_is_said() {
    if (state_ != State::open || listens() || !in_.empty() || unanswered_ > 0) return;
    const bool is_cut = last_reason_ || is_deaf_;
    const auto has_more = [](const auto& one) { return one.second->is_under_way(); };
    if (!is_cut &&
        (again_ || (out_.size() > 0 && !subscriptions_.empty()) || std::ranges::any_of(subscriptions_, has_more))) {
        return;
    }
    if (last_reason_ || !is_deaf_) close_subscriptions(last_reason_.value_or(CloseReason::half_closed));
    subscriptions_.clear();
    if (frames_ && !std::exchange(close_sent_, true)) {
        close_frame_.empty() ? append_close(wire::close_going_away) : out_.append_raw(close_frame_);
    }
    state_ = State::closing;
    flush();
}

// No edge would tell of what has arrived already.
void RpcLink::drive_later() {
    if (std::exchange(drives_later_, true)) return;
    service_.soon([service = &service_, id = id_] {
        RpcLink* const link = service->rpc.find(id);
        if (link == nullptr) return;
        link->drives_later_ = false;
        const Section section(*link);
    });
}

// A peer that does not take its answers, or asks for more than can be answered at once, has to wait. One that does not
// take what it follows has not: what it says may be that it wants no more of it.
bool RpcLink::may_read() const {
    return unanswered_ < limits::rpc_unanswered_max && out_.answers() < limits::rpc_output_bytes_max;
}

bool RpcLink::took(const wire::IoResult& result) {
    if (result.state == wire::Io::done) {
        // The end may have come with the last bytes, and is not told of again.
        if (result.drained && !end_is_near_) readable_ = false;
        return true;
    }
    readable_ = false;
    if (result.state == wire::Io::closed) half_closed_ = true;
    if (result.state == wire::Io::failed) end();
    return false;
}

void RpcLink::read() {
    const wire::IoResult result = transport_->read(service_.input.data(), service_.input.size());
    if (!took(result)) return;
    pulse_.feel(service_.tick);
    const std::string_view bytes(service_.input.data(), result.bytes);
    const std::size_t done = consume(bytes);
    if (done < bytes.size() && state_ == State::open) in_.assign(bytes.substr(done));
}

// How many bytes were taken: all of them, unless the peer has to wait.
std::size_t RpcLink::consume(std::string_view bytes) {
    const std::size_t size = bytes.size();
    while (state_ == State::open && !is_deaf_ && may_read()) {
        const bool goes_on = frames_ ? hear_frames(bytes) : hear_lsp(bytes);
        if (!goes_on) break;
    }
    const bool amid = frames_ ? frames_->is_amid() : lsp_.is_amid();
    if (amid && !amid_) amid_since_ = service_.tick;
    amid_ = amid && !is_deaf_;
    return is_deaf_ ? size : size - bytes.size();
}

bool RpcLink::hear_lsp(std::string_view& bytes) {
    switch (lsp_.next(bytes)) {
        case wire::LspReader::Event::none: return false;
        case wire::LspReader::Event::message: hear(lsp_.message()); return true;
        case wire::LspReader::Event::too_large: send_error(codec::rpc_too_large()); return true;
        case wire::LspReader::Event::hopeless:
            send_error(codec::rpc_too_large());
            finish_after_answers();
            return false;
        case wire::LspReader::Event::broken:
            codec::RpcError error = codec::rpc_parse_error();
            error.reason = lsp_.problem();
            send_error(error);
            finish_after_answers();
            return false;
    }
    return false;
}

bool RpcLink::hear_frames(std::string_view& bytes) {
    std::string last;
    const wire::FrameReader::Event event = frames_->next(bytes);
    switch (event) {
        case wire::FrameReader::Event::none: return false;
        case wire::FrameReader::Event::pong: return true;
        case wire::FrameReader::Event::text:
        case wire::FrameReader::Event::binary:
            hear(frames_->message());
            frames_->forget_message();
            return true;
        case wire::FrameReader::Event::ping:
            if (out_.answers() < limits::rpc_output_bytes_max) append_control(wire::Opcode::pong, frames_->payload());
            return true;
        case wire::FrameReader::Event::close: wire::append_frame(last, wire::Opcode::close, frames_->payload()); break;
        case wire::FrameReader::Event::error:
            if (frames_->error_code() == wire::close_too_big) send_error(codec::rpc_too_large());
            wire::append_close_frame(last, frames_->error_code(), "");
            break;
    }
    finish_after_answers(std::move(last));
    return false;
}

// Nothing here waits: each call is answered at once, or becomes a command whose answer comes later.
void RpcLink::hear(std::string_view text) {
    codec::RpcText read = codec::parse_rpc(text);
    std::uint64_t batch = 0;
    if (read.is_batch) {
        batch = ++last_batch_;
        batches_[batch].waiting = read.calls.size();
    }
    for (codec::RpcCall& call : read.calls) {
        ++unanswered_;
        const RpcTo to{id_, batch, call.id};
        if (call.error) refuse(to, *call.error);
        else if (call.is_answer) settle(to, "");  // nobody asked
        else call_method(service_, *this, to, call);
        if (state_ == State::ended) return;
    }
}

void RpcLink::succeed(const RpcTo& to, std::string_view result) {
    std::string answer;
    if (!to.id.empty()) codec::append_rpc_result(answer, to.id, result);
    settle(to, std::move(answer));
}

// A notification cannot be answered; its sender is told by one.
void RpcLink::refuse(const RpcTo& to, const codec::RpcError& error) {
    const bool may_be_stranger = error.code == codec::RpcCode::unauthenticated && !caller_;
    std::string answer;
    if (!to.id.empty()) codec::append_rpc_error(answer, to.id, error);
    else notify("client/rejected", rejection(to, error));
    settle(to, std::move(answer));
    if (may_be_stranger && ++strikes_ >= strikes_max) finish();
}

bool RpcLink::begin_wait(RpcTo& to) {
    if (waiting_ == limits::wake_waiters_per_link_max) return false;
    ++waiting_;
    to.waits = true;
    return true;
}

void RpcLink::settle(const RpcTo& to, std::string answer) {
    const Section section(*this);
    --unanswered_;
    if (to.waits) --waiting_;
    if (to.batch == 0) {
        if (!answer.empty()) send(answer);
        return;
    }
    const auto at = batches_.find(to.batch);
    Batch& batch = at->second;
    if (!answer.empty()) {
        if (!batch.answers.empty()) batch.answers += ',';
        batch.answers += answer;
    }
    if (--batch.waiting > 0) return;
    const std::string answers = std::move(batch.answers);
    batches_.erase(at);
    if (!answers.empty()) send("[" + answers + "]");
}

void RpcLink::notify(std::string_view method, std::string_view params) {
    const Section section(*this);
    std::string message;
    codec::append_rpc_notification(message, method, params);
    send(message);
}

void RpcLink::tell(std::string_view method, std::string_view params) {
    const Section section(*this);
    std::string message;
    codec::append_rpc_notification(message, method, params);
    send(message, Kind::stream);
}

void RpcLink::send_error(const codec::RpcError& error) {
    std::string message;
    codec::append_rpc_error(message, "null", error);
    send(message);
}

void RpcLink::become(SharedCaller caller) {
    caller_ = std::move(caller);
    strikes_ = 0;
    lsp_.set_message_bytes_max(limits::rpc_message_bytes_max);
}

void RpcLink::count_memory() {
    if (state_ == State::ended) return;
    const std::size_t holds = in_.capacity() + (frames_ ? frames_->held() : lsp_.held());
    service_.unfinished_bytes += holds;
    service_.unfinished_bytes -= std::exchange(counted_, holds);
    if (amid_ && service_.unfinished_bytes > service_.options.unfinished_bytes_max) {
        send_error(
            codec::rpc_error_of(base::error(base::Code::overloaded, "too many messages are under way; try again")));
        finish();
    }
}

void RpcLink::together(const std::function<void()>& work) {
    const Section section(*this);
    work();
}

void RpcLink::begin_stop() {
    if (unanswered_ == 0) return finish(CloseReason::stopping);
    last_reason_ = CloseReason::stopping;  // what is under way is answered first
}

void RpcLink::sweep(base::Duration now, bool ask_again) {
    if (state_ == State::lingering) {
        if (now - since_ >= (was_slow_ ? limits::stream_farewell_max : limits::http_linger_max)) end();
        return;
    }
    if (out_.size() > 0 && now - moved_at_ >= (was_slow_ ? limits::stream_farewell_max : limits::http_write_time_max)) {
        return state_ == State::open && !subscriptions_.empty() ? end_slow() : end();
    }
    if (state_ != State::open) return;
    if (!caller_ && now - since_ >= limits::rpc_authenticate_time_max) return finish();
    if (amid_ && now - amid_since_ >= limits::http_body_time_max) return finish();
    if (ask_again && caller_ && !is_admitted(service_, *caller_)) return finish(CloseReason::revoked);
    sweep_subscriptions(ask_again);
    if (frames_) beat(now);
}

// Of one that is not read from, or does not take what it is told, no answer can come.
void RpcLink::beat(base::Duration now) {
    if (!may_read() || out_.size() > 0) return pulse_.feel(now);
    const Pulse::State state = pulse_.beat(now);
    if (state == Pulse::State::gone) return finish(CloseReason::silent);
    if (state == Pulse::State::there) return;
    const Section section(*this);
    append_control(wire::Opcode::ping, "");
}

}  // namespace belfry::net
