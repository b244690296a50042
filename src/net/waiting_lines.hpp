#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/time.hpp"
#include "model/log.hpp"
#include "net/asker.hpp"
#include "ports/commands/command.hpp"
#include "ports/streams.hpp"

namespace belfry::net {

// Requests and calls that wait for something until it is there or their time is over. News of the streams that they
// follow make them ask again: of those who stand in one line, for they would get the same answer, one after the other,
// for as long as there is something. What is granted to a peer that has left would be lost until its lease runs out: so
// nothing is asked for a connection that is gone, and what it is granted all the same is given back.
class WaitingLines {
public:
    struct Bounds {
        std::size_t all;
        std::size_t of_principal;
        std::string_view what;  // a job
    };
    WaitingLines(Service& service, Bounds bounds);
    virtual ~WaitingLines();
    WaitingLines(const WaitingLines&) = delete;
    WaitingLines& operator=(const WaitingLines&) = delete;

    void on_news(const std::vector<model::StreamId>& streams);
    // `ask_again`: whose token is not good any more waits no longer.
    void sweep(base::Duration now, bool ask_again);
    // The server stops: all are answered now.
    void answer_all();

protected:
    using Number = std::uint64_t;
    struct Waiter {
        std::unique_ptr<Asker> to;
        SharedCaller caller;
        std::string line;  // empty: it stands in none
        base::Duration until;
        std::vector<std::unique_ptr<ports::Cursor>> streams;  // only name them; none: it has not begun to wait
        bool asking = false;
        bool news = false;  // since it asked, or one of its line did
    };
    // What came of a claim.
    struct Heard {
        std::optional<base::Error> error;
        std::optional<std::string> json;   // what was granted; nothing: there is nothing now
        ports::AnyCommand release;         // gives it back
        std::vector<std::string> streams;  // that tell when there is something
    };

    // 0: it was refused, because too many wait, or too many of this caller; that is answered.
    Number add(std::unique_ptr<Asker> to, SharedCaller caller, std::string line, base::Duration until);
    [[nodiscard]] const Waiter* find(Number number) const;
    void follow(Number number, const std::vector<std::string>& names);
    void ask(Number number);
    // Whoever cannot be heard now is answered with that.
    void submit(Number number, ports::AnyCommand command);
    void hear_claim(Number number, Heard heard);
    // There is nothing for it now: it waits, unless its time is over.
    void wait_on(Number number);
    // Whoever waited there.
    std::unique_ptr<Asker> leave(Number number);

    // Sends what it asks for, by `submit` or otherwise.
    virtual void send(Number number, const Waiter& waiter) = 0;
    // Leaves with the answer that there was nothing in its time.
    virtual void answer_empty(Number number) { leave(number)->answer_nothing(); }
    // Of whoever leaves: what it wanted.
    virtual void forget(Number number) = 0;

    Service& service_;  // NOLINT: those that wait for one thing are nothing else

private:
    void rest_line(const std::string& line);
    // There was something for one of the line: then the next one asks.
    void ask_next_of(const std::string& line);

    Bounds bounds_;
    Number last_ = 0;
    std::map<Number, Waiter> waiters_;
    std::unordered_map<model::StreamId, std::vector<Number>> by_stream_;
    std::unordered_map<std::string, std::set<Number>> by_line_;
    std::unordered_map<std::string, std::size_t> by_principal_;  // how many of his wait
};

// What a claim is answered with depends on who asks, and of which of these.
std::string line_of(const Caller& caller, const std::vector<std::string>& names);

}  // namespace belfry::net
