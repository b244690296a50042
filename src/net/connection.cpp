#include "net/connection.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/limits.hpp"
#include "codec/problem.hpp"
#include "net/connection_section.hpp"
#include "net/dispatch.hpp"
#include "net/problem.hpp"
#include "net/rpc/link.hpp"
#include "net/service.hpp"
#include "wire/http_response.hpp"

namespace belfry::net {
namespace {
constexpr std::size_t read_bytes_min = 16 << 10;
constexpr std::size_t read_bytes_max = 64 << 10;
constexpr std::size_t kept_bytes_max = 16 << 10;     // a larger buffer is given back when it is empty
constexpr std::size_t output_bytes_max = 256 << 10;  // of answers to pipelined requests before they are written
constexpr int fair_reads = 8;                        // of requests from one peer before the others have their turn

void give_back(std::string& buffer) {
    buffer.clear();
    if (buffer.capacity() > kept_bytes_max) buffer.shrink_to_fit();
}
}  // namespace

Connection::Connection(Service& service, ConnectionId id, std::unique_ptr<wire::Transport> transport, const Peer& peer)
    : service_(service), id_(id), transport_(std::move(transport)), peer_(peer), since_(service.tick) {
    ++service_.ports.metrics.http_connections_opened;
    ++service_.ports.metrics.connections;
}

Connection::~Connection() {
    service_.unfinished_bytes -= counted_;
    service_.untaken_bytes -= counted_out_;
    --service_.ports.metrics.connections;
}

std::string& Connection::sink() {
    return service_.output_owner == this ? service_.output : out_;
}

void Connection::end() {
    if (state_ == State::ended) return;
    state_ = State::ended;
    reader_.reset();
    parser_.reset();
    transport_.reset();
    service_.unfinished_bytes -= std::exchange(counted_, 0);
    service_.untaken_bytes -= std::exchange(counted_out_, 0);
    service_.connections.end(id_);
}

void Connection::on_edge(wire::Edge edge) {
    if (edge.readable) readable_ = true;
    if (edge.closed) peer_closed_ = true;
    if (state_ == State::following) {
        if (edge.readable) listen();
        if (edge.writable && state_ == State::following) settle(reader_->on_writable());
        return;
    }
    blocked_ = false;
    const Section section(*this);
}

// Goes on as far as it goes now: requests in order, each answered before the next is looked at, their answers in as few
// writes as possible.
void Connection::drive() {
    for (int turns = 0;; ++turns) {
        flush();
        if (!takes_input() || !out_.empty()) break;
        if (turns == fair_reads) {
            go_on_later();
            break;
        }
        if (state_ == State::uploading ? std::exchange(upload_ready_, false) : !parser_ && !in_.empty()) {
            in_.erase(0, consume(in_));
            if (in_.empty()) give_back(in_);
            keep_bounds();
        } else if (readable_) {
            const bool shared = in_.empty() && service_.output_owner == this;
            shared ? read_shared() : read_own();
            keep_bounds();
        } else {
            break;
        }
    }
    if (state_ == State::lingering || state_ == State::following) listen();
}

// The others have their turn in between. No edge would tell of what has arrived already.
void Connection::go_on_later() {
    if (std::exchange(goes_on_later_, true)) return;
    service_.soon([service = &service_, id = id_] {
        Connection* const connection = service->connections.find(id);
        if (connection == nullptr) return;
        connection->goes_on_later_ = false;
        if (connection->state_ != State::following) const Section section(*connection);
    });
}

bool Connection::takes_input() const {
    return state_ == State::reading || (state_ == State::uploading && parser_ && !upload_->is_busy());
}

bool Connection::took(const wire::IoResult& result) {
    if (result.state == wire::Io::done) {
        if (result.drained && !peer_closed_) readable_ = false;
        return true;
    }
    readable_ = false;
    if (result.state == wire::Io::would_block) return false;
    if (result.state == wire::Io::closed && state_ == State::reading) {
        flush();
        if (!out_.empty()) {
            state_ = State::closing;  // it wants no more, but may still be reading
            return false;
        }
    }
    end();
    return false;
}

void Connection::read_shared() {
    const wire::IoResult result = transport_->read(service_.input.data(), service_.input.size());
    if (!took(result)) return;
    const std::string_view bytes(service_.input.data(), result.bytes);
    const std::size_t done = consume(bytes);
    if (done < bytes.size() && state_ != State::ended) in_.assign(bytes.substr(done));
}

void Connection::read_own() {
    const std::size_t had = in_.size();
    const std::size_t missing = parser_ ? parser_->missing() : 0;
    // What is only announced gets no memory.
    in_.resize(had + std::clamp(std::min(missing, had), read_bytes_min, read_bytes_max));
    const wire::IoResult result = transport_->read(in_.data() + had, in_.size() - had);
    in_.resize(had + (result.state == wire::Io::done ? result.bytes : 0));
    if (!took(result)) return;
    in_.erase(0, consume(in_));
    if (in_.empty()) give_back(in_);
}

void Connection::count_memory() {
    const std::size_t uploaded = state_ == State::uploading ? upload_->held() : 0;
    const std::size_t holds = in_.capacity() + (parser_ ? parser_->held() : 0) + uploaded;
    service_.unfinished_bytes += holds;
    service_.unfinished_bytes -= std::exchange(counted_, holds);
}

void Connection::count_untaken() {
    const std::size_t holds = out_.empty() ? 0 : out_.capacity();
    if (holds == counted_out_) return;
    service_.untaken_bytes += holds;
    service_.untaken_bytes -= std::exchange(counted_out_, holds);
    if (service_.untaken_bytes <= service_.options.untaken_bytes_max) return;
    if (std::exchange(service_.makes_room, true)) return;
    service_.soon([service = &service_] { make_room(*service); });
}

// Whoever has taken nothing for the longest time is ended first: who only asks and does not read must not cost those
// anything who do.
void Connection::make_room(Service& service) {
    service.makes_room = false;
    std::vector<std::pair<base::Duration, Connection*>> stalled;
    service.connections.for_each([&](Connection& connection) {
        if (!connection.out_.empty()) stalled.emplace_back(connection.blocked_since_, &connection);
    });
    std::ranges::sort(stalled, {}, [](const auto& one) { return one.first; });
    for (const auto& [since, connection] : stalled) {
        if (service.untaken_bytes <= service.options.untaken_bytes_max) return;
        connection->end();
    }
}

// Those without a token have a part of it only: however many they are, the others have theirs.
void Connection::keep_bounds() {
    count_memory();
    const std::size_t bound =
        service_.options.unfinished_bytes_max / (is_known_ ? 1 : base::limits::http_unfinished_share);
    if (!takes_input() || !parser_ || service_.unfinished_bytes <= bound) return;
    const base::Error error = base::error(base::Code::overloaded, "too many requests are under way; try again");
    if (state_ == State::uploading) return upload_->refuse(error);
    parser_.reset();
    refuse(503, error);
}

// Answers without having read the request to its end: so nothing can follow it.
void Connection::refuse(int status, const base::Error& error) {
    keep_alive_ = false;
    is_head_ = false;
    state_ = State::working;
    fail(status, error);
}

// Asks, as soon as the header is whole, whether this caller's body is worth its memory, and once more where it turns
// out to be a large one; else it is answered.
bool Connection::wants_body(std::string_view bytes) {
    const bool large = std::max(parser_->missing(), bytes.size()) > base::limits::http_body_ignored_max;
    if (!parser_->has_header() || (large ? large_wanted_ : body_wanted_)) return true;
    auto parser = std::move(parser_);
    const wire::Request& request = parser->head(bytes);
    state_ = State::working;
    keep_alive_ = false;
    is_head_ = request.method == wire::Method::head;
    cors_fields_.clear();
    if (!is_body_wanted(service_, *this, request, large, cors_fields_)) {
        ++service_.ports.metrics.http_requests;
        return false;
    }
    parser_ = std::move(parser);
    state_ = State::reading;
    large_wanted_ = large;
    return body_wanted_ = true;
}

// Handles the requests that are whole, and says how many bytes they took.
std::size_t Connection::consume(std::string_view bytes) {
    if (state_ == State::uploading) return feed_upload(bytes);
    std::size_t done = 0;
    while (state_ == State::reading && done < bytes.size() && sink().size() < output_bytes_max) {
        const bool fresh = !parser_;
        if (fresh) {
            parser_ = service_.take_parser();
            since_ = service_.tick;
            body_wanted_ = large_wanted_ = false;
        }
        const bool had_header = !fresh && parser_->has_header();
        const auto state = parser_->parse(bytes.substr(done));
        if (state == wire::RequestParser::State::need_more) {
            if (!had_header && parser_->has_header()) since_ = service_.tick;
            if (!had_header && parser_->has_header() && starts_upload(bytes.substr(done))) {
                if (state_ != State::uploading) return bytes.size();  // refused
                return done + feed_upload(bytes.substr(done));
            }
            if (!wants_body(bytes.substr(done))) return bytes.size();
            if (parser_->wants_continue()) sink() += continue_line;
            return done;
        }
        // The handler may answer at once and the next request then wants a parser of its own.
        auto parser = std::move(parser_);
        if (state == wire::RequestParser::State::failed) {
            refuse(parser->error().status, parser->error().error);
            return bytes.size();
        }
        done += parser->size();
        dispatch(parser->request());
        if (state_ == State::uploading) {  // it came as a whole
            upload_->take(parser->request().body);
            if (state_ == State::uploading) upload_->finish();
        }
        service_.give_back(std::move(parser));
    }
    const bool goes_on = state_ == State::reading || state_ == State::working || state_ == State::uploading;
    return goes_on ? done : bytes.size();
}

void Connection::dispatch(const wire::Request& request) {
    ++service_.ports.metrics.http_requests;
    state_ = State::working;
    is_head_ = request.method == wire::Method::head;
    keep_alive_ = request.keep_alive && !service_.stopping && !body_unread_;
    cors_fields_.clear();
    dispatched_at_ = service_.ports.clock.monotonic();
    handle_request(service_, *this, request, cors_fields_);
}

void Connection::respond(const Answer& answer) {
    ASSERT(state_ == State::working || state_ == State::uploading);
    const Section section(*this);
    if (std::exchange(state_, State::working) == State::uploading && parser_) {
        parser_.reset();  // what is left of its body is not read
        keep_alive_ = false;
        count_memory();
    }
    if (dispatched_at_) {
        const base::Duration took = service_.ports.clock.monotonic() - *std::exchange(dispatched_at_, std::nullopt);
        service_.ports.metrics.http.observe(static_cast<std::uint64_t>(took.us));
    }
    if (answer.status >= 500) {
        ++service_.ports.metrics.http_errors_server;
    } else if (answer.status >= 400) {
        ++service_.ports.metrics.http_errors_client;
    }
    wire::Response response;
    response.status = answer.status;
    response.content_type = answer.content_type;
    response.body = answer.body;
    response.extra_fields = answer.extra_fields;
    std::string fields;
    if (!cors_fields_.empty()) {
        fields = cors_fields_;
        fields += answer.extra_fields;
        response.extra_fields = fields;
    }
    response.date = service_.date;
    response.keep_alive = keep_alive_;
    response.omit_body = is_head_;
    wire::append_response(sink(), response);
    since_ = service_.tick;
    state_ = keep_alive_ ? State::reading : State::closing;
}

void Connection::fail(const base::Error& error, std::string_view extra_fields) {
    fail(static_cast<int>(codec::status_of(error.code)), error, extra_fields);
}

void Connection::fail(int status, const base::Error& error, std::string_view extra_fields) {
    const Problem problem = make_problem(status, error);
    const std::string fields = problem.extra_fields + std::string(extra_fields);
    respond({status, "application/problem+json", problem.body, fields});
}

void Connection::flush() {
    if (state_ == State::ended) return;
    std::string& fresh = service_.output;
    const bool owner = service_.output_owner == this;
    if (!out_.empty() && owner) {
        out_ += fresh;
        fresh.clear();
    }
    const std::string_view bytes = out_.empty() && owner ? fresh : out_;
    if (!bytes.empty() && !blocked_) {
        const wire::IoResult result = transport_->write(bytes);
        if (result.state == wire::Io::failed || result.state == wire::Io::closed) return end();
        blocked_ = result.bytes < bytes.size();
        if (result.bytes > 0 || out_.empty()) blocked_since_ = service_.tick;
        if (out_.empty()) {
            out_.assign(bytes.substr(result.bytes));
        } else {
            out_.erase(0, result.bytes);
        }
        if (out_.empty()) give_back(out_);
    }
    count_untaken();
    if (owner) give_back(fresh);
    if (state_ == State::closing && out_.empty()) linger();
}

// Closing a socket with unread bytes would take back the answer that is on its way. So the peer is told that nothing
// more comes, and has a moment to read it and to close.
void Connection::linger() {
    state_ = State::lingering;
    since_ = service_.tick;
    give_back(in_);
    count_memory();
    transport_->finish();
}

void Connection::speak_rpc(std::string head, SharedCaller caller) {
    ASSERT(state_ == State::working);
    const Section section(*this);
    flush();
    if (state_ == State::ended) return;
    head.insert(0, std::exchange(out_, {}));
    auto link = std::make_unique<RpcLink>(service_, id_, std::move(transport_), peer_, RpcFraming::websocket,
                                          std::move(caller));
    end();
    service_.rpc.put(std::move(link)).begin(std::move(head));
}

void Connection::begin_stop() {
    if (state_ == State::following) return settle(reader_->close(CloseReason::stopping));
    if (state_ == State::uploading && parser_ && !upload_->is_busy()) return stop_upload();
    const bool header_missing = state_ == State::reading && (!parser_ || !parser_->has_header());
    if (header_missing && out_.empty()) return end();
    keep_alive_ = false;
}

void Connection::time_out(const char* what) {
    const Section section(*this);
    state_ = State::working;
    keep_alive_ = false;
    is_head_ = false;
    parser_.reset();
    fail(base::error(base::Code::timeout, what));
}

void Connection::sweep(base::Duration now, bool ask_again) {
    if (!out_.empty() && now - blocked_since_ >= base::limits::http_write_time_max) return end();
    switch (state_) {
        case State::reading:
            if (!out_.empty()) return;
            if (!parser_) {
                // Whoever has shown a token may keep the connection; a place costs at least that.
                const base::Duration idle_max =
                    is_known_ ? base::limits::http_idle_max : base::limits::http_stranger_idle_max;
                if (now - since_ >= idle_max) end();
            } else if (!parser_->has_header()) {
                if (now - since_ >= base::limits::http_header_time_max) time_out("the header took too long");
            } else if (now - since_ >= base::limits::http_body_time_max) {
                time_out("the body took too long");
            }
            return;
        case State::uploading: return sweep_upload(now, ask_again);
        case State::following: return settle(reader_->sweep(now, ask_again));
        case State::lingering:
            if (now - since_ >= linger_max_) end();
            return;
        case State::working:
        case State::closing:
        case State::ended: return;
    }
}

}  // namespace belfry::net
