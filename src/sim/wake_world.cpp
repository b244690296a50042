#include "sim/wake_world.hpp"

#include <cstdio>

#include "base/limits.hpp"
#include "base/timer_limits.hpp"
#include "ports/commands/timers.hpp"

namespace belfry::sim {
namespace {

constexpr int rest_rounds_max = 20'000;

engine::EngineOptions options_of(const Weather& weather, std::int64_t running_max, MadeUpZones& zones) {
    engine::EngineOptions options;
    options.retention = weather.retention;
    options.wakes.running_max = running_max;
    options.zones = &zones;
    return options;
}

}  // namespace

WakeWorld::WakeWorld(std::uint64_t seed, bool verbose)
    : verbose_(verbose),
      random_(seed),
      weather_(random_, seed, false),
      running_max_(1 + static_cast<std::int64_t>(random_.below(4))),
      machine_(seed, random_.fork(), weather_, clock_, subscribers_, options_of(weather_, running_max_, zones_)),
      witness_(running_max_, zones_),
      cast_(random_.fork(), witness_) {}

void WakeWorld::say(const std::string& what) const {
    if (verbose_) std::fprintf(stderr, "%6llu  %s\n", static_cast<unsigned long long>(step_), what.c_str());
}

Complaints WakeWorld::run(std::uint64_t steps) {
    start();
    while (step_ < steps && complaints_.empty()) {
        ++step_;
        one_step();
        if (machine_.disk().is_dead()) die();
    }
    if (complaints_.empty()) come_to_rest();
    tally_.disk_operations = machine_.disk().operations();
    return complaints_;
}

void WakeWorld::one_step() {
    machine_.bring_trouble(step_);
    pass_time();
    change_zones();
    const std::uint64_t draw = random_.below(1000);
    if (draw < 300) {
        tend();
        if (random_.one_in(6)) tend();  // once more at the same instant
    } else if (draw < 310) {
        look_at_all();
    } else if (draw < 310 + weather_.checkpoints / 4 && machine_.is_up()) {
        (void)machine_.store().database().script("PRAGMA wal_checkpoint(TRUNCATE)");
    } else {
        std::vector<ports::AnyCommand> commands;
        const std::uint64_t count = 1 + random_.below(weather_.group_max);
        for (std::uint64_t i = 0; i < count; ++i) commands.push_back(cast_.act(clock_.now()));
        send_group(std::move(commands));
    }
    if (machine_.disk().is_dead()) return;
    if (random_.below(1000) < weather_.dies_after_step) {
        machine_.disk().die();
    } else if (random_.below(1000) < weather_.restarts) {
        say("stop and start");
        machine_.stop();
        start();
    }
}

void WakeWorld::pass_time() {
    base::Duration span = base::microseconds(static_cast<std::int64_t>(1 + random_.below(5000)));
    const std::uint64_t draw = random_.below(1000);
    if (draw < weather_.long_waits / 6) span = base::minutes(static_cast<std::int64_t>(1 + random_.below(4000)));
    else if (draw < 60) span = base::seconds(static_cast<std::int64_t>(1 + random_.below(1200)));
    else if (draw < 300) span = base::milliseconds(static_cast<std::int64_t>(1 + random_.below(30'000)));
    else if (draw < 303)
        span = base::Duration{} - base::milliseconds(static_cast<std::int64_t>(random_.below(7'200'000)));
    clock_.advance(span);
    // A long pause is a jump of the clock, or the time did pass: the daemon knows by another clock.
    if (span >= base::limits::clock_jump_min && random_.one_in(2)) {
        ++tally_.jumps;
        say("the clock jumps ahead to " + base::format_timestamp(clock_.now()));
        machine_.engine().clock_jumped_ahead();
        machine_.engine().clock_was_set_ahead(clock_.now(), span);
        witness_.clock_was_set_ahead(span);
    }
    if (span.us >= 0) return;
    ++tally_.set_back;
    say("the clock is set back to " + base::format_timestamp(clock_.now()));
    machine_.engine().clock_was_set_back(base::Duration{} - span);
    witness_.clock_was_set_back(base::Duration{} - span);
    behind_until_ = clock_.now() + base::limits::reopen_pause_max;
}

// Clocks go forwards or back from one day to the next, because somebody said so.
void WakeWorld::change_zones() {
    if (!random_.one_in(60)) return;
    if (random_.one_in(5)) zones_.is_damaged = !zones_.is_damaged;
    else if (zones_.is_damaged) zones_.is_damaged = false;
    else {
        const auto quarters = static_cast<std::int32_t>(random_.below(100));
        zones_.decree(MadeUpZones::names[random_.below(2)], (quarters - 48) * 900);
        ++tally_.decrees;
    }
}

void WakeWorld::start() {
    witness_.restarted();
    const auto effects = machine_.start(clock_.now());
    if (!effects) return say("could not open");
    witness_.opened(clock_.now());
    look_at_all();
}

void WakeWorld::die() {
    do {
        const bool only_process = machine_.die();
        ++(only_process ? tally_.process_losses : tally_.power_losses);
        say(only_process ? "the process dies" : "the power goes");
        start();
    } while (machine_.disk().is_dead());
}

void WakeWorld::send_group(std::vector<ports::AnyCommand> commands) {
    if (machine_.is_up()) tally_.applied += commands.size();
    const engine::Effects effects = machine_.engine().step(clock_.now(), std::move(commands));
    tally_.commits_failed += effects.figures.commits_failed;
    tally_.commits_unknown += effects.figures.commits_unknown;
    if (effects.is_behind) behind_until_ = clock_.now() + base::limits::reopen_pause_max;
    if (effects.figures.reopened > 0) witness_.opened(clock_.now());
    const bool is_dead = machine_.disk().is_dead();
    for (const ports::AnyCommand& command : effects.answered) {
        if (is_dead) {
            witness_.unheard(*command);
            continue;
        }
        witness_.heard(*command, clock_.now());
        cast_.heard(*command);
    }
    if (!is_dead) look();
}

void WakeWorld::tend() {
    const bool was_up = machine_.is_up();
    if (was_up) ++tally_.sweeps;
    const engine::Effects effects = machine_.engine().tend(clock_.now());
    if (effects.is_behind) behind_until_ = clock_.now() + base::limits::reopen_pause_max;
    const bool is_done = was_up && machine_.is_up() && !machine_.disk().is_dead() && !effects.is_behind;
    if (effects.figures.reopened > 0) witness_.opened(clock_.now());
    if (was_up) witness_.tended(clock_.now(), is_done);
    tally_.commits_failed += effects.figures.commits_failed;
    tally_.commits_unknown += effects.figures.commits_unknown;
    look();
}

void WakeWorld::look() {
    if (!machine_.is_up() || machine_.disk().is_dead() || !complaints_.empty()) return;
    machine_.clear_read_errors();  // those who look are not part of the world
    const auto compared = witness_.compare(machine_.store(), clock_.now());
    if (machine_.disk().is_dead()) return;
    if (!compared.ok()) complaints_.push_back("the store cannot be read: " + compared.error().message);
    witness_.compare_due(machine_.engine().next_due(), behind_until_);
    complaints_ = witness_.drain();
}

void WakeWorld::look_at_all() {
    look();
    if (!machine_.is_up() || machine_.disk().is_dead() || !complaints_.empty()) return;
    const auto compared = witness_.compare_all(machine_.store(), clock_.now());
    if (machine_.disk().is_dead()) return;
    if (!compared.ok()) complaints_.push_back("the store cannot be read: " + compared.error().message);
    for (std::string& complaint : witness_.drain()) complaints_.push_back(std::move(complaint));
}

// The clock runs, the disk works, workers are healthy, and no timer brings more to do.
void WakeWorld::come_to_rest() {
    say("coming to rest");
    machine_.clear_troubles();
    zones_.is_damaged = false;
    for (int round = 0; complaints_.empty() && !machine_.is_up() && round < rest_rounds_max; ++round) {
        clock_.advance(base::seconds(11));
        tend();
    }
    stop_timers();
    for (int round = 0; complaints_.empty() && round < rest_rounds_max; ++round) {
        const bool is_quiet = witness_.open().empty();
        work_well();
        const auto due = machine_.engine().next_due();
        if (due && *due > clock_.now()) clock_.advance(std::min(*due - clock_.now(), base::hours(1)));
        tend();
        if (is_quiet && witness_.open().empty() && round > 20) break;
    }
    if (complaints_.empty() && !witness_.open().empty()) {
        const model::Wake& wake = witness_.open().begin()->second;
        complaints_.push_back("wake " + std::to_string(wake.id) + " of " + wake.agent_id + " never ends");
    }
    look_at_all();
}

void WakeWorld::stop_timers() {
    std::vector<ports::AnyCommand> commands;
    for (const auto& [id, timer] : witness_.timers().rows()) {
        auto command = std::make_unique<ports::DeleteTimer>();
        command->principal = model::house_principal();
        command->agent_id = timer.agent_id;
        command->id = id;
        commands.push_back(std::move(command));
    }
    if (!commands.empty()) send_group(std::move(commands));
}

void WakeWorld::work_well() {
    std::vector<ports::AnyCommand> claims;
    claims.push_back(WakeCast::claim_any());
    send_group(std::move(claims));
    std::vector<ports::AnyCommand> ends;
    for (const auto& [id, wake] : witness_.open()) {
        if (wake.state == model::WakeState::running) ends.push_back(WakeCast::end_well(wake));
    }
    if (!ends.empty()) send_group(std::move(ends));
}

}  // namespace belfry::sim
