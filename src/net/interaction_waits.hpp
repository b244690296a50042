#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/time.hpp"
#include "model/interaction.hpp"
#include "model/log.hpp"
#include "net/exchange.hpp"
#include "ports/streams.hpp"

namespace belfry::net {

// Requests for an interaction that wait until it is answered, or for as long as they asked. The person's inbox tells of
// every answer: its news make them look again.
class InteractionWaits {
public:
    explicit InteractionWaits(Service& service) : service_(service) {}
    ~InteractionWaits();
    InteractionWaits(const InteractionWaits&) = delete;
    InteractionWaits& operator=(const InteractionWaits&) = delete;

    // `seen` is what it was a moment ago, pending; answered with what it is when it ends or `until` has come. Refused
    // where too many wait, or too many of this caller.
    void wait(const Reply& to, SharedCaller caller, const model::Interaction& seen, base::Duration until);
    void on_news(const std::vector<model::StreamId>& streams);
    // `ask_again`: whose token is not good any more waits no longer.
    void sweep(base::Duration now, bool ask_again);
    // The server stops: all are answered now, with what they have seen.
    void answer_all();

private:
    struct Waiter {
        Reply to;
        SharedCaller caller;
        model::Interaction seen;
        base::Duration until;
        std::unique_ptr<ports::Cursor> inbox;  // only names the stream
        bool asking = false;
        bool news = false;  // since it asked
    };
    using Waiters = std::map<std::uint64_t, Waiter>;
    void ask(std::uint64_t number);
    void leave(Waiters::iterator at);
    void hear(std::uint64_t number, const base::Result<model::Interaction>& result);

    Service& service_;
    std::uint64_t last_ = 0;
    Waiters waiters_;
    std::unordered_map<model::StreamId, std::vector<std::uint64_t>> by_stream_;
    std::unordered_map<std::string, std::size_t> by_principal_;  // how many of his wait
};

// The answer to a request for one.
void answer_interaction_with(const Reply& to, int status, const model::Interaction& interaction);

}  // namespace belfry::net
