#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "base/time.hpp"
#include "model/principal.hpp"
#include "ports/random.hpp"

namespace belfry::net {

// Who a connection speaks for, and by what he proved it, so that it can be asked again later.
struct Caller {
    model::Principal principal;
    std::string token;  // the bearer token's text; empty for a peer of the Unix socket
};
using SharedCaller = std::shared_ptr<const Caller>;

// One-time admissions for what cannot send a header. In memory only: a restart ends them all.
class Tickets {
public:
    Tickets(ports::Random& random, base::Duration life) : random_(random), life_(life) {}

    // A ticket's text. `overloaded` while too many are open, `rate_limited` while too many of this principal are.
    base::Result<std::string> issue(SharedCaller caller, base::Duration now);
    // Whose it is; it is spent with that. Nothing for a ticket that is unknown, spent or expired.
    SharedCaller redeem(std::string_view text, base::Duration now);
    [[nodiscard]] std::size_t open() const { return tickets_.size(); }

private:
    struct Ticket {
        std::string key;  // finds it; no secret
        std::string secret;
        base::Duration expires;
        SharedCaller caller;
    };
    void expire(base::Duration now);

    ports::Random& random_;
    base::Duration life_;
    std::deque<Ticket> tickets_;  // in the order of their expiry
};

}  // namespace belfry::net
