#include "net/interaction_waits.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/limits.hpp"
#include "net/guard.hpp"
#include "net/service.hpp"

namespace belfry::net {
namespace {
constexpr std::size_t waiters_per_principal_max = base::limits::interaction_waiters_max / 4;
}

InteractionWaits::~InteractionWaits() = default;

void answer_interaction_with(const Reply& to, int status, const model::Interaction& interaction) {
    std::string body;
    model::JsonWriter writer(body);
    model::append_interaction(writer, interaction);
    to.respond({status, "application/json", body, {}});
}

void InteractionWaits::wait(const Reply& to, SharedCaller caller, const model::Interaction& seen,
                            base::Duration until) {
    if (service_.stopping) return answer_interaction_with(to, 200, seen);
    if (waiters_.size() >= base::limits::interaction_waiters_max) {
        return to.fail(base::error(base::Code::overloaded, "too many wait for an answer; try again"));
    }
    const std::string& principal = caller->principal.id;
    const auto waiting = by_principal_.find(principal);
    if (waiting != by_principal_.end() && waiting->second >= waiters_per_principal_max) {
        return to.fail(base::error(base::Code::rate_limited, "too many of your requests wait for an answer"));
    }
    ports::OpenStream open;
    open.principal = model::house_principal();
    open.stream = "inbox:" + seen.user_id;
    auto inbox = service_.ports.streams.open(open);
    if (!inbox.ok()) return answer_interaction_with(to, 200, seen);
    const std::uint64_t number = ++last_;
    by_stream_[(*inbox)->stream()].push_back(number);
    ++by_principal_[principal];
    waiters_.emplace(number, Waiter{to, std::move(caller), seen, until, std::move(inbox).value()});
    ask(number);  // it may have been answered since it was seen
}

void InteractionWaits::ask(std::uint64_t number) {
    Waiter& waiter = waiters_.at(number);
    waiter.asking = true;
    waiter.news = false;
    service_.ports.queries.interaction(waiter.caller->principal, waiter.seen.id,
                                       [service = &service_, number](const base::Result<model::Interaction>& result) {
                                           service->interaction_waits->hear(number, result);
                                       });
}

void InteractionWaits::leave(Waiters::iterator at) {
    const auto stream = by_stream_.find(at->second.inbox->stream());
    std::erase(stream->second, at->first);
    if (stream->second.empty()) by_stream_.erase(stream);
    const auto principal = by_principal_.find(at->second.caller->principal.id);
    if (--principal->second == 0) by_principal_.erase(principal);
    waiters_.erase(at);
}

void InteractionWaits::hear(std::uint64_t number, const base::Result<model::Interaction>& result) {
    const auto at = waiters_.find(number);
    if (at == waiters_.end()) return;
    Waiter& waiter = at->second;
    waiter.asking = false;
    if (result.ok() && result->state == model::InteractionState::pending) {
        if (waiter.news) ask(number);
        return;
    }
    const Reply to = waiter.to;
    leave(at);
    if (result.ok()) answer_interaction_with(to, 200, *result);
    else to.fail(result.error());
}

void InteractionWaits::on_news(const std::vector<model::StreamId>& streams) {
    std::vector<std::uint64_t> curious;
    for (const model::StreamId stream : streams) {
        const auto found = by_stream_.find(stream);
        if (found == by_stream_.end()) continue;
        for (const std::uint64_t number : found->second) {
            Waiter& waiter = waiters_.at(number);
            waiter.news = true;
            if (!waiter.asking) curious.push_back(number);
            waiter.asking = true;  // the same stream may be told of twice
        }
    }
    for (const std::uint64_t number : curious) ask(number);
}

void InteractionWaits::answer_all() {
    sweep(base::Duration{std::numeric_limits<std::int64_t>::max()}, false);
}

void InteractionWaits::sweep(base::Duration now, bool ask_again) {
    for (auto at = waiters_.begin(); at != waiters_.end();) {
        const auto next = std::next(at);
        const bool is_gone = at->second.to.connection() == nullptr;
        if (ask_again && !is_admitted(service_, *at->second.caller)) {
            const Reply to = at->second.to;
            leave(at);
            to.fail(not_admitted());
        } else if (is_gone || at->second.until <= now) {
            const Reply to = at->second.to;
            const model::Interaction seen = std::move(at->second.seen);
            leave(at);
            if (!is_gone) answer_interaction_with(to, 200, seen);
        }
        at = next;
    }
}

}  // namespace belfry::net
