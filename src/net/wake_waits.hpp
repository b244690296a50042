#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/limits.hpp"
#include "base/time.hpp"
#include "model/log.hpp"
#include "model/wake.hpp"
#include "net/asker.hpp"
#include "ports/commands/wakes.hpp"
#include "ports/streams.hpp"

namespace belfry::net {

// What a worker asks for: the next job of these agents.
struct ClaimWish {
    std::vector<std::string> agents;
    std::string holder;
    base::Duration lease = base::limits::wake_lease_default;
    std::optional<std::size_t> context_messages;  // nothing: no context is wanted
};

// Requests and calls that wait for a job that they could claim, or for the end of one. The streams `agent:<user>` tell
// of every change of a job: their news make them ask again, of those who want the same one after the other, for as long
// as there is something. A claim is a command, and a job that is granted to a peer that has left would be lost until
// its lease runs out: so nothing is asked for a connection that is gone, and what it is granted all the same is given
// back.
class WakeWaits {
public:
    explicit WakeWaits(Service& service) : service_(service) {}
    ~WakeWaits();
    WakeWaits(const WakeWaits&) = delete;
    WakeWaits& operator=(const WakeWaits&) = delete;

    // Answered with a grant, or with nothing where there is none until `until`. Refused where too many wait, or too
    // many of this caller.
    void claim(std::unique_ptr<Asker> to, SharedCaller caller, ClaimWish wish, base::Duration until);
    // `seen` is what it was a moment ago, not ended; answered with what it is when it ends or `until` has come.
    void look(std::unique_ptr<Asker> to, SharedCaller caller, const model::Wake& seen, base::Duration until);
    void on_news(const std::vector<model::StreamId>& streams);
    // `ask_again`: whose token is not good any more waits no longer.
    void sweep(base::Duration now, bool ask_again);
    // The server stops: all are answered now.
    void answer_all();

private:
    struct Waiter {
        std::unique_ptr<Asker> to;
        SharedCaller caller;
        std::optional<ClaimWish> wish;    // of a claim
        std::string line;                 // of a claim: whoever has the same gets the same answer
        std::optional<model::Wake> seen;  // of a look
        base::Duration until;
        std::vector<std::unique_ptr<ports::Cursor>> streams;  // only name them; none: it has not begun to wait
        bool asking = false;
        bool news = false;  // since it asked, or one of its line did
    };
    using Waiters = std::map<std::uint64_t, Waiter>;
    std::uint64_t add(std::unique_ptr<Asker> to, SharedCaller caller, base::Duration until);
    void follow(Waiters::iterator at, const std::vector<std::string>& users);
    void ask(std::uint64_t number);
    void ask_for_grant(std::uint64_t number);
    void hear_grant(std::uint64_t number, const base::Result<ports::ClaimReply>& result);
    void hear_look(std::uint64_t number, const base::Result<model::Wake>& result);
    void wait_on(Waiters::iterator at);
    // There is nothing for anybody in this line, or there was something: then the next one asks.
    void rest_line(const std::string& line);
    void ask_next_of(const std::string& line);
    void give_back(const Waiter& waiter, const model::Wake& wake);
    void answer_empty(Waiters::iterator at);
    std::unique_ptr<Asker> leave(Waiters::iterator at);

    Service& service_;
    std::uint64_t last_ = 0;
    Waiters waiters_;
    std::unordered_map<model::StreamId, std::vector<std::uint64_t>> by_stream_;
    std::unordered_map<std::string, std::set<std::uint64_t>> by_line_;
    std::unordered_map<std::string, std::size_t> by_principal_;  // how many of his wait
};

// The answer to a request about one.
std::string wake_json(const model::Wake& wake);
void answer_wake(const Reply& to, int status, const model::Wake& wake);

}  // namespace belfry::net
