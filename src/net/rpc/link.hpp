#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/time.hpp"
#include "codec/jsonrpc.hpp"
#include "net/connection.hpp"
#include "net/pulse.hpp"
#include "net/rpc/output.hpp"
#include "net/rpc/subscription.hpp"
#include "net/tickets.hpp"
#include "wire/lsp_framing.hpp"
#include "wire/transport.hpp"
#include "wire/websocket.hpp"

namespace belfry::net {

struct Service;

enum class RpcFraming : std::uint8_t { lsp, websocket };

// Where the answer to a call goes, however late it comes.
struct RpcTo {
    ConnectionId link = 0;
    std::uint64_t batch = 0;   // 0: the call came alone
    std::string id;            // as JSON; empty: a notification
    std::string session_id{};  // of a client's message, for the refusal of a notification
    std::string message_type{};
    bool waits = false;  // it may be long until it is answered
};

// One connection of JSON-RPC. Its one reader cuts what comes into calls and hands each on; nothing that takes time is
// done here, and answers go out as they come. A peer that asks faster than it is answered, or takes no answers, is not
// read from until that has changed. What one peer does, others do not notice.
class RpcLink {
public:
    // `caller`: nothing where the peer has to say first who it is.
    RpcLink(Service& service, ConnectionId id, std::unique_ptr<wire::Transport> transport, const Peer& peer,
            RpcFraming framing, SharedCaller caller);
    ~RpcLink();
    RpcLink(const RpcLink&) = delete;
    RpcLink& operator=(const RpcLink&) = delete;

    [[nodiscard]] ConnectionId id() const { return id_; }
    [[nodiscard]] const Peer& peer() const { return peer_; }
    [[nodiscard]] const SharedCaller& caller() const { return caller_; }
    // It says nothing more: a program that has ended, as far as anybody can tell.
    [[nodiscard]] bool has_peer_closed() const { return half_closed_ || end_is_near_ || state_ != State::open; }
    // Whose bucket its messages are counted in: the token's, or of one without a token the connection's own.
    [[nodiscard]] std::string client_key() const;

    void on_edge(wire::Edge edge);
    // Bytes that go out before anything else: the rest of the handshake. Then it is ready.
    void begin(std::string head);
    // News of a stream that it follows, or room for it.
    void serve();
    void sweep(base::Duration now, bool ask_again);
    void begin_stop();
    void end();

    // For methods. Each call is settled once.
    void succeed(const RpcTo& to, std::string_view result);
    void refuse(const RpcTo& to, const codec::RpcError& error);
    // For a call that may wait for long. False where as many wait as may: more of them would keep the peer from being
    // heard.
    [[nodiscard]] bool begin_wait(RpcTo& to);
    void notify(std::string_view method, std::string_view params);
    // For subscriptions: the same for what their stream has. A peer that does not take it is heard all the same.
    void tell(std::string_view method, std::string_view params);
    // Everything that is said meanwhile goes out in one piece; the link does not end before.
    void together(const std::function<void()>& work);
    void become(SharedCaller caller);
    // A subscription's number, from 1 on; 0 where there are too many.
    std::uint64_t subscribe(std::unique_ptr<RpcSubscription> subscription);
    bool unsubscribe(std::uint64_t number);
    // Nothing where it has ended.
    [[nodiscard]] RpcSubscription* subscription(std::uint64_t number) const;
    // Ends it with a word to the peer.
    void end_subscription(std::uint64_t number, CloseReason reason);
    void after_fetch(std::uint64_t number, bool ok);

private:
    enum class State : std::uint8_t { open, closing, lingering, ended };
    struct Batch {
        std::string answers;      // joined by commas
        std::size_t waiting = 0;  // calls that are not settled yet
    };
    class Section;

    void drive();
    [[nodiscard]] bool may_read() const;
    [[nodiscard]] bool listens() const { return !half_closed_ && !is_deaf_ && !last_reason_; }
    void read();
    [[nodiscard]] bool took(const wire::IoResult& result);
    std::size_t consume(std::string_view bytes);
    [[nodiscard]] bool hear_lsp(std::string_view& bytes);
    [[nodiscard]] bool hear_frames(std::string_view& bytes);
    void hear(std::string_view text);
    void settle(const RpcTo& to, std::string answer);
    using Kind = RpcOutput::Kind;
    void send(std::string_view message, Kind kind = Kind::answer);
    void append_control(wire::Opcode opcode, std::string_view payload);
    void append_close(std::uint16_t code);
    void send_error(const codec::RpcError& error);
    void flush();
    // `reason`: what those who follow something here are told.
    void finish(std::optional<CloseReason> reason = std::nullopt);
    // Listens no more; what was taken is answered first. `close`: the frame that ends a WebSocket.
    void finish_after_answers(std::string close = {});
    void end_if_all_is_said();
    void close_subscriptions(CloseReason reason);
    void end_slow();
    void sweep_subscriptions(bool ask_again);
    void beat(base::Duration now);
    void drive_later();
    void discard();
    void count_memory();

    Service& service_;
    const ConnectionId id_;
    std::unique_ptr<wire::Transport> transport_;
    const Peer peer_;
    SharedCaller caller_;

    State state_ = State::open;
    bool driving_ = false;
    bool readable_ = true;
    bool blocked_ = false;      // the socket is full
    bool end_is_near_ = false;  // the peer's end was told, and may not be read yet
    bool half_closed_ = false;  // the peer says no more, but may still listen
    bool again_ = false;        // a further round for its subscriptions is due
    bool close_sent_ = false;   // of a WebSocket
    wire::LspReader lsp_;
    std::unique_ptr<wire::FrameReader> frames_;
    std::string in_;           // what could not be taken yet
    std::size_t counted_ = 0;  // of Service::unfinished_bytes
    RpcOutput out_;
    bool drives_later_ = false;               // it has had its share, and goes on after the others
    std::optional<CloseReason> last_reason_;  // it ends when what is under way is answered, for this reason
    bool is_deaf_ = false;                    // nothing that comes is taken any more
    std::string close_frame_;                 // the last one of a WebSocket, after what is under way was answered
    std::size_t unanswered_ = 0;              // calls that are under way
    std::size_t waiting_ = 0;                 // of those, that may be so for long
    std::size_t strikes_ = 0;                 // of a peer that has not said who it is
    std::uint64_t last_batch_ = 0;
    std::unordered_map<std::uint64_t, Batch> batches_;
    std::uint64_t last_subscription_ = 0;
    std::map<std::uint64_t, std::unique_ptr<RpcSubscription>> subscriptions_;
    base::Duration since_;     // when it was opened, or when it began to linger
    base::Duration moved_at_;  // when the socket last took a byte
    bool was_slow_ = false;    // it took too little, and may be long until it comes to the last word
    Pulse pulse_;              // of a WebSocket
    base::Duration amid_since_;
    bool amid_ = false;  // a message has begun to come
};

}  // namespace belfry::net
