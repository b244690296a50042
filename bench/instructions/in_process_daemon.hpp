#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "common/fail.hpp"
#include "daemon/command_queue.hpp"
#include "engine/engine.hpp"
#include "net/service.hpp"
#include "store/open_store.hpp"
#include "store/sql_store.hpp"
#include "view/access_book.hpp"
#include "view/answers.hpp"
#include "view/follow.hpp"

namespace belfry::bench {

// A clock that stands until it is moved.
class FixedClock final : public ports::Clock {
public:
    [[nodiscard]] base::Timestamp now() const override { return base::Timestamp{1'800'000'000'000'000} + passed_; }
    [[nodiscard]] base::Duration monotonic() const override { return base::seconds(1000) + passed_; }
    void move(base::Duration time) { passed_ = {passed_.us + time.us}; }

private:
    base::Duration passed_;
};

// The same numbers in every run: those of a seed.
class CountedRandom final : public ports::Random {
public:
    explicit CountedRandom(std::uint32_t seed) : count_(std::uint64_t{seed} << 32U) {}
    std::uint64_t next() override;

private:
    std::uint64_t count_;
};

class ShippedSubscribers final : public ports::Subscribers {
public:
    ShippedSubscribers();
    [[nodiscard]] std::shared_ptr<const model::Catalogue> current() const override { return catalogue_; }

private:
    std::shared_ptr<const model::Catalogue> catalogue_;
};

// The parts of daemon::Daemon that the paths run through: HTTP connections, queue, engine, SQLite store, streams and
// readers. Everything runs in the thread of the caller, in the order of the real threads. Sockets, TLS, sinks,
// checkpoints and workers of Belfry's own are left out.
class InProcessDaemon final : ports::Gateway, ports::Beside {
public:
    // Two daemons that speak to each other need different seeds.
    explicit InProcessDaemon(const std::string& folder, std::uint32_t seed = 1);
    ~InProcessDaemon() override;

    net::ConnectionId connect(std::unique_ptr<wire::Transport> transport);
    // New input has come for this connection. Runs until nothing is left to do.
    void receive(net::ConnectionId connection);
    // Runs what is left to do now. Returns false if there was nothing.
    bool settle();
    // Moves the clock. Work that becomes due on the way runs when it is due.
    void pass(base::Duration time);
    // Runs `work` as the network's thread would.
    void post(std::function<void()> work) { work_.push_back(std::move(work)); }

    // Asks the engine in the name of the daemon.
    template <class C>
    typename C::Reply ask(std::unique_ptr<C> command) {
        std::optional<base::Result<typename C::Reply>> reply;
        command->principal = model::house_principal();
        command->done = [&](base::Result<typename C::Reply> result) { reply = std::move(result); };
        ports::AnyCommand any = std::move(command);
        if (!submit(any).ok()) fail("the queue is full");
        settle();
        if (!reply) fail("the engine gave no answer");
        if (!reply->ok()) fail(reply->error().message);
        return std::move(**reply);
    }

    [[nodiscard]] ports::Gateway& gateway() { return *this; }
    [[nodiscard]] const FixedClock& clock() const { return clock_; }
    [[nodiscard]] const std::string& token() const { return token_; }  // of role admin
    [[nodiscard]] std::uint64_t notifications_made() const { return notifications_made_; }
    ports::Metrics metrics;
    // Called when changes of records came into a batch.
    std::function<void()> on_news;

private:
    base::Result<void> submit(ports::AnyCommand& command) override;
    void read(std::function<void(ports::Reading&)> job, std::function<void()> then) override;
    bool run_group();
    bool run_due();
    void let_out(engine::Effects effects);
    void keep_time();

    FixedClock clock_;
    CountedRandom random_;
    ShippedSubscribers subscribers_;
    store::StoreLocation location_;
    store::SqlStore store_;
    engine::Engine engine_;
    daemon::CommandQueue queue_;
    std::unique_ptr<ports::Reading> reading_;
    view::Follow follow_;
    view::AccessBook access_;
    view::Answers answers_;
    net::Service service_;
    std::deque<std::function<void()>> work_;  // of the network's thread
    std::size_t waiting_ = 0;                 // commands in the queue
    std::uint64_t notifications_made_ = 0;
    std::string token_;
};

}  // namespace belfry::bench
