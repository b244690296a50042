#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "base/time.hpp"
#include "net/connections.hpp"
#include "net/rates.hpp"
#include "net/reader.hpp"
#include "net/tickets.hpp"
#include "net/upload.hpp"
#include "wire/http_request.hpp"
#include "wire/transport.hpp"

namespace belfry::net {

struct Service;

// Who is at the other end, as the socket tells it.
struct Peer {
    bool is_local = false;      // on the Unix socket
    bool is_same_user = false;  // and of the daemon's own user id
    std::uint32_t uid = 0;
    Address address{};
};

// The head of an answer; the rest is in every answer.
struct Answer {
    int status = 200;
    std::string_view content_type = "application/json";
    std::string_view body;
    std::string_view extra_fields;  // whole lines
};

// One connection: reads a request, hands it to its handler, writes the answer, and so on; or follows a stream. It is
// driven by the edges of its socket and by the answers of handlers, and holds buffers only while something is
// incomplete. While one request is being worked on the next ones wait, so answers keep the order of requests.
class Connection {
public:
    Connection(Service& service, ConnectionId id, std::unique_ptr<wire::Transport> transport, const Peer& peer);
    ~Connection();
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    [[nodiscard]] ConnectionId id() const { return id_; }
    [[nodiscard]] const Peer& peer() const { return peer_; }
    // It says nothing more: a program that has ended, as far as anybody can tell.
    [[nodiscard]] bool has_peer_closed() const { return peer_closed_; }

    void on_edge(wire::Edge edge);
    // Ends what took too long.
    void sweep(base::Duration now, bool ask_again);
    // Ends now if nothing is under way, else after the answer.
    void begin_stop();
    void end();

    // For handlers: the answer to the request that is being worked on. Once for each.
    void respond(const Answer& answer);
    void fail(const base::Error& error, std::string_view extra_fields = {});
    void fail(int status, const base::Error& error, std::string_view extra_fields = {});
    // Instead of an answer: `head` goes out, then the stream.
    // `guest` hears what the peer says meanwhile.
    void follow(StreamFormat format, std::string head, std::unique_ptr<ports::Cursor> cursor, SharedCaller caller,
                std::unique_ptr<Guest> guest = nullptr, RunReader run = {});
    // Instead of an answer: `head` goes out, and from then on the peer speaks JSON-RPC in frames. This connection is
    // over with that; its socket and number belong to the link.
    void speak_rpc(std::string head, SharedCaller caller);
    // Instead of an answer for now: the body goes to `upload` as it comes. It answers.
    void begin_upload(std::unique_ptr<Upload> upload);
    // For the upload: it is ready for more.
    void go_on();
    [[nodiscard]] Upload* upload() const { return upload_.get(); }
    // For the guest: the answer to a word of the peer, and what it asked for to be told next (nothing: it cannot).
    void answer_word(std::uint64_t number, std::string text);
    void tell(std::optional<std::string> bytes);

    [[nodiscard]] const std::string& cors_fields() const { return cors_fields_; }

    // For Fanout and the store's answers.
    // A reader that asked for a turn of its own gets it before it takes part in rounds again.
    enum class Turn : std::uint8_t { of_round, own };
    void serve_reader(Turn turn);
    void after_fetch(bool ok);

    // Who the bearer of this Authorization field is, remembered from request to request. In `net/guard.cpp`.
    base::Result<SharedCaller> authenticate(std::string_view authorization);

private:
    enum class State : std::uint8_t { reading, working, uploading, following, closing, lingering, ended };
    class Section;
    static constexpr std::string_view continue_line = "HTTP/1.1 100 Continue\r\n\r\n";

    void drive();
    void read_shared();
    void read_own();
    [[nodiscard]] bool took(const wire::IoResult& result);
    std::size_t consume(std::string_view bytes);
    void dispatch(const wire::Request& request);
    [[nodiscard]] bool wants_body(std::string_view bytes);
    [[nodiscard]] bool starts_upload(std::string_view bytes);
    [[nodiscard]] bool takes_input() const;
    std::size_t feed_upload(std::string_view bytes);
    void stop_upload();
    void sweep_upload(base::Duration now, bool ask_again);
    void refuse(int status, const base::Error& error);
    void count_memory();
    void count_untaken();
    static void make_room(Service& service);
    void keep_bounds();
    void time_out(const char* what);
    void flush();
    void listen();
    void listen_later();
    void go_on_later();
    void settle(Reader::Outcome outcome);
    void linger();
    [[nodiscard]] std::string& sink();

    Service& service_;
    const ConnectionId id_;
    std::unique_ptr<wire::Transport> transport_;
    const Peer peer_;

    State state_ = State::reading;
    bool driving_ = false;
    bool readable_ = false;
    bool blocked_ = false;      // the socket is full
    bool peer_closed_ = false;  // nothing more will come after what is there
    bool keep_alive_ = true;    // of the request that is being worked on
    bool is_head_ = false;
    bool is_known_ = false;     // somebody has shown a valid token here, or is the daemon's own user
    bool body_wanted_ = false;  // of the request that is incomplete: it was asked and answered
    bool large_wanted_ = false;
    bool listens_later_ = false;
    bool goes_on_later_ = false;
    bool has_own_turn_ = false;  // Fanout will come back to this reader
    bool body_unread_ = false;   // who is refused now has not sent his body yet: nothing can follow
    bool upload_ready_ = false;  // what is there of its body has not been looked at since it was last busy
    base::Duration since_;       // when this state, or the request that is incomplete, began
    base::Duration blocked_since_;
    base::Duration linger_max_ = base::limits::http_linger_max;
    std::optional<base::Duration> dispatched_at_;  // a request that is not answered yet

    std::string in_;               // bytes of requests that are not complete or not due yet
    std::size_t counted_ = 0;      // of them and their parser, in Service::unfinished_bytes
    std::string out_;              // what the socket has not taken
    std::size_t counted_out_ = 0;  // of it, in Service::untaken_bytes
    std::unique_ptr<wire::RequestParser> parser_;
    std::string cors_fields_;
    std::unique_ptr<Reader> reader_;
    std::unique_ptr<Upload> upload_;  // of the last request that had one

    // The last caller, by the bytes of his Authorization field.
    std::string authorization_;
    SharedCaller caller_;
    std::uint64_t caller_generation_ = 0;
    base::Duration caller_asked_;
};

}  // namespace belfry::net
