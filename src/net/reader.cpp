#include "net/reader.hpp"

#include <algorithm>
#include <sys/uio.h>
#include <utility>

#include "base/limits.hpp"
#include "net/connection.hpp"
#include "net/service.hpp"
#include "wire/transport.hpp"

namespace belfry::net {
namespace {
constexpr std::size_t fair_bytes = 1 << 20;  // to one reader before the others have their turn
constexpr std::size_t batch_entries_max = 4096;
constexpr std::size_t vectors_max = 256;
constexpr std::size_t pieces_kept = 8;
constexpr std::size_t own_pieces_max = 16;  // answers to pings that a full socket has not taken
}  // namespace

Reader::Reader(Service& service, ConnectionId connection, wire::Transport& transport, StreamFormat format,
               std::unique_ptr<ports::Cursor> cursor, SharedCaller caller, std::unique_ptr<Guest> guest, RunReader run)
    : service_(service),
      connection_(connection),
      transport_(transport),
      format_(format),
      place_(std::move(cursor), run.mapper ? 0 : run.had, run.ends_here),
      caller_(std::move(caller)),
      moved_at_(service.tick),
      pulse_(service.tick),
      guest_(std::move(guest)),
      mapper_(std::move(run.mapper)) {
    if (is_websocket(format)) {
        using Messages = wire::FrameReader::Messages;
        frames_ = std::make_unique<wire::FrameReader>(base::limits::stream_input_bytes_max,
                                                      guest_ ? Messages::wanted : Messages::passed_over);
    }
    service_.fanout.add(*this);
    ++service_.ports.metrics.stream_readers_opened;
    ++service_.ports.metrics.stream_readers;
}

Reader::~Reader() {
    service_.fanout.remove(*this);
    --service_.ports.metrics.stream_readers;
}

void Reader::push_own(std::string bytes) {
    auto holder = std::make_shared<const std::string>(std::move(bytes));
    const std::string_view view = *holder;
    pending_.push_back({std::move(holder), view.data(), view.size()});
}

std::size_t Reader::push_mapped(const ports::StreamBatch& batch) {
    std::string out;
    std::size_t entries = 0;
    if (batch.gap) mapper_->append_gap(out, batch.gap->from, batch.gap->to);
    for (const ports::BlockSlice& slice : batch.slices) {
        for (std::uint32_t i = slice.first; i < slice.first + slice.count; ++i) {
            mapper_->append(out, slice.block->entries[i]);
        }
        entries += slice.count;
    }
    service_.ports.metrics.stream_entries_sent.fetch_add(entries, std::memory_order_relaxed);
    const std::size_t bytes = out.size();
    if (bytes > 0) push_own(std::move(out));
    return bytes;
}

std::size_t Reader::push_batch(const ports::StreamBatch& batch) {
    if (mapper_) return push_mapped(batch);
    if (batch.gap) {
        std::string gap;
        append_gap(gap, format_, *batch.gap);
        push_own(std::move(gap));
    }
    std::size_t entries = 0;
    std::size_t bytes = 0;
    for (const ports::BlockSlice& slice : batch.slices) {
        const SharedEncodedBlock& encoded = service_.fanout.encoded(format_).get(slice.block);
        const std::string_view view = encoded->entries(slice.first, slice.count);
        if (view.empty()) continue;
        entries += slice.count;
        bytes += view.size();
        if (!pending_.empty() && pending_.back().holder == encoded &&
            pending_.back().data + pending_.back().size == view.data()) {
            pending_.back().size += view.size();  // entries of one block that lie side by side
        } else {
            pending_.push_back({encoded, view.data(), view.size()});
        }
    }
    service_.ports.metrics.stream_entries_sent.fetch_add(entries, std::memory_order_relaxed);
    return bytes;
}

void Reader::greet(std::string bytes) {
    push_own(std::move(bytes));
}

Reader::Outcome Reader::send() {
    std::size_t at = 0;
    while (at < pending_.size()) {
        std::vector<iovec>& vectors = service_.fanout.vectors;
        vectors.clear();
        std::size_t wanted = 0;
        for (std::size_t i = at; i < pending_.size() && vectors.size() < vectors_max; ++i) {
            vectors.push_back({const_cast<char*>(pending_[i].data), pending_[i].size});
            wanted += pending_[i].size;
        }
        const wire::IoResult result = transport_.write(vectors.data(), vectors.size());
        if (result.state == wire::Io::failed || result.state == wire::Io::closed) return Outcome::broken;
        if (result.bytes > 0) moved_at_ = service_.tick;
        std::size_t left = result.bytes;
        while (at < pending_.size() && left >= pending_[at].size) left -= pending_[at++].size;
        if (result.bytes == wanted) continue;
        pending_[at].data += left;
        pending_[at].size -= left;
        pending_.erase(pending_.begin(), pending_.begin() + static_cast<std::ptrdiff_t>(at));
        blocked_ = true;
        return Outcome::waits;
    }
    pending_.clear();
    if (pending_.capacity() > pieces_kept) pending_.shrink_to_fit();
    return Outcome::waits;
}

Reader::Outcome Reader::serve() {
    std::size_t share = 0;
    for (;;) {
        if (blocked_) return Outcome::waits;
        if (send() == Outcome::broken) return Outcome::broken;
        if (blocked_) return Outcome::waits;  // its last word, too, is waited for
        if (close_sent_) return Outcome::ended;
        if (fetching_) return Outcome::waits;
        if (guest_ && guest_->has_more_to_tell()) {
            fetching_ = true;
            return guest_->ask_for_more() ? Outcome::waits : close(CloseReason::store);
        }
        if (share >= fair_bytes) return Outcome::wants_more;
        ports::StreamBatch& batch = service_.fanout.batch;
        const ports::ReadState state =
            place_.read(service_.ports.streams, base::limits::stream_write_bytes_max, batch_entries_max, batch);
        share += push_batch(batch);
        const auto end = place_.end_of(state, batch);
        batch.clear();
        if (end) {
            std::string bytes;
            append_close(bytes, format_, close_reason_name(*end));
            push_own(std::move(bytes));
            close_sent_ = true;
            continue;
        }
        if (state == ports::ReadState::behind) fetch();
        if (state == ports::ReadState::at_head && pending_.empty()) return Outcome::waits;
    }
}

void Reader::fetch() {
    fetching_ = true;
    service_.ports.streams.fetch(place_.cursor(),
                                 [service = &service_, id = connection_](const base::Result<void>& result) {
                                     Connection* connection = service->connections.find(id);
                                     if (connection != nullptr) connection->after_fetch(result.ok());
                                 });
}

Reader::Outcome Reader::after_fetch(bool ok) {
    fetching_ = false;
    if (close_sent_) return Outcome::waits;
    if (ok) return serve();
    return close(CloseReason::store);
}

Reader::Outcome Reader::tell(std::optional<std::string> bytes) {
    fetching_ = false;
    if (close_sent_) return Outcome::waits;
    if (!bytes) return close(CloseReason::store);
    push_own(std::move(*bytes));
    return serve();
}

Reader::Outcome Reader::on_writable() {
    if (!blocked_) return Outcome::waits;
    blocked_ = false;
    pulse_.feel(service_.tick);
    return serve();
}

Reader::Outcome Reader::on_input(std::string_view bytes) {
    if (!frames_) return Outcome::waits;  // a reader of SSE has nothing to say
    pulse_.feel(service_.tick);
    while (!close_sent_) {
        std::string answer;
        switch (frames_->next(bytes)) {
            case wire::FrameReader::Event::none: return Outcome::waits;
            case wire::FrameReader::Event::pong: continue;
            case wire::FrameReader::Event::text:
            case wire::FrameReader::Event::binary:
                if (const Outcome outcome = hear(frames_->message()); outcome != Outcome::waits) return outcome;
                continue;
            case wire::FrameReader::Event::ping:
                if (pending_.size() >= own_pieces_max) continue;
                wire::append_frame(answer, wire::Opcode::pong, frames_->payload());
                break;
            case wire::FrameReader::Event::close:
                wire::append_frame(answer, wire::Opcode::close, frames_->payload());
                close_sent_ = true;
                break;
            case wire::FrameReader::Event::error:
                wire::append_close_frame(answer, frames_->error_code(), "");
                close_sent_ = true;
                break;
        }
        push_own(std::move(answer));
        if (!blocked_ && send() == Outcome::broken) return Outcome::broken;
    }
    return Outcome::ended;
}

// Who sends words and takes no answers is a slow reader, too.
Reader::Outcome Reader::hear(std::string_view message) {
    if (guest_->unanswered() + pending_.size() >= base::limits::inbox_words_max) {
        return close_slow();
    }
    guest_->hear(message);
    return send_answers();
}

Reader::Outcome Reader::answer(std::uint64_t number, std::string text) {
    guest_->answer(number, std::move(text));
    return send_answers();
}

Reader::Outcome Reader::send_answers() {
    while (const auto text = guest_->next_answer()) {
        std::string frame;
        wire::append_frame(frame, wire::Opcode::text, *text);
        push_own(std::move(frame));
    }
    return blocked_ || close_sent_ ? Outcome::waits : send();
}

Reader::Outcome Reader::sweep(base::Duration now, bool ask_again) {
    if (was_slow_) return now - moved_at_ < base::limits::stream_farewell_max ? Outcome::waits : Outcome::broken;
    if (ask_again && !caller_->token.empty() && !service_.ports.access.authenticate(caller_->token)) {
        return close(CloseReason::revoked);
    }
    if (blocked_) {
        if (now - moved_at_ < base::limits::stream_stalled_max) return Outcome::waits;
        return close_slow();
    }
    std::string bytes;
    const bool is_down = service_.ports.queries.readiness() == ports::Readiness::store_down;
    if (const auto news = is_of_run(format_) ? place_.store_news(is_down) : std::nullopt) {
        append_store_word(bytes, format_, *news);
        push_own(std::move(bytes));
        return send();
    }
    return beat(now);
}

// Who has heard nothing for long is told that we are here, and who has said nothing for long on a WebSocket is asked
// whether he is. A reader of SSE cannot answer.
Reader::Outcome Reader::beat(base::Duration now) {
    const Pulse::State state = frames_ ? pulse_.beat(now) : Pulse::State::there;
    if (state == Pulse::State::gone) return close(CloseReason::silent);
    if (state == Pulse::State::there && now - moved_at_ < base::limits::stream_heartbeat) return Outcome::waits;
    std::string bytes;
    append_heartbeat(bytes, format_);
    push_own(std::move(bytes));
    return send();
}

Reader::Outcome Reader::close(CloseReason reason) {
    std::string bytes;
    append_close(bytes, format_, close_reason_name(reason));
    push_own(std::move(bytes));
    close_sent_ = true;
    static_cast<void>(send());
    return Outcome::ended;
}

// What has not begun to go out gives way to the word; that goes out when there is room for it.
Reader::Outcome Reader::close_slow() {
    ++service_.ports.metrics.stream_readers_closed_slow;
    was_slow_ = true;
    moved_at_ = service_.tick;
    if (pending_.size() > 1) pending_.erase(pending_.begin() + 1, pending_.end());
    if (!pending_.empty() && !frames_) {
        const std::size_t end = std::string_view(pending_.front().data, pending_.front().size).find("\n\n");
        if (end != std::string_view::npos) pending_.front().size = end + 2;
    }
    wire::make_room_for_last_word(transport_.socket(), base::limits::stream_farewell_max);
    blocked_ = false;
    const Outcome outcome = close(CloseReason::slow_reader);
    return outcome == Outcome::ended && !pending_.empty() ? Outcome::waits : outcome;
}

}  // namespace belfry::net
