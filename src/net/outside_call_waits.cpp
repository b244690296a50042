#include "net/outside_call_waits.hpp"

#include <limits>
#include <utility>

#include "net/guard.hpp"
#include "net/service.hpp"

namespace belfry::net {
namespace {

namespace limits = base::limits;

// What a claim is answered with depends on who asks, and for which tools.
std::string line_of(const Caller& caller, const OutsideClaimWish& wish) {
    std::string line = caller.principal.id;
    for (const std::string& tool : std::set<std::string>(wish.tools.begin(), wish.tools.end())) {
        line.append(1, '\0').append(tool);
    }
    return line;
}

}  // namespace

OutsideCallWaits::~OutsideCallWaits() = default;

std::string outside_call_json(const model::OutsideCall& call) {
    std::string body;
    model::JsonWriter writer(body);
    model::append_outside_call(writer, call);
    return body;
}

void OutsideCallWaits::claim(std::unique_ptr<Asker> to, SharedCaller caller, OutsideClaimWish wish,
                             base::Duration until) {
    const std::size_t waiting = by_principal_.contains(caller->principal.id) ? by_principal_[caller->principal.id] : 0;
    if (waiters_.size() >= limits::tool_waiters_max) {
        return to->fail(base::error(base::Code::overloaded, "too many wait for a call; try again"));
    }
    if (waiting >= limits::tool_waiters_per_principal_max) {
        return to->fail(
            base::error(base::Code::rate_limited, std::to_string(limits::tool_waiters_per_principal_max) +
                                                      " of your requests wait for a call already, as many as may"));
    }
    ++by_principal_[caller->principal.id];
    std::string line = line_of(*caller, wish);
    by_line_[line].insert(++last_);
    waiters_.emplace(last_, Waiter{std::move(to), std::move(caller), std::move(wish), std::move(line), until, {}});
    ask(last_);
}

void OutsideCallWaits::follow(Waiters::iterator at) {
    for (const std::string& tool : std::set<std::string>(at->second.wish.tools.begin(), at->second.wish.tools.end())) {
        ports::OpenStream open;
        open.principal = model::house_principal();
        open.stream = "tool:" + tool;
        auto stream = service_.ports.streams.open(open);
        if (!stream.ok()) continue;  // it is looked at again with the next sweep
        by_stream_[(*stream)->stream()].push_back(at->first);
        at->second.streams.push_back(std::move(*stream));
    }
}

void OutsideCallWaits::ask(std::uint64_t number) {
    const auto at = waiters_.find(number);
    Waiter& waiter = at->second;
    const std::string line = waiter.line;
    // A worker that was killed leaves a connection that says nothing more. What it is granted would be lost until its
    // lease runs out, so it is granted nothing.
    if (waiter.to->has_left()) {
        leave(at)->answer_nothing();
        return ask_next_of(line);
    }
    waiter.asking = true;
    waiter.news = false;
    auto command = std::make_unique<ports::ClaimOutsideCall>();
    command->tools = waiter.wish.tools;
    command->holder = waiter.wish.holder;
    command->lease = waiter.wish.lease;
    command->principal = waiter.caller->principal;
    command->producer = waiter.to->connection();
    command->bytes = sizeof(ports::ClaimOutsideCall);
    for (const std::string& tool : command->tools) command->bytes += tool.size();
    command->done = [service = &service_, number](const base::Result<ports::ClaimedOutsideCall>& result) {
        service->outside_call_waits->hear(number, result);
    };
    ports::AnyCommand any = std::move(command);
    if (auto taken = service_.ports.gateway.submit(any); !taken.ok()) {
        leave(at)->fail(taken.error());
        ask_next_of(line);
    }
}

// Whoever waited there.
std::unique_ptr<Asker> OutsideCallWaits::leave(Waiters::iterator at) {
    for (const auto& stream : at->second.streams) {
        const auto found = by_stream_.find(stream->stream());
        std::erase(found->second, at->first);
        if (found->second.empty()) by_stream_.erase(found);
    }
    const auto line = by_line_.find(at->second.line);
    line->second.erase(at->first);
    if (line->second.empty()) by_line_.erase(line);
    const auto principal = by_principal_.find(at->second.caller->principal.id);
    if (--principal->second == 0) by_principal_.erase(principal);
    auto to = std::move(at->second.to);
    waiters_.erase(at);
    return to;
}

// There is nothing for it now: it waits, unless its time is over. Nor is there for anybody else in its line.
void OutsideCallWaits::wait_on(Waiters::iterator at) {
    Waiter& waiter = at->second;
    waiter.asking = false;
    if (service_.stopping || waiter.until <= service_.ports.clock.monotonic()) {
        const std::string line = waiter.news ? waiter.line : std::string();
        leave(at)->answer_nothing();
        return ask_next_of(line);
    }
    if (waiter.news) return ask(at->first);
    for (const std::uint64_t number : by_line_.at(waiter.line)) {
        Waiter& other = waiters_.at(number);
        if (!other.asking) other.news = false;
    }
}

void OutsideCallWaits::ask_next_of(const std::string& line) {
    const auto found = by_line_.find(line);
    if (found == by_line_.end()) return;
    for (const std::uint64_t number : found->second) {
        const Waiter& waiter = waiters_.at(number);
        if (waiter.news && !waiter.asking) return ask(number);
    }
}

// Whoever was to have it does not hear of it: it is the next one's.
void OutsideCallWaits::give_back(const Waiter& waiter, const model::OutsideCall& call) {
    auto command = std::make_unique<ports::EndOutsideCall>();
    command->id = call.id;
    command->fence = call.fence;
    command->release = true;
    command->principal = waiter.caller->principal;
    command->lane = ports::Lane::control;
    command->bytes = sizeof(ports::EndOutsideCall);
    ports::AnyCommand any = std::move(command);
    (void)service_.ports.gateway.submit(any);  // who is not heard now is lost when the lease runs out
}

void OutsideCallWaits::hear(std::uint64_t number, const base::Result<ports::ClaimedOutsideCall>& result) {
    const auto at = waiters_.find(number);
    if (at == waiters_.end()) return;
    if (!result.ok() || result->call) {
        const std::string line = at->second.line;
        const bool may_have_it = is_admitted(service_, *at->second.caller);
        const bool is_given_back = result.ok() && (at->second.to->has_left() || !may_have_it);
        if (is_given_back) give_back(at->second, *result->call);
        const auto to = leave(at);
        if (!result.ok()) to->fail(result.error());
        else if (!may_have_it) to->fail(not_admitted());
        else if (is_given_back) to->answer_nothing();
        else to->answer(outside_call_json(*result->call));
        return ask_next_of(line);
    }
    if (at->second.streams.empty()) {
        follow(at);
        at->second.news = !at->second.streams.empty();  // a call may have come before anybody listened
    }
    wait_on(at);
}

void OutsideCallWaits::on_news(const std::vector<model::StreamId>& streams) {
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
        if (asking.insert(at->second.line).second) ask(number);
    }
}

void OutsideCallWaits::answer_all() {
    sweep(base::Duration{std::numeric_limits<std::int64_t>::max()}, false);
}

// A claim that is under way is answered when it is known what came of it: what it was granted must not be lost.
void OutsideCallWaits::sweep(base::Duration now, bool ask_again) {
    std::vector<std::uint64_t> numbers;
    for (const auto& [number, waiter] : waiters_) {
        if (!waiter.asking) numbers.push_back(number);
    }
    for (const std::uint64_t number : numbers) {
        const auto at = waiters_.find(number);
        if (at == waiters_.end() || at->second.asking) continue;
        const Waiter& waiter = at->second;
        if (ask_again && !is_admitted(service_, *waiter.caller)) leave(at)->fail(not_admitted());
        else if (waiter.until <= now || waiter.to->has_left()) leave(at)->answer_nothing();
        else if (waiter.streams.empty()) ask(number);  // no stream tells it
    }
}

}  // namespace belfry::net
