#include "net/wake_waits.hpp"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "base/wake_limits.hpp"
#include "net/service.hpp"

namespace belfry::net {
namespace {

namespace limits = base::limits;

void answer_grant(const Reply& to, const ports::WakeGrant& grant) {
    std::string body;
    model::JsonWriter writer(body);
    writer.begin_object().name("wake");
    model::append_wake(writer, grant.wake);
    writer.name("agent");
    model::append_agent(writer, grant.agent);
    writer.name("signals").begin_array();
    for (const model::WakeSignal& signal : grant.signals) model::append_wake_signal(writer, signal);
    writer.end_array();
    if (grant.context) {
        writer.name("messages").begin_array();
        for (const model::AgentMessage& message : grant.context->messages) model::append_agent_message(writer, message);
        writer.end_array().name("plans").begin_array();
        for (const model::PlanNow& plan : grant.context->plans) model::append_plan(writer, plan);
        writer.end_array();
    }
    writer.end_object();
    to.respond({200, "application/json", body, {}});
}

// A worker that was killed leaves a connection that says nothing more. What it is granted would be lost until its lease
// runs out, so it is granted nothing.
bool has_left(const Reply& to) {
    const Connection* const connection = to.connection();
    return connection == nullptr || connection->has_peer_closed();
}

}  // namespace

WakeWaits::~WakeWaits() = default;

void answer_wake(const Reply& to, int status, const model::Wake& wake) {
    std::string body;
    model::JsonWriter writer(body);
    model::append_wake(writer, wake);
    to.respond({status, "application/json", body, {}});
}

// 0: it was refused, and that is answered.
std::uint64_t WakeWaits::add(const Reply& to, SharedCaller caller, base::Duration until) {
    std::size_t& waiting = by_principal_[caller->principal.id];
    const bool is_full = waiters_.size() >= limits::wake_waiters_max;
    if (is_full || waiting >= limits::wake_waiters_per_principal_max) {
        if (waiting == 0) by_principal_.erase(caller->principal.id);
        to.fail(is_full ? base::error(base::Code::overloaded, "too many wait for a job; try again")
                        : base::error(base::Code::rate_limited, "too many of your requests wait for a job"));
        return 0;
    }
    ++waiting;
    waiters_.emplace(++last_, Waiter{to, std::move(caller), {}, {}, until, {}});
    return last_;
}

void WakeWaits::claim(const Reply& to, SharedCaller caller, ClaimWish wish, base::Duration until) {
    const std::uint64_t number = add(to, std::move(caller), until);
    if (number == 0) return;
    waiters_.at(number).wish = std::move(wish);
    ask(number);
}

void WakeWaits::look(const Reply& to, SharedCaller caller, const model::Wake& seen, base::Duration until) {
    if (service_.stopping) return answer_wake(to, 200, seen);
    const std::uint64_t number = add(to, std::move(caller), until);
    if (number == 0) return;
    const auto at = waiters_.find(number);
    at->second.seen = seen;
    follow(at, {seen.user_id});
    ask(number);  // it may have ended since it was seen
}

void WakeWaits::follow(Waiters::iterator at, const std::vector<std::string>& users) {
    for (const std::string& user : std::set<std::string>(users.begin(), users.end())) {
        ports::OpenStream open;
        open.principal = model::house_principal();
        open.stream = "agent:" + user;
        auto stream = service_.ports.streams.open(open);
        if (!stream.ok()) continue;  // it is looked at again with the next sweep
        by_stream_[(*stream)->stream()].push_back(at->first);
        at->second.streams.push_back(std::move(*stream));
    }
}

void WakeWaits::ask(std::uint64_t number) {
    Waiter& waiter = waiters_.at(number);
    waiter.asking = true;
    waiter.news = false;
    if (waiter.wish) return ask_for_grant(number);
    service_.ports.queries.wake(waiter.caller->principal, waiter.seen->id,
                                [service = &service_, number](const base::Result<model::Wake>& result) {
                                    service->wake_waits->hear_look(number, result);
                                });
}

void WakeWaits::ask_for_grant(std::uint64_t number) {
    const auto at = waiters_.find(number);
    const Waiter& waiter = at->second;
    if (has_left(waiter.to)) return answer_empty(at);
    auto command = std::make_unique<ports::ClaimWake>();
    command->agents = waiter.wish->agents;
    command->holder = waiter.wish->holder;
    command->lease = waiter.wish->lease;
    command->context_messages = waiter.wish->context_messages;
    command->principal = waiter.caller->principal;
    command->producer = waiter.to.connection()->id();
    command->bytes = sizeof(ports::ClaimWake);
    for (const std::string& agent : command->agents) command->bytes += agent.size();
    command->done = [service = &service_, number](const base::Result<ports::ClaimReply>& result) {
        service->wake_waits->hear_grant(number, result);
    };
    ports::AnyCommand any = std::move(command);
    if (auto taken = service_.ports.gateway.submit(any); !taken.ok()) {
        const Reply to = waiter.to;
        leave(at);
        to.fail(taken.error());
    }
}

void WakeWaits::leave(Waiters::iterator at) {
    for (const auto& stream : at->second.streams) {
        const auto found = by_stream_.find(stream->stream());
        std::erase(found->second, at->first);
        if (found->second.empty()) by_stream_.erase(found);
    }
    const auto principal = by_principal_.find(at->second.caller->principal.id);
    if (--principal->second == 0) by_principal_.erase(principal);
    waiters_.erase(at);
}

// There is nothing for it now: it waits, unless its time is over.
void WakeWaits::wait_on(Waiters::iterator at) {
    Waiter& waiter = at->second;
    waiter.asking = false;
    if (service_.stopping || waiter.until <= service_.ports.clock.monotonic()) return answer_empty(at);
    if (waiter.news) ask(at->first);
}

void WakeWaits::hear_grant(std::uint64_t number, const base::Result<ports::ClaimReply>& result) {
    const auto at = waiters_.find(number);
    if (at == waiters_.end()) return;
    const Reply to = at->second.to;
    if (!result.ok() || result->grant) {
        leave(at);
        return result.ok() ? answer_grant(to, *result->grant) : to.fail(result.error());
    }
    if (at->second.streams.empty()) {
        follow(at, result->users);
        at->second.news = !at->second.streams.empty();  // a job may have come before anybody listened
    }
    wait_on(at);
}

void WakeWaits::hear_look(std::uint64_t number, const base::Result<model::Wake>& result) {
    const auto at = waiters_.find(number);
    if (at == waiters_.end()) return;
    const Reply to = at->second.to;
    if (!result.ok() || model::is_ended(result->state)) {
        leave(at);
        return result.ok() ? answer_wake(to, 200, *result) : to.fail(result.error());
    }
    at->second.seen = *result;
    wait_on(at);
}

void WakeWaits::on_news(const std::vector<model::StreamId>& streams) {
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

void WakeWaits::answer_empty(Waiters::iterator at) {
    const Reply to = at->second.to;
    const std::optional<model::Wake> seen = std::move(at->second.seen);
    leave(at);
    if (seen) answer_wake(to, 200, *seen);
    else to.respond({204, "", "", {}});
}

void WakeWaits::answer_all() {
    sweep(base::Duration{std::numeric_limits<std::int64_t>::max()});
}

// A claim that is under way is answered when it is known what came of it: what it was granted must not be lost.
void WakeWaits::sweep(base::Duration now) {
    std::vector<std::uint64_t> unheard;  // that have no stream to tell them
    for (auto at = waiters_.begin(); at != waiters_.end();) {
        const auto next = std::next(at);
        const Waiter& waiter = at->second;
        const bool is_over = waiter.until <= now || has_left(waiter.to);
        if (waiter.to.connection() == nullptr) leave(at);
        else if (!waiter.asking && is_over) answer_empty(at);
        else if (!waiter.asking && waiter.streams.empty()) unheard.push_back(at->first);
        at = next;
    }
    for (const std::uint64_t number : unheard) ask(number);
}

}  // namespace belfry::net
