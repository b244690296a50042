#include "fanout_loop.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

#include "common/clock.hpp"
#include "common/fail.hpp"
#include "common/socket.hpp"
#include "common/sse_reader.hpp"

namespace belfry::bench {

namespace {

constexpr std::size_t receive_bytes = 256 << 10;
constexpr int patience_ms = 30'000;
constexpr int surplus_wait_ms = 300;

struct Reader {
    Socket socket;
    SseReader stream;
};

// All readers on one poller; their tags are their indexes.
class Crowd {
public:
    Crowd(const FanoutPlan& plan, Poller& poller) : poller_(poller), scratch_(receive_bytes) {
        readers_.reserve(plan.readers);
        for (std::size_t i = 0; i < plan.readers; ++i) {
            readers_.push_back({Socket(plan.port), SseReader(i)});
            const std::string& subscription = plan.subscriptions[i % plan.subscriptions.size()];
            if (readers_[i].socket.send_some(subscription) != subscription.size()) fail("could not subscribe");
            poller_.watch(readers_[i].socket.fd(), i);
        }
        for (std::size_t i = 0; i < plan.stalled; ++i) {
            stalled_.emplace_back(plan.port);
            const int bytes = 4096;
            ::setsockopt(stalled_[i].fd(), SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
            const std::string& subscription = plan.subscriptions.front();
            if (stalled_[i].send_some(subscription) != subscription.size()) fail("could not subscribe");
        }
        std::size_t open = 0;
        while (open < readers_.size()) {
            const auto ready = poller_.wait(patience_ms);
            if (ready.empty()) fail("the readers were not let in");
            for (const epoll_event& event : ready) {
                const auto i = static_cast<std::size_t>(event.data.u64);
                const bool was_open = readers_[i].stream.open();
                receive(i);
                open += !was_open && readers_[i].stream.open() ? 1 : 0;
            }
        }
    }

    std::size_t size() const { return readers_.size(); }
    std::uint64_t received_by(std::size_t i) const { return readers_[i].stream.received(); }

    // How many events this reader got now.
    std::size_t receive(std::size_t i) {
        const std::size_t size = readers_[i].socket.receive_some(scratch_);
        return readers_[i].stream.take({scratch_.data(), size});
    }

private:
    Poller& poller_;
    std::vector<Reader> readers_;
    std::vector<Socket> stalled_;
    std::vector<char> scratch_;
};

class Fanout {
public:
    Fanout(const FanoutPlan& plan, std::unique_ptr<Conversation> publisher)
        : plan_(plan),
          crowd_(plan, poller_),
          publisher_(std::move(publisher)),
          socket_(plan.port),
          scratch_(receive_bytes) {
        poller_.watch(socket_.fd(), publisher_tag);
    }

    FanoutResult run() {
        const std::int64_t start = now_ns();
        next_due_ns_ = start;
        if (plan_.warm_ns > 0) publish_until(start + plan_.warm_ns);
        settle();
        const std::uint64_t first = published_.size();
        const std::int64_t begin = now_ns();
        const std::int64_t cpu_begin = cpu_ns();
        next_due_ns_ = begin;
        publish_until(begin + plan_.run_ns);
        settle();
        FanoutResult result;
        result.elapsed_ns = last_ns_ - begin;
        result.cpu_ns = cpu_ns() - cpu_begin;
        result.events = published_.size() - first;
        result.deliveries = result.events * crowd_.size();
        for (std::size_t i = first; i < published_.size(); ++i)
            result.complete.add(published_[i].complete_ns - published_[i].at_ns);
        await_no_surplus();
        return result;
    }

private:
    static constexpr std::uint64_t publisher_tag = UINT64_MAX;

    struct Publication {
        std::int64_t at_ns = 0;
        std::int64_t complete_ns = 0;
        std::size_t readers = 0;  // that have it
    };

    bool complete() const { return complete_ == published_.size() && !publishing_; }

    // At least once, however short the time is.
    void publish_until(std::int64_t end) {
        std::int64_t now = now_ns();
        do {
            const bool due = plan_.rate == 0 ? complete() : now >= next_due_ns_ && !publishing_;
            if (due) publish(now);
            const bool timed = plan_.rate != 0 && !publishing_;
            serve_ready(timed ? wait_ms(next_due_ns_) : patience_ms, timed);
            now = now_ns();
        } while (now < end);
    }

    // Until every reader has everything that was published.
    void settle() {
        while (!complete()) serve_ready(patience_ms, false);
    }

    static int wait_ms(std::int64_t until) {
        const std::int64_t left = until - now_ns();
        return static_cast<int>(std::max<std::int64_t>(left / millisecond_ns, 0));
    }

    void publish(std::int64_t now) {
        unsent_ = publisher_->request(published_.size());
        for (std::size_t i = 0; i < plan_.at_once; ++i) published_.push_back({now, 0, 0});
        publishing_ = true;
        if (plan_.rate != 0) next_due_ns_ += static_cast<std::int64_t>(std::llround(second_ns / plan_.rate));
        send_rest();
    }

    void send_rest() {
        const bool waited = writing_;
        unsent_ = unsent_.substr(socket_.send_some(unsent_));
        writing_ = !unsent_.empty();
        if (waited != writing_) poller_.rewatch(socket_.fd(), publisher_tag, writing_);
    }

    void serve_ready(int timeout_ms, bool may_time_out) {
        const auto ready = poller_.wait(timeout_ms);
        if (ready.empty() && !may_time_out) fail_stuck();
        for (const epoll_event& event : ready) {
            if (event.data.u64 != publisher_tag) {
                deliver(static_cast<std::size_t>(event.data.u64));
                continue;
            }
            if ((event.events & EPOLLOUT) != 0) send_rest();
            if ((event.events & ~static_cast<std::uint32_t>(EPOLLOUT)) != 0) receive_answer();
        }
    }

    void deliver(std::size_t reader) {
        const std::uint64_t before = crowd_.received_by(reader);
        const std::size_t count = crowd_.receive(reader);
        if (before + count > published_.size()) fail("a reader got more than was published");
        for (std::size_t i = before; i < before + count; ++i) {
            if (++published_[i].readers < crowd_.size()) continue;
            last_ns_ = now_ns();
            published_[i].complete_ns = last_ns_;
            ++complete_;
        }
    }

    void receive_answer() {
        const std::size_t size = socket_.receive_some(scratch_);
        pending_.append(scratch_.data(), size);
        std::string back;
        const Taken taken = publisher_->take(pending_, back);
        pending_.erase(0, taken.bytes);
        if (taken.answered) publishing_ = false;
    }

    void await_no_surplus() {
        const std::int64_t end = now_ns() + surplus_wait_ms * millisecond_ns;
        while (now_ns() < end) serve_ready(surplus_wait_ms, true);
    }

    [[noreturn]] void fail_stuck() const {
        std::size_t behind = 0;
        for (std::size_t i = 0; i < crowd_.size(); ++i) behind += crowd_.received_by(i) < published_.size() ? 1 : 0;
        fail("nothing came for 30 seconds; " + std::to_string(behind) + " readers lack events" +
             (publishing_ ? "; the publication is unanswered" : ""));
    }

    FanoutPlan plan_;
    Poller poller_;
    Crowd crowd_;
    std::unique_ptr<Conversation> publisher_;
    Socket socket_;
    std::vector<char> scratch_;
    std::string pending_;
    std::string_view unsent_;
    bool writing_ = false;
    bool publishing_ = false;
    std::vector<Publication> published_;
    std::size_t complete_ = 0;  // publications that every reader has
    std::int64_t last_ns_ = 0;
    std::int64_t next_due_ns_ = 0;
};

}  // namespace

FanoutResult run_fanout(const FanoutPlan& plan, std::unique_ptr<Conversation> publisher) {
    return Fanout(plan, std::move(publisher)).run();
}

void hold_readers(const FanoutPlan& plan) {
    Poller poller;
    Crowd crowd(plan, poller);
    std::puts("open");
    std::fflush(stdout);
    constexpr std::uint64_t stdin_tag = UINT64_MAX;
    poller.watch(STDIN_FILENO, stdin_tag);
    for (;;) {
        for (const epoll_event& event : poller.wait(patience_ms)) {
            if (event.data.u64 == stdin_tag) return;
            const std::size_t events = crowd.receive(static_cast<std::size_t>(event.data.u64));
            if (events > 0) fail("a reader that was to be idle got an event");
        }
    }
}

}  // namespace belfry::bench
