#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.hpp"
#include "codec/ag_ui.hpp"
#include "net/connections.hpp"
#include "net/encoded_blocks.hpp"
#include "net/guest.hpp"
#include "net/pulse.hpp"
#include "net/stream_place.hpp"
#include "net/tickets.hpp"
#include "ports/streams.hpp"
#include "wire/websocket.hpp"

namespace belfry::wire {
class Transport;
}

namespace belfry::net {

struct Service;

// Bytes on their way to one reader, shared with all others that get the same.
struct Piece {
    std::shared_ptr<const void> holder;
    const char* data = nullptr;
    std::size_t size = 0;
};

// What a reader of a run needs besides.
struct RunReader {
    model::Sequence had = 0;              // entries up to here are looked at, but not sent
    bool ends_here = false;               // nothing comes after the head
    std::unique_ptr<codec::AgUi> mapper;  // of AG-UI; it leaves out itself what its reader has
};

// One follower of a stream: a cursor and what of the last batch its socket has not taken yet. Nothing is queued for
// it: when the socket has room it reads on from its cursor, however far the stream has gone meanwhile.
class Reader {
public:
    Reader(Service& service, ConnectionId connection, wire::Transport& transport, StreamFormat format,
           std::unique_ptr<ports::Cursor> cursor, SharedCaller caller, std::unique_ptr<Guest> guest, RunReader run);
    ~Reader();
    Reader(const Reader&) = delete;
    Reader& operator=(const Reader&) = delete;

    // What became of a call: the connection goes on, has been served as much as is fair and wants more, is to end in
    // order, or is broken.
    enum class Outcome : std::uint8_t { waits, wants_more, ended, broken };

    // Sends these bytes before any entry: the head of the answer.
    void greet(std::string bytes);
    // Sends what there is, from memory, until the head, the socket's limit or a fair share is reached.
    [[nodiscard]] Outcome serve();
    // The socket has room again.
    [[nodiscard]] Outcome on_writable();
    // Bytes from the peer.
    [[nodiscard]] Outcome on_input(std::string_view bytes);
    // Heartbeat, the slow-reader limit and whether the caller's token still stands.
    [[nodiscard]] Outcome sweep(base::Duration now, bool ask_again);
    // What was asked of the store has come, or cannot.
    [[nodiscard]] Outcome after_fetch(bool ok);
    // What the guest asked for, to be told before the stream goes on; nothing: it cannot be had.
    [[nodiscard]] Outcome tell(std::optional<std::string> bytes);
    // The answer to a word of the peer.
    [[nodiscard]] Outcome answer(std::uint64_t number, std::string text);
    // Says why, as far as the socket takes it, and ends.
    Outcome close(CloseReason reason);
    // It was closed because it took too little: it may be long until it comes to the last word.
    [[nodiscard]] bool was_slow() const { return was_slow_; }

    // Whether what its peer says means something.
    [[nodiscard]] bool hears() const { return guest_ && frames_; }
    [[nodiscard]] model::StreamId stream() const { return place_.stream(); }
    [[nodiscard]] ConnectionId connection() const { return connection_; }

    std::size_t ring_place = 0;  // kept by Fanout

private:
    [[nodiscard]] Outcome send();  // what is pending
    [[nodiscard]] Outcome close_slow();
    [[nodiscard]] Outcome beat(base::Duration now);
    [[nodiscard]] Outcome hear(std::string_view message);
    [[nodiscard]] Outcome send_answers();
    void push_own(std::string bytes);
    std::size_t push_batch(const ports::StreamBatch& batch);
    std::size_t push_mapped(const ports::StreamBatch& batch);
    void fetch();

    Service& service_;
    ConnectionId connection_;
    wire::Transport& transport_;
    StreamFormat format_;
    bool blocked_ = false;   // the socket is full
    bool fetching_ = false;  // what comes next is being asked for
    StreamPlace place_;
    SharedCaller caller_;
    std::vector<Piece> pending_;
    base::Duration moved_at_;                    // when the socket last took a byte
    std::unique_ptr<wire::FrameReader> frames_;  // of a WebSocket
    Pulse pulse_;                                // of a WebSocket
    std::unique_ptr<Guest> guest_;               // nothing: it has nothing to say
    bool close_sent_ = false;
    bool was_slow_ = false;
    std::unique_ptr<codec::AgUi> mapper_;  // of AG-UI
};

}  // namespace belfry::net
