#include "net/tickets.hpp"

#include <algorithm>
#include <utility>

#include "base/hash.hpp"
#include "base/limits.hpp"

namespace belfry::net {
namespace {
constexpr std::size_t key_bytes = 6;  // 8 characters
constexpr std::size_t key_chars = 8;
constexpr std::size_t secret_bytes = 24;
}  // namespace

void Tickets::expire(base::Duration now) {
    while (!tickets_.empty() && tickets_.front().expires <= now) tickets_.pop_front();
}

base::Result<std::string> Tickets::issue(SharedCaller caller, base::Duration now) {
    expire(now);
    if (tickets_.size() >= base::limits::tickets_max) {
        return base::error(base::Code::overloaded, "too many tickets are open; use those or wait until they expire");
    }
    const auto own = std::count_if(tickets_.begin(), tickets_.end(), [&caller](const Ticket& open) {
        return open.caller->principal.id == caller->principal.id;
    });
    if (static_cast<std::size_t>(own) >= base::limits::tickets_per_principal_max) {
        return base::error(base::Code::rate_limited, "too many of your tickets are open; use those or let them expire");
    }
    Ticket ticket;
    ticket.key = base::base64url(random_.bytes(key_bytes));
    ticket.secret = base::base64url(random_.bytes(secret_bytes));
    ticket.expires = now + life_;
    ticket.caller = std::move(caller);
    std::string text = ticket.key + ticket.secret;
    tickets_.push_back(std::move(ticket));
    return text;
}

SharedCaller Tickets::redeem(std::string_view text, base::Duration now) {
    expire(now);
    if (text.size() <= key_chars) return nullptr;
    const std::string_view key = text.substr(0, key_chars);
    const auto found = std::find_if(tickets_.begin(), tickets_.end(), [key](const Ticket& t) { return t.key == key; });
    if (found == tickets_.end()) return nullptr;
    if (!base::equal_in_constant_time(found->secret, text.substr(key_chars))) return nullptr;
    SharedCaller caller = std::move(found->caller);
    tickets_.erase(found);
    return caller;
}

}  // namespace belfry::net
