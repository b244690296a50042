#include <algorithm>
#include <utility>

#include "base/limits.hpp"
#include "net/guard.hpp"
#include "net/rpc/link_section.hpp"
#include "net/service.hpp"

// What a link follows.
namespace belfry::net {
namespace {
namespace limits = base::limits;
constexpr std::size_t fair_bytes = 1 << 20;  // of streams to one peer before the others have their turn
}  // namespace

void RpcLink::close_subscriptions(CloseReason reason) {
    while (!subscriptions_.empty()) end_subscription(subscriptions_.begin()->first, reason);
}

std::uint64_t RpcLink::subscribe(std::unique_ptr<RpcSubscription> subscription) {
    if (subscriptions_.size() >= limits::rpc_subscriptions_max) return 0;
    const std::uint64_t number = ++last_subscription_;
    subscription->begin(id_, number);
    subscriptions_.emplace(number, std::move(subscription));
    return number;
}

bool RpcLink::unsubscribe(std::uint64_t number) {
    return subscriptions_.erase(number) > 0;
}

void RpcLink::after_fetch(std::uint64_t number, bool ok) {
    const auto at = subscriptions_.find(number);
    if (at == subscriptions_.end()) return;
    const Section section(*this);
    at->second->after_fetch();
    if (ok) return serve();
    end_subscription(number, CloseReason::store);
}

RpcSubscription* RpcLink::subscription(std::uint64_t number) const {
    const auto at = subscriptions_.find(number);
    return at == subscriptions_.end() ? nullptr : at->second.get();
}

void RpcLink::end_subscription(std::uint64_t number, CloseReason reason) {
    const auto at = subscriptions_.find(number);
    if (at == subscriptions_.end()) return;
    at->second->tell_closed([this](std::string_view method, std::string_view params) { tell(method, params); }, reason);
    subscriptions_.erase(at);
}

// Each in its turn, a portion at a time, while there is room.
void RpcLink::serve() {
    if (state_ != State::open) return;
    const Section section(*this);
    std::size_t share = 0;
    bool any = true;
    while (any && state_ == State::open && share < fair_bytes) {
        any = false;
        for (auto at = subscriptions_.begin(); at != subscriptions_.end();) {
            if (out_.size() >= limits::rpc_output_bytes_max) flush();
            if (state_ != State::open || out_.size() >= limits::rpc_output_bytes_max) return;
            const std::size_t before = out_.size();
            const auto outcome =
                at->second->serve([this](std::string_view method, std::string_view params) { tell(method, params); });
            share += out_.size() - std::min(before, out_.size());
            any = any || outcome == RpcSubscription::Outcome::more;
            at = outcome == RpcSubscription::Outcome::ended ? subscriptions_.erase(at) : std::next(at);
        }
    }
    if (any && !std::exchange(again_, true)) {
        service_.soon([service = &service_, id = id_] {
            RpcLink* const link = service->rpc.find(id);
            if (link == nullptr) return;
            link->again_ = false;
            link->serve();
        });
    }
}

// Each was opened by somebody, who need not be the one that speaks now.
void RpcLink::sweep_subscriptions(bool ask_again) {
    if (subscriptions_.empty()) return;
    const Section section(*this);
    const bool is_down = service_.ports.queries.readiness() == ports::Readiness::store_down;
    for (auto at = subscriptions_.begin(); at != subscriptions_.end();) {
        const auto& [number, subscription] = *at++;  // it may end
        subscription->tell_store([this](std::string_view method, std::string_view params) { tell(method, params); },
                                 is_down);
        if (ask_again && !is_admitted(service_, *subscription->caller())) {
            end_subscription(number, CloseReason::revoked);
        }
    }
}

}  // namespace belfry::net
