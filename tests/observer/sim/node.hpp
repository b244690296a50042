#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/engine.hpp"
#include "ports/beside.hpp"
#include "ports/commands/delivery.hpp"
#include "ports/metrics.hpp"
#include "profile.hpp"
#include "recorder.hpp"
#include "schedule.hpp"
#include "sim/clock.hpp"
#include "sim/disk.hpp"
#include "sim/random.hpp"
#include "sim/sinks.hpp"
#include "sim/subscribers.hpp"
#include "sim/vfs.hpp"
#include "store/sql_store.hpp"
#include "view/follow.hpp"

namespace observer::sim {

using belfry::sim::SeededRandom;
namespace base = belfry::base;
namespace model = belfry::model;
namespace ports = belfry::ports;

// Belfry in a simulated world: the engine, the SQLite store and the streams, on a made-up disk and in made-up time. The
// process dies and starts again; a request that was under way then has no answer.
class Node final : public ports::Beside, public ports::Gateway {
public:
    Node(std::uint64_t seed, SeededRandom random, const Profile& profile, Schedule& schedule, Recorder& recorder,
         belfry::sim::HeldSinks& sinks);
    ~Node() override;

    // The answer to a request; null: none came.
    template <class C>
    using Then = std::function<void(const base::Result<typename C::Reply>*)>;

    // Sends a request. Requests that come close to each other share a commit.
    template <class C>
    void ask(std::unique_ptr<C> command, const model::Principal& who, Then<C> then) {
        using Result = base::Result<typename C::Reply>;
        ++steps_;
        if (!process_) return schedule_.after(0, [then = std::move(then)] { then(nullptr); });
        command->principal = who;
        command->done = [this, then](Result result) {
            if (random_.below(1000) < profile_.lost_answers) return then(nullptr);
            if (random_.below(1000) >= profile_.late_answers) return then(&result);
            auto late = std::make_shared<Result>(std::move(result));
            schedule_.after(latency(late_us_max), [then, late] { then(&*late); });
        };
        send({std::move(command), [then = std::move(then)] { then(nullptr); }});
    }
    // The same; the answer is neither lost nor late while the process lives.
    template <class C>
    void ask_surely(std::unique_ptr<C> command, const model::Principal& who, Then<C> then) {
        ++steps_;
        if (!process_) return schedule_.after(0, [then = std::move(then)] { then(nullptr); });
        command->principal = who;
        command->done = [then](base::Result<typename C::Reply> result) { then(&result); };
        send({std::move(command), [then = std::move(then)] { then(nullptr); }});
    }

    // For threads of Belfry's own: decides the command at once, in a commit of its own.
    base::Result<void> submit(ports::AnyCommand& command) override;

    void start();
    // The process dies at its next commit, or now.
    void die_soon() { disk_.die_after(1 + random_.below(60)); }
    void die_now();
    // No trouble comes that was to come.
    void calm_down() {
        disk_.die_after(0);
        disk_.clear_faults();
    }
    // Sweeps everything that is due up to this steady time.
    void run_due_until(std::int64_t at_us);
    void step_clock(base::Duration by);

    [[nodiscard]] bool is_up() const { return process_ != nullptr; }
    // True if the process lives and its store is open.
    [[nodiscard]] bool is_open() const { return process_ && process_->engine.state() == belfry::engine::State::open; }
    [[nodiscard]] std::uint64_t lives() const { return lives_; }  // how many processes there were
    [[nodiscard]] base::Timestamp now() const { return clock_.now(); }
    [[nodiscard]] const ports::Clock& clock() const { return clock_; }
    [[nodiscard]] std::uint64_t steps() const { return steps_; }
    void count_step() { ++steps_; }
    [[nodiscard]] std::int64_t latency(std::int64_t most_us) {
        return most_us > 0 ? static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(most_us))) : 0;
    }
    // Reads beside the engine. Only while the store is open.
    void read_now(const std::function<void(ports::Reading&)>& job);
    belfry::view::Follow& follow() { return process_->follow; }

    // Set by the world.
    std::function<void()> on_published;                               // readers may have something to read
    std::function<void()> on_lost;                                    // the process is gone, and its connections
    std::function<void(const std::vector<ports::Obligation>&)> owed;  // outbox tasks to perform
    std::function<void()> on_wakes;                                   // agents of Belfry's own have something to do
    std::string problem;                                              // of the simulation itself; empty: none

private:
    struct Pending {
        ports::AnyCommand command;
        std::function<void()> unanswered;
    };
    struct Process {
        Process(belfry::store::SqlStoreOptions options, ports::Random& random, const ports::Subscribers& subscribers,
                belfry::engine::EngineOptions engine_options, ports::Beside& beside)
            : store(std::move(options), random),
              engine(store, random, subscribers, std::move(engine_options)),
              follow(beside, metrics) {}
        ports::Metrics metrics;
        belfry::store::SqlStore store;
        belfry::engine::Engine engine;
        belfry::view::Follow follow;
    };
    static constexpr std::int64_t late_us_max = 60'000;

    void send(Pending pending);
    void bring_trouble();
    // Records that Belfry cannot do its work, or can again.
    void note_state(bool is_behind);
    void commit_group();
    void let_out(belfry::engine::Effects effects);
    void lose_process();
    void restart_later();
    base::Timestamp look_at_clock();
    void read(std::function<void(ports::Reading&)> job, std::function<void()> then) override;

    const Profile& profile_;
    Schedule& schedule_;
    Recorder& recorder_;
    belfry::sim::HeldSinks& sinks_;
    SeededRandom random_;
    SeededRandom engine_random_;
    belfry::sim::MadeUpClock clock_;
    belfry::sim::Disk disk_;
    belfry::sim::Vfs vfs_;
    belfry::sim::HeldSubscribers subscribers_;
    base::Timestamp seen_at_;
    std::vector<Pending> pending_;
    std::uint64_t steps_ = 0;
    std::int64_t passed_us_ = 0;  // of the steady time, as the clock knows it
    bool was_started_ = false;
    bool is_well_ = false;  // the store is open, and nothing that is due rests after a failure
    bool is_behind_ = false;
    std::uint64_t lives_ = 0;  // of processes
    std::unique_ptr<Process> process_;
};

}  // namespace observer::sim
