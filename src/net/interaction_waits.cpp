#include "net/interaction_waits.hpp"

#include <algorithm>
#include <utility>

#include "base/limits.hpp"
#include "net/service.hpp"

namespace belfry::net {

InteractionWaits::~InteractionWaits() = default;

void answer_interaction_with(const Reply& to, int status, const model::Interaction& interaction) {
    std::string body;
    model::JsonWriter writer(body);
    model::append_interaction(writer, interaction);
    to.respond({status, "application/json", body, {}});
}

void InteractionWaits::wait(const Reply& to, SharedCaller caller, const model::Interaction& seen,
                            base::Duration until) {
    if (waiters_.size() >= base::limits::interaction_waiters_max) return answer_interaction_with(to, 200, seen);
    ports::OpenStream open;
    open.principal = model::house_principal();
    open.stream = "inbox:" + seen.user_id;
    auto inbox = service_.ports.streams.open(open);
    if (!inbox.ok()) return answer_interaction_with(to, 200, seen);
    const std::uint64_t number = ++last_;
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
    waiters_.erase(at);
    if (result.ok()) answer_interaction_with(to, 200, *result);
    else to.fail(result.error());
}

void InteractionWaits::on_news(const std::vector<model::StreamId>& streams) {
    std::vector<std::uint64_t> curious;
    for (auto& [number, waiter] : waiters_) {
        if (std::ranges::find(streams, waiter.inbox->stream()) == streams.end()) continue;
        waiter.news = true;
        if (!waiter.asking) curious.push_back(number);
    }
    for (const std::uint64_t number : curious) ask(number);
}

void InteractionWaits::sweep(base::Duration now) {
    for (auto at = waiters_.begin(); at != waiters_.end();) {
        const auto next = std::next(at);
        if (at->second.until <= now) {
            const Waiter late = std::move(at->second);
            waiters_.erase(at);
            answer_interaction_with(late.to, 200, late.seen);
        }
        at = next;
    }
}

}  // namespace belfry::net
