#include <utility>

#include "base/limits.hpp"
#include "net/connection.hpp"
#include "net/connection_section.hpp"
#include "net/service.hpp"

// Connections that follow a stream, and what comes over those that ask for nothing any more.
namespace belfry::net {
namespace {
constexpr int ignored_reads_max = 16;     // of a peer that has nothing to say
constexpr int discarded_reads_max = 256;  // of one that is answered, but may still be sending its body
}  // namespace

void Connection::follow(StreamFormat format, std::string head, std::unique_ptr<ports::Cursor> cursor,
                        SharedCaller caller, std::unique_ptr<Guest> guest, RunReader run) {
    ASSERT(state_ == State::working);
    const Section section(*this);
    flush();
    if (state_ == State::ended) return;
    if (!out_.empty()) {
        head.insert(0, out_);
        out_.clear();
    }
    state_ = State::following;
    reader_ = std::make_unique<Reader>(service_, id_, *transport_, format, std::move(cursor), std::move(caller),
                                       std::move(guest), std::move(run));
    reader_->greet(std::move(head));
    authorization_ = {};
    caller_.reset();
    settle(reader_->serve());
    // What came while the request was being worked on.
    const std::string early = std::exchange(in_, {});
    count_memory();
    if (!early.empty() && state_ == State::following) settle(reader_->on_input(early));
}

void Connection::answer_word(std::uint64_t number, std::string text) {
    if (state_ == State::following) settle(reader_->answer(number, std::move(text)));
}

void Connection::tell(std::optional<std::string> bytes) {
    if (state_ == State::following) settle(reader_->tell(std::move(bytes)));
}

void Connection::serve_reader(Turn turn) {
    if (state_ != State::following) return;
    if (turn == Turn::own) has_own_turn_ = false;
    if (!has_own_turn_) settle(reader_->serve());
}

void Connection::after_fetch(bool ok) {
    if (state_ == State::following) settle(reader_->after_fetch(ok));
}

void Connection::settle(Reader::Outcome outcome) {
    if (outcome == Reader::Outcome::waits) return;
    if (outcome == Reader::Outcome::wants_more) {
        if (!std::exchange(has_own_turn_, true)) service_.fanout.again(id_);
        return;
    }
    if (outcome == Reader::Outcome::broken) return end();
    linger_max_ = reader_->was_slow() ? base::limits::stream_farewell_max : base::limits::http_linger_max;
    reader_.reset();
    linger();
    listen();
}

// Bytes that are no requests: a WebSocket's frames, or what is passed over. Notices that the peer is gone.
void Connection::listen() {
    for (int reads = 0; readable_ && (state_ == State::following || state_ == State::lingering); ++reads) {
        const bool is_heard = state_ == State::following && reader_->hears();
        if (reads == ignored_reads_max && is_heard) return listen_later();
        if (reads == (state_ == State::lingering ? discarded_reads_max : ignored_reads_max)) return end();
        const wire::IoResult result = transport_->read(service_.input.data(), service_.input.size());
        if (!took(result)) return;
        if (state_ == State::following) settle(reader_->on_input({service_.input.data(), result.bytes}));
    }
}

// Who has something to say may say it at length, but the others have their turn in between. No edge would tell of what
// has arrived already.
void Connection::listen_later() {
    if (std::exchange(listens_later_, true)) return;
    service_.soon([service = &service_, id = id_] {
        Connection* const connection = service->connections.find(id);
        if (connection == nullptr) return;
        connection->listens_later_ = false;
        connection->listen();
    });
}

}  // namespace belfry::net
