#include "net/wake_waits.hpp"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "base/wake_limits.hpp"
#include "net/guard.hpp"
#include "net/service.hpp"

namespace belfry::net {
namespace {

namespace limits = base::limits;

std::string grant_json(const ports::WakeGrant& grant) {
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
        writer.end_array().name("memory");
        model::append_assembled_memory(writer, grant.context->memory, false);
    }
    writer.end_object();
    return body;
}

// What a claim is answered with depends on who asks, and for which agents.
std::string line_of(const Caller& caller, const ClaimWish& wish) {
    std::string line = caller.principal.id;
    for (const std::string& agent : std::set<std::string>(wish.agents.begin(), wish.agents.end())) {
        line.append(1, '\0').append(agent);
    }
    return line;
}

}  // namespace

WakeWaits::~WakeWaits() = default;

std::string wake_json(const model::Wake& wake) {
    std::string body;
    model::JsonWriter writer(body);
    model::append_wake(writer, wake);
    return body;
}

void answer_wake(const Reply& to, int status, const model::Wake& wake) {
    to.respond({status, "application/json", wake_json(wake), {}});
}

// 0: it was refused, and that is answered.
std::uint64_t WakeWaits::add(std::unique_ptr<Asker> to, SharedCaller caller, base::Duration until) {
    std::size_t& waiting = by_principal_[caller->principal.id];
    const bool is_full = waiters_.size() >= limits::wake_waiters_max;
    if (is_full || waiting >= limits::wake_waiters_per_principal_max) {
        if (waiting == 0) by_principal_.erase(caller->principal.id);
        to->fail(is_full ? base::error(base::Code::overloaded, "too many wait for a job; try again")
                         : base::error(base::Code::rate_limited,
                                       std::to_string(limits::wake_waiters_per_principal_max) +
                                           " of your requests wait for a job already, as many as may"));
        return 0;
    }
    ++waiting;
    waiters_.emplace(++last_, Waiter{std::move(to), std::move(caller), {}, {}, {}, until, {}});
    return last_;
}

void WakeWaits::claim(std::unique_ptr<Asker> to, SharedCaller caller, ClaimWish wish, base::Duration until) {
    const std::uint64_t number = add(std::move(to), std::move(caller), until);
    if (number == 0) return;
    Waiter& waiter = waiters_.at(number);
    waiter.line = line_of(*waiter.caller, wish);
    waiter.wish = std::move(wish);
    by_line_[waiter.line].insert(number);
    ask(number);
}

void WakeWaits::look(std::unique_ptr<Asker> to, SharedCaller caller, const model::Wake& seen, base::Duration until) {
    if (service_.stopping) return to->answer(wake_json(seen));
    const std::uint64_t number = add(std::move(to), std::move(caller), until);
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
    // A worker that was killed leaves a connection that says nothing more. What it is granted would be lost until its
    // lease runs out, so it is granted nothing.
    if (waiter.to->has_left()) {
        const std::string line = waiter.line;
        answer_empty(at);
        return ask_next_of(line);
    }
    auto command = std::make_unique<ports::ClaimWake>();
    command->agents = waiter.wish->agents;
    command->holder = waiter.wish->holder;
    command->lease = waiter.wish->lease;
    command->context_messages = waiter.wish->context_messages;
    command->principal = waiter.caller->principal;
    command->producer = waiter.to->connection();
    command->bytes = sizeof(ports::ClaimWake);
    for (const std::string& agent : command->agents) command->bytes += agent.size();
    command->done = [service = &service_, number](const base::Result<ports::ClaimReply>& result) {
        service->wake_waits->hear_grant(number, result);
    };
    ports::AnyCommand any = std::move(command);
    if (auto taken = service_.ports.gateway.submit(any); !taken.ok()) {
        const std::string line = waiter.line;
        leave(at)->fail(taken.error());
        ask_next_of(line);
    }
}

// Whoever waited there.
std::unique_ptr<Asker> WakeWaits::leave(Waiters::iterator at) {
    for (const auto& stream : at->second.streams) {
        const auto found = by_stream_.find(stream->stream());
        std::erase(found->second, at->first);
        if (found->second.empty()) by_stream_.erase(found);
    }
    if (const auto line = by_line_.find(at->second.line); line != by_line_.end()) {
        line->second.erase(at->first);
        if (line->second.empty()) by_line_.erase(line);
    }
    const auto principal = by_principal_.find(at->second.caller->principal.id);
    if (--principal->second == 0) by_principal_.erase(principal);
    auto to = std::move(at->second.to);
    waiters_.erase(at);
    return to;
}

// There is nothing for it now: it waits, unless its time is over.
void WakeWaits::wait_on(Waiters::iterator at) {
    Waiter& waiter = at->second;
    waiter.asking = false;
    if (service_.stopping || waiter.until <= service_.ports.clock.monotonic()) {
        const std::string line = waiter.news ? waiter.line : std::string();
        answer_empty(at);
        return ask_next_of(line);
    }
    if (waiter.news) return ask(at->first);
    if (waiter.wish) rest_line(waiter.line);
}

void WakeWaits::rest_line(const std::string& line) {
    for (const std::uint64_t number : by_line_.at(line)) {
        Waiter& waiter = waiters_.at(number);
        if (!waiter.asking) waiter.news = false;
    }
}

void WakeWaits::ask_next_of(const std::string& line) {
    const auto found = by_line_.find(line);
    if (found == by_line_.end()) return;
    for (const std::uint64_t number : found->second) {
        const Waiter& waiter = waiters_.at(number);
        if (waiter.news && !waiter.asking) return ask(number);
    }
}

// Whoever was to have it does not hear of it: it is the next one's.
void WakeWaits::give_back(const Waiter& waiter, const model::Wake& wake) {
    auto command = std::make_unique<ports::EndWake>();
    command->id = wake.id;
    command->fence = wake.fence;
    command->release = true;
    command->principal = waiter.caller->principal;
    command->lane = ports::Lane::control;
    command->bytes = sizeof(ports::EndWake);
    ports::AnyCommand any = std::move(command);
    (void)service_.ports.gateway.submit(any);  // who is not heard now is lost when the lease runs out
}

void WakeWaits::hear_grant(std::uint64_t number, const base::Result<ports::ClaimReply>& result) {
    const auto at = waiters_.find(number);
    if (at == waiters_.end()) return;
    if (!result.ok() || result->grant) {
        const std::string line = at->second.line;
        const bool may_have_it = is_admitted(service_, *at->second.caller);
        const bool is_given_back = result.ok() && (at->second.to->has_left() || !may_have_it);
        if (is_given_back) give_back(at->second, result->grant->wake);
        const auto to = leave(at);
        if (!result.ok()) to->fail(result.error());
        else if (!may_have_it) to->fail(not_admitted());
        else if (!is_given_back) to->answer(grant_json(*result->grant));
        else to->answer_nothing();
        return ask_next_of(line);
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
    if (!result.ok() || model::is_ended(result->state)) {
        const auto to = leave(at);
        return result.ok() ? to->answer(wake_json(*result)) : to->fail(result.error());
    }
    at->second.seen = *result;
    wait_on(at);
}

void WakeWaits::on_news(const std::vector<model::StreamId>& streams) {
    std::set<std::uint64_t> heard;
    std::set<std::string> asking;  // lines of which one asks
    for (const model::StreamId stream : streams) {
        const auto found = by_stream_.find(stream);
        if (found != by_stream_.end()) heard.insert(found->second.begin(), found->second.end());
    }
    for (const std::uint64_t number : heard) {
        Waiter& waiter = waiters_.at(number);
        waiter.news = true;
        if (waiter.asking) asking.insert(waiter.line);
    }
    for (const std::uint64_t number : heard) {
        const auto at = waiters_.find(number);
        if (at == waiters_.end() || at->second.asking) continue;
        if (!at->second.wish || asking.insert(at->second.line).second) ask(number);
    }
}

void WakeWaits::answer_empty(Waiters::iterator at) {
    const std::optional<model::Wake> seen = std::move(at->second.seen);
    const auto to = leave(at);
    if (seen) to->answer(wake_json(*seen));
    else to->answer_nothing();
}

void WakeWaits::answer_all() {
    sweep(base::Duration{std::numeric_limits<std::int64_t>::max()}, false);
}

// A claim that is under way is answered when it is known what came of it: what it was granted must not be lost. Whoever
// is answered may ask for the next at once, and others may leave with that.
void WakeWaits::sweep(base::Duration now, bool ask_again) {
    std::vector<std::uint64_t> numbers;
    for (const auto& [number, waiter] : waiters_) {
        if (!waiter.asking) numbers.push_back(number);
    }
    for (const std::uint64_t number : numbers) {
        const auto at = waiters_.find(number);
        if (at == waiters_.end() || at->second.asking) continue;
        const Waiter& waiter = at->second;
        if (ask_again && !is_admitted(service_, *waiter.caller)) leave(at)->fail(not_admitted());
        else if (waiter.until <= now || waiter.to->has_left()) answer_empty(at);
        else if (waiter.streams.empty()) ask(number);  // no stream tells it
    }
}

}  // namespace belfry::net
