#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/time.hpp"
#include "base/tool_limits.hpp"
#include "model/log.hpp"
#include "net/asker.hpp"
#include "ports/commands/outside_calls.hpp"
#include "ports/streams.hpp"

namespace belfry::net {

// What a worker asks for: the next call of these tools.
struct OutsideClaimWish {
    std::vector<std::string> tools;
    std::string holder;
    base::Duration lease = base::limits::tool_lease_default;
};

// Requests that wait for a call of a tool that they could claim. The streams `tool:<name>` tell of every call that
// waits for a worker: their news make those who wait ask again, of those who want the same one after the other, for as
// long as there is something. Nothing is asked for a connection that is gone, and what it is granted all the same is
// given back.
class OutsideCallWaits {
public:
    explicit OutsideCallWaits(Service& service) : service_(service) {}
    ~OutsideCallWaits();
    OutsideCallWaits(const OutsideCallWaits&) = delete;
    OutsideCallWaits& operator=(const OutsideCallWaits&) = delete;

    // Answered with a call, or with nothing where there is none until `until`. Refused where too many wait, or too many
    // of this caller.
    void claim(std::unique_ptr<Asker> to, SharedCaller caller, OutsideClaimWish wish, base::Duration until);
    void on_news(const std::vector<model::StreamId>& streams);
    // `ask_again`: whose token is not good any more waits no longer.
    void sweep(base::Duration now, bool ask_again);
    // The server stops: all are answered now.
    void answer_all();

private:
    struct Waiter {
        std::unique_ptr<Asker> to;
        SharedCaller caller;
        OutsideClaimWish wish;
        std::string line;  // whoever has the same gets the same answer
        base::Duration until;
        std::vector<std::unique_ptr<ports::Cursor>> streams;  // only name them; none: it has not begun to wait
        bool asking = false;
        bool news = false;  // since it asked, or one of its line did
    };
    using Waiters = std::map<std::uint64_t, Waiter>;
    void follow(Waiters::iterator at);
    void ask(std::uint64_t number);
    void hear(std::uint64_t number, const base::Result<ports::ClaimedOutsideCall>& result);
    void wait_on(Waiters::iterator at);
    void ask_next_of(const std::string& line);
    void give_back(const Waiter& waiter, const model::OutsideCall& call);
    std::unique_ptr<Asker> leave(Waiters::iterator at);

    Service& service_;
    std::uint64_t last_ = 0;
    Waiters waiters_;
    std::unordered_map<model::StreamId, std::vector<std::uint64_t>> by_stream_;
    std::unordered_map<std::string, std::set<std::uint64_t>> by_line_;
    std::unordered_map<std::string, std::size_t> by_principal_;  // how many of his wait
};

// The answer to a request about one.
std::string outside_call_json(const model::OutsideCall& call);

}  // namespace belfry::net
