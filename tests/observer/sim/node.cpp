#include "node.hpp"

#include "host/subscriber_folder.hpp"
#include "sim/borrowed_database.hpp"
#include "store/sql_reading.hpp"
#include "store/sqlite_database.hpp"

namespace observer::sim {
namespace {

constexpr const char* file_name = "/belfry.db";
constexpr int sweeps_at_once_max = 5000;

// The subscribers that come with the binary.
const model::Catalogue& shipped_catalogue() {
    static const model::Catalogue catalogue = belfry::host::read_subscribers("/nowhere");
    return catalogue;
}

base::Result<std::unique_ptr<belfry::store::Database>> connect_to(const belfry::sim::Vfs& vfs) {
    belfry::store::SqliteOptions sqlite;
    sqlite.path = file_name;
    sqlite.vfs = vfs.name();
    sqlite.exclusive = true;
    return belfry::store::open_sqlite(std::move(sqlite));
}

// A new database with its schema. It is the same for every world, so it is made once.
const belfry::sim::Disk::Files& empty_database() {
    static const belfry::sim::Disk::Files files = [] {
        SeededRandom random(1);
        belfry::sim::MadeUpClock clock;
        belfry::sim::Disk disk(random.fork());
        belfry::sim::Vfs vfs("belfry-empty", disk, clock, random.fork());
        {
            belfry::store::SqlStoreOptions options;
            options.connect = [&] { return connect_to(vfs); };
            belfry::store::SqlStore store(std::move(options), random);
            (void)store.open();
        }
        return disk.files();
    }();
    return files;
}

}  // namespace

Node::Node(std::uint64_t seed, SeededRandom random, const Profile& profile, Schedule& schedule, Recorder& recorder,
           belfry::sim::HeldSinks& sinks)
    : profile_(profile),
      schedule_(schedule),
      recorder_(recorder),
      sinks_(sinks),
      random_(random),
      engine_random_(random_.fork()),
      disk_(random_.fork()),
      vfs_("belfry-observed-" + std::to_string(seed), disk_, clock_, random_.fork()),
      subscribers_(shipped_catalogue()) {
    disk_.replace(empty_database());
}

Node::~Node() {
    disk_.die();
    process_.reset();
}

void Node::start() {
    belfry::store::SqlStoreOptions options;
    options.connect = [this] { return connect_to(vfs_); };
    belfry::engine::EngineOptions engine_options;
    engine_options.sinks = &sinks_;
    process_ =
        std::make_unique<Process>(std::move(options), engine_random_, subscribers_, std::move(engine_options), *this);
    if (was_started_ && random_.below(1000) < 5 * profile_.crashes) die_soon();
    if (was_started_) bring_trouble();
    ++lives_;
    look_at_clock();
    auto effects = process_->engine.open(clock_.now());
    if (disk_.is_dead()) {
        process_.reset();
        disk_.lose_power();
        return restart_later();
    }
    note_state(false);
    was_started_ = true;
    if (effects.ok()) let_out(std::move(*effects));
    else if (profile_.disk_faults == 0) problem = "the store could not be opened: " + effects.error().message;
}

base::Timestamp Node::look_at_clock() {
    clock_.advance(base::microseconds(schedule_.now_us() - passed_us_));
    passed_us_ = schedule_.now_us();
    const base::Timestamp now = clock_.now();
    if (process_ && now < seen_at_) process_->engine.clock_was_set_back(seen_at_ - now);
    seen_at_ = now;
    return now;
}

void Node::step_clock(base::Duration by) {
    look_at_clock();
    ++steps_;
    clock_.advance(by);
    recorder_.add("world", ClockStepped{by.us / 1000});
}

void Node::bring_trouble() {
    if (random_.below(1000) < profile_.crashes) die_soon();
    if (random_.below(1000) >= profile_.disk_faults) return;
    using belfry::sim::Fault;
    constexpr Fault faults[] = {Fault::no_space, Fault::write_error, Fault::read_error, Fault::sync_error};
    const Fault fault = faults[random_.below(4)];
    disk_.fail_after(1 + random_.below(fault == Fault::sync_error ? 4 : 40), fault);
}

void Node::note_state(bool is_behind) {
    is_behind_ = is_behind;
    const bool is_well = is_open() && !is_behind;
    if (is_well == is_well_) return;
    is_well_ = is_well;
    if (!is_well) recorder_.add("world", Crashed{"one"});
    else if (was_started_) recorder_.add("world", Restarted{"one"});
}

void Node::send(Pending pending) {
    pending_.push_back(std::move(pending));
    if (pending_.size() == 1) schedule_.after(latency(profile_.group_us), [this] { commit_group(); });
}

void Node::commit_group() {
    if (pending_.empty() || !process_) return;  // the process died meanwhile
    std::vector<ports::AnyCommand> commands;
    for (Pending& one : pending_) commands.push_back(std::move(one.command));
    bring_trouble();
    const base::Timestamp now = look_at_clock();
    auto effects = process_->engine.step(now, std::move(commands));
    if (disk_.is_dead()) return lose_process();
    note_state(is_behind_);
    pending_.clear();
    let_out(std::move(effects));
}

base::Result<void> Node::submit(ports::AnyCommand& command) {
    if (!process_) return base::error(base::Code::unavailable, "the process is down");
    commit_group();
    if (!process_) return base::error(base::Code::unavailable, "the process is down");
    ++steps_;
    bring_trouble();
    std::vector<ports::AnyCommand> commands;
    commands.push_back(std::move(command));
    const base::Timestamp now = look_at_clock();
    auto effects = process_->engine.step(now, std::move(commands));
    if (disk_.is_dead()) {
        lose_process();
        command = std::move(effects.answered.front());
        return base::error(base::Code::internal, "the process died");
    }
    note_state(is_behind_);
    let_out(std::move(effects));
    return {};
}

// As the daemon does: callers are answered first, readers come right after, and an interface that connects follows on
// from this very commit.
void Node::let_out(belfry::engine::Effects effects) {
    const auto comes_to_follow = [](const ports::AnyCommand& command) {
        return dynamic_cast<const ports::OpenInbox*>(command.get()) != nullptr;
    };
    belfry::view::Follow& follow = process_->follow;
    if (!effects.opened.empty()) follow.add(effects.opened);
    for (const ports::AnyCommand& command : effects.answered)
        if (!comes_to_follow(command)) command->deliver();
    if (!effects.streams.empty()) follow.adopt(effects.streams);
    if (effects.forget_tail) follow.forget();
    if (!effects.removed.empty()) follow.remove(effects.removed);
    if (!effects.floors.empty()) follow.raise_floors(effects.floors);
    if (!effects.published.empty()) follow.publish(effects.published);
    for (const ports::AnyCommand& command : effects.answered)
        if (comes_to_follow(command)) command->deliver();
    if (!effects.owed.empty()) owed(effects.owed);
    if (effects.has_wakes) on_wakes();
    if (!effects.published.empty() || !effects.streams.empty()) on_published();
}

void Node::run_due_until(std::int64_t at_us) {
    for (int sweeps = 0; process_; ++sweeps) {
        const base::Timestamp now = look_at_clock();
        const auto due = process_->engine.next_due();
        if (!due) break;
        const std::int64_t due_us = schedule_.now_us() + std::max<std::int64_t>(0, (*due - now).us);
        if (due_us > at_us) break;
        if (sweeps == sweeps_at_once_max) {
            problem = "the engine is due again and again";
            break;
        }
        schedule_.advance_to(due_us);
        ++steps_;
        bring_trouble();
        auto effects = process_->engine.tend(look_at_clock());
        if (disk_.is_dead()) {
            lose_process();
            break;
        }
        note_state(effects.is_behind || !effects.setbacks.empty());
        let_out(std::move(effects));
    }
    schedule_.advance_to(at_us);
    look_at_clock();
}

void Node::die_now() {
    ++steps_;
    if (!process_) return;
    disk_.die();
    lose_process();
}

void Node::lose_process() {
    process_.reset();
    note_state(false);
    if (random_.percent(profile_.power_percent)) disk_.lose_power();
    else disk_.lose_process();
    on_lost();
    std::vector<Pending> lost = std::move(pending_);
    pending_.clear();
    for (const Pending& one : lost) one.unanswered();
    restart_later();
}

void Node::restart_later() {
    schedule_.after(latency(profile_.down_us), [this] { start(); });
}

void Node::read_now(const std::function<void(ports::Reading&)>& job) {
    disk_.clear_faults(belfry::sim::Fault::read_error);  // these are for the engine
    belfry::store::SqlReading reading(std::make_unique<belfry::sim::BorrowedDatabase>(process_->store.database()),
                                      "simulated");
    job(reading);
}

void Node::read(std::function<void(ports::Reading&)> job, std::function<void()> then) {
    if (!is_open()) {
        schedule_.after(100'000, [this, job = std::move(job), then = std::move(then), life = lives_] {
            if (process_ && life == lives_) read(job, then);
        });
        return;
    }
    read_now(job);
    schedule_.after(0, [this, then = std::move(then), life = lives_] {
        if (process_ && life == lives_) then();
    });
}

}  // namespace observer::sim
