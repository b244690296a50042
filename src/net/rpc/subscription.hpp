#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "net/connections.hpp"
#include "net/stream_place.hpp"
#include "net/tickets.hpp"
#include "ports/streams.hpp"

namespace belfry::net {

struct Service;

// A stream that a connection of JSON-RPC follows: a place in it, and how its entries are told. Nothing is queued for
// it; where the connection has room it reads on.
class RpcSubscription {
public:
    // `topic` is `run`, `inbox` or `session`: entries come as `run/event`, its end as `run/closed`. `caller` is who
    // opened it. `farewell` is called when it ends, however it ends.
    RpcSubscription(Service& service, std::string topic, SharedCaller caller, StreamPlace place,
                    std::function<void()> farewell = nullptr);
    ~RpcSubscription();
    RpcSubscription(const RpcSubscription&) = delete;
    RpcSubscription& operator=(const RpcSubscription&) = delete;

    // It belongs to this connection under this number from now on, and hears of news.
    void begin(ConnectionId link, std::uint64_t number);

    enum class Outcome : std::uint8_t { idle, more, ended };
    using Tell = std::function<void(std::string_view method, std::string_view params)>;
    // Tells the next entries. `more`: there may be more at once; `ended`: that was the last one, its end was told.
    Outcome serve(const Tell& tell);
    void after_fetch() { fetching_ = false; }
    // What was asked for, and will be told without anything new.
    [[nodiscard]] bool is_under_way() const { return fetching_ || ask_ != nullptr; }

    // Something is told before the stream, in portions: `ask` is called for the next one where there is room, and the
    // stream waits until the last.
    using Ask = std::function<void(ConnectionId link, std::uint64_t number)>;
    void begin_snapshot(Ask ask) {
        ask_ = std::move(ask);
        asking_ = true;  // the first portion is there
    }
    void ask_again() { asking_ = false; }
    void end_snapshot() { ask_ = nullptr; }
    // `{"subscription":7,"reason":"ended"}` as `run/closed`.
    void tell_closed(const Tell& tell, CloseReason reason) const;
    // `{"subscription":7,"state":"down"}` as `run/store`, where it is a run's and that is news.
    void tell_store(const Tell& tell, bool is_down);
    [[nodiscard]] const SharedCaller& caller() const { return caller_; }
    // What is told before the stream itself, as entries without a place in it.
    void tell_event(const Tell& tell, model::Sequence sequence, std::string_view body) const;

private:
    void fetch();

    Service& service_;
    std::string topic_;
    std::string event_method_;
    SharedCaller caller_;
    StreamPlace place_;
    std::function<void()> farewell_;
    ConnectionId link_ = 0;
    std::uint64_t number_ = 0;
    bool fetching_ = false;
    Ask ask_;
    bool asking_ = false;  // a portion is on its way
    ports::StreamBatch batch_;
};

}  // namespace belfry::net
