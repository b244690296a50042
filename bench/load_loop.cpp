#include "load_loop.hpp"

#include <limits>
#include <vector>

#include "common/clock.hpp"
#include "common/fail.hpp"
#include "common/socket.hpp"

namespace belfry::bench {

namespace {

constexpr std::size_t receive_bytes = 256 << 10;
constexpr int patience_ms = 30'000;

struct Connection {
    Socket socket;
    std::unique_ptr<Conversation> conversation;
    std::string pending;      // arrived, not dealt with yet
    std::string_view unsent;  // the rest of a request that the kernel did not take at once
    std::string back;
    std::int64_t asked_ns = 0;
};

class Load {
public:
    Load(const LoadPlan& plan, const std::function<std::unique_ptr<Conversation>(std::size_t)>& make)
        : plan_(plan), scratch_(receive_bytes) {
        connections_.reserve(plan.connections);
        for (std::size_t i = 0; i < plan.connections; ++i) {
            connections_.push_back({Socket(plan.port), make(i), {}, {}, {}, 0});
            poller_.watch(connections_[i].socket.fd(), i);
        }
    }

    LoadResult run() {
        greet();
        started_ns_ = now_ns();
        begin_ns_ = started_ns_ + (plan_.events == 0 ? plan_.warm_ns : 0);
        end_ns_ = plan_.events == 0 ? begin_ns_ + plan_.run_ns : std::numeric_limits<std::int64_t>::max();
        for (std::size_t i = 0; i < connections_.size(); ++i) ask_next(i, started_ns_);
        std::int64_t cpu_begin = plan_.warm_ns == 0 || plan_.events != 0 ? cpu_ns() : -1;
        while (waiting_ > 0) {
            serve_ready();
            if (cpu_begin < 0 && now_ns() >= begin_ns_) cpu_begin = cpu_ns();
        }
        result_.cpu_ns = cpu_ns() - cpu_begin;
        result_.elapsed_ns = (plan_.events == 0 ? end_ns_ : last_ns_) - begin_ns_;
        result_.events = result_.requests * plan_.batch;
        return std::move(result_);
    }

private:
    void greet() {
        for (std::size_t i = 0; i < connections_.size(); ++i) {
            const std::string_view hello = connections_[i].conversation->hello();
            if (hello.empty()) continue;
            send(i, hello);
            ++waiting_;
        }
        greeting_ = true;
        while (waiting_ > 0) serve_ready();
        greeting_ = false;
    }

    void serve_ready() {
        const auto ready = poller_.wait(patience_ms);
        if (ready.empty()) fail("no answer for 30 seconds");
        for (const epoll_event& event : ready) {
            const auto i = static_cast<std::size_t>(event.data.u64);
            if ((event.events & EPOLLOUT) != 0) send(i, connections_[i].unsent);
            if ((event.events & ~static_cast<std::uint32_t>(EPOLLOUT)) != 0) receive(i);
        }
    }

    void send(std::size_t i, std::string_view bytes) {
        Connection& connection = connections_[i];
        const bool waited = !connection.unsent.empty();
        connection.unsent = bytes.substr(connection.socket.send_some(bytes));
        if (waited != !connection.unsent.empty()) poller_.rewatch(connection.socket.fd(), i, !waited);
    }

    void receive(std::size_t i) {
        Connection& connection = connections_[i];
        const std::size_t size = connection.socket.receive_some(scratch_);
        std::string_view in(scratch_.data(), size);
        if (!connection.pending.empty()) in = connection.pending.append(in);
        const Taken taken = connection.conversation->take(in, connection.back);
        // The rest may lie inside `pending` itself.
        std::string rest(in.substr(taken.bytes));
        connection.pending.swap(rest);
        if (!connection.back.empty()) send_back(connection);
        if (taken.answered) answered(i);
    }

    // A few bytes that never wait: a connection with a full send buffer is not one that a server pings.
    static void send_back(Connection& connection) {
        if (!connection.unsent.empty() || connection.socket.send_some(connection.back) != connection.back.size())
            fail("could not answer a ping");
        connection.back.clear();
    }

    void answered(std::size_t i) {
        --waiting_;
        if (greeting_) return;
        const std::int64_t now = now_ns();
        result_.events_total += plan_.batch;
        last_ns_ = now;
        if (now >= begin_ns_ && now < end_ns_) {
            ++result_.requests;
            result_.latency.add(now - connections_[i].asked_ns);
        }
        ask_next(i, now);
    }

    void ask_next(std::size_t i, std::int64_t now) {
        if (now >= end_ns_ || (plan_.events != 0 && next_number_ >= plan_.events)) return;
        connections_[i].asked_ns = now;
        send(i, connections_[i].conversation->request(next_number_));
        next_number_ += plan_.batch;
        ++waiting_;
    }

    LoadPlan plan_;
    Poller poller_;
    std::vector<Connection> connections_;
    std::vector<char> scratch_;
    bool greeting_ = false;
    std::size_t waiting_ = 0;  // connections that await an answer
    std::uint64_t next_number_ = 0;
    std::int64_t started_ns_ = 0;
    std::int64_t begin_ns_ = 0;
    std::int64_t end_ns_ = 0;
    std::int64_t last_ns_ = 0;
    LoadResult result_;
};

}  // namespace

LoadResult run_load(const LoadPlan& plan, const std::function<std::unique_ptr<Conversation>(std::size_t)>& make) {
    return Load(plan, make).run();
}

}  // namespace belfry::bench
