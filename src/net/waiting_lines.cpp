#include "net/waiting_lines.hpp"

#include <limits>
#include <utility>

#include "base/assert.hpp"
#include "net/guard.hpp"
#include "net/service.hpp"

namespace belfry::net {

WaitingLines::WaitingLines(Service& service, Bounds bounds) : service_(service), bounds_(bounds) {}
WaitingLines::~WaitingLines() = default;

std::string line_of(const Caller& caller, const std::vector<std::string>& names) {
    std::string line = caller.principal.id;
    for (const std::string& name : std::set<std::string>(names.begin(), names.end())) {
        line.append(1, '\0').append(name);
    }
    return line;
}

WaitingLines::Number WaitingLines::add(std::unique_ptr<Asker> to, SharedCaller caller, std::string line,
                                       base::Duration until) {
    std::size_t& waiting = by_principal_[caller->principal.id];
    const bool is_full = waiters_.size() >= bounds_.all;
    if (is_full || waiting >= bounds_.of_principal) {
        if (waiting == 0) by_principal_.erase(caller->principal.id);
        const std::string what(bounds_.what);
        to->fail(is_full ? base::error(base::Code::overloaded, "too many wait for " + what + "; try again")
                         : base::error(base::Code::rate_limited, std::to_string(bounds_.of_principal) +
                                                                     " of your requests wait for " + what +
                                                                     " already, as many as may"));
        return 0;
    }
    ++waiting;
    ++last_;
    if (!line.empty()) by_line_[line].insert(last_);
    waiters_.emplace(last_, Waiter{std::move(to), std::move(caller), std::move(line), until, {}});
    return last_;
}

const WaitingLines::Waiter* WaitingLines::find(Number number) const {
    const auto at = waiters_.find(number);
    return at == waiters_.end() ? nullptr : &at->second;
}

void WaitingLines::follow(Number number, const std::vector<std::string>& names) {
    for (const std::string& name : std::set<std::string>(names.begin(), names.end())) {
        ports::OpenStream open;
        open.principal = model::house_principal();
        open.stream = name;
        auto stream = service_.ports.streams.open(open);
        if (!stream.ok()) continue;  // it is looked at again with the next sweep
        by_stream_[(*stream)->stream()].push_back(number);
        waiters_.at(number).streams.push_back(std::move(*stream));
    }
}

void WaitingLines::ask(Number number) {
    Waiter& waiter = waiters_.at(number);
    // A worker that was killed leaves a connection that says nothing more.
    if (!waiter.line.empty() && waiter.to->has_left()) {
        const std::string line = waiter.line;
        answer_empty(number);
        return ask_next_of(line);
    }
    waiter.asking = true;
    waiter.news = false;
    send(number, waiter);
}

void WaitingLines::submit(Number number, ports::AnyCommand command) {
    const std::string line = waiters_.at(number).line;
    if (auto taken = service_.ports.gateway.submit(command); !taken.ok()) {
        leave(number)->fail(taken.error());
        ask_next_of(line);
    }
}

std::unique_ptr<Asker> WaitingLines::leave(Number number) {
    const auto at = waiters_.find(number);
    ASSERT(at != waiters_.end());
    for (const auto& stream : at->second.streams) {
        const auto found = by_stream_.find(stream->stream());
        std::erase(found->second, number);
        if (found->second.empty()) by_stream_.erase(found);
    }
    if (const auto line = by_line_.find(at->second.line); line != by_line_.end()) {
        line->second.erase(number);
        if (line->second.empty()) by_line_.erase(line);
    }
    const auto principal = by_principal_.find(at->second.caller->principal.id);
    if (--principal->second == 0) by_principal_.erase(principal);
    auto to = std::move(at->second.to);
    waiters_.erase(at);
    forget(number);
    return to;
}

void WaitingLines::wait_on(Number number) {
    Waiter& waiter = waiters_.at(number);
    waiter.asking = false;
    if (service_.stopping || waiter.until <= service_.ports.clock.monotonic()) {
        const std::string line = waiter.news ? waiter.line : std::string();
        answer_empty(number);
        return ask_next_of(line);
    }
    if (waiter.news) return ask(number);
    if (!waiter.line.empty()) rest_line(waiter.line);
}

// Nor is there for anybody else in its line.
void WaitingLines::rest_line(const std::string& line) {
    for (const Number number : by_line_.at(line)) {
        Waiter& waiter = waiters_.at(number);
        if (!waiter.asking) waiter.news = false;
    }
}

void WaitingLines::ask_next_of(const std::string& line) {
    const auto found = by_line_.find(line);
    if (found == by_line_.end()) return;
    for (const Number number : found->second) {
        const Waiter& waiter = waiters_.at(number);
        if (waiter.news && !waiter.asking) return ask(number);
    }
}

// Where whoever was to have it does not hear of it, it is the next one's.
void WaitingLines::hear_claim(Number number, Heard heard) {
    const auto at = waiters_.find(number);
    if (at == waiters_.end()) return;
    const Waiter& waiter = at->second;
    if (heard.error || heard.json) {
        const std::string line = waiter.line;
        const bool may_have_it = is_admitted(service_, *waiter.caller);
        const bool is_given_back = !heard.error && (waiter.to->has_left() || !may_have_it);
        if (is_given_back) {
            heard.release->principal = waiter.caller->principal;
            heard.release->lane = ports::Lane::control;
            (void)service_.ports.gateway.submit(heard.release);  // not heard: it is lost when the lease runs out
        }
        const auto to = leave(number);
        if (heard.error) to->fail(*heard.error);
        else if (!may_have_it) to->fail(not_admitted());
        else if (is_given_back) to->answer_nothing();
        else to->answer(*heard.json);
        return ask_next_of(line);
    }
    if (waiter.streams.empty()) {
        follow(number, heard.streams);
        at->second.news = !at->second.streams.empty();  // something may have come before anybody listened
    }
    wait_on(number);
}

void WaitingLines::on_news(const std::vector<model::StreamId>& streams) {
    std::set<Number> heard;
    std::set<std::string> asking;  // lines of which one asks
    for (const model::StreamId stream : streams) {
        const auto found = by_stream_.find(stream);
        if (found != by_stream_.end()) heard.insert(found->second.begin(), found->second.end());
    }
    for (const Number number : heard) {
        Waiter& waiter = waiters_.at(number);
        waiter.news = true;
        if (waiter.asking) asking.insert(waiter.line);
    }
    for (const Number number : heard) {
        const Waiter* const waiter = find(number);
        if (waiter == nullptr || waiter->asking) continue;
        if (waiter->line.empty() || asking.insert(waiter->line).second) ask(number);
    }
}

void WaitingLines::answer_all() {
    sweep(base::Duration{std::numeric_limits<std::int64_t>::max()}, false);
}

// A claim that is under way is answered when it is known what came of it: what it was granted must not be lost. Whoever
// is answered may ask for the next at once, and others may leave with that.
void WaitingLines::sweep(base::Duration now, bool ask_again) {
    std::vector<Number> numbers;
    for (const auto& [number, waiter] : waiters_) {
        if (!waiter.asking) numbers.push_back(number);
    }
    for (const Number number : numbers) {
        const Waiter* const waiter = find(number);
        if (waiter == nullptr || waiter->asking) continue;
        if (ask_again && !is_admitted(service_, *waiter->caller)) leave(number)->fail(not_admitted());
        else if (waiter->until <= now || waiter->to->has_left()) answer_empty(number);
        else if (waiter->streams.empty()) ask(number);  // no stream tells it
    }
}

}  // namespace belfry::net
