#include "sim/journal_world.hpp"

#include <cstdio>

#include "ports/commands/agents.hpp"

namespace belfry::sim {
namespace {

constexpr int rest_rounds_max = 2000;

engine::EngineOptions options_of(const Weather& weather, MadeUpZones& zones) {
    engine::EngineOptions options;
    options.retention = weather.retention;
    options.zones = &zones;
    return options;
}

}  // namespace

JournalWorld::JournalWorld(std::uint64_t seed, bool verbose)
    : verbose_(verbose),
      random_(seed),
      weather_(random_, seed, false),
      machine_(seed, random_.fork(), weather_, clock_, subscribers_, options_of(weather_, zones_)),
      cast_(random_.fork()) {}

void JournalWorld::say(const std::string& what) const {
    if (verbose_) std::fprintf(stderr, "%6llu  %s\n", static_cast<unsigned long long>(step_), what.c_str());
}

Complaints JournalWorld::run(std::uint64_t steps) {
    start();
    make_agent();
    while (step_ < steps && complaints_.empty()) {
        ++step_;
        one_step();
        if (machine_.disk().is_dead()) die();
    }
    if (complaints_.empty()) come_to_rest();
    tally_.disk_operations = machine_.disk().operations();
    return complaints_;
}

void JournalWorld::make_agent() {
    std::vector<ports::AnyCommand> commands;
    auto agent = std::make_unique<ports::CreateAgent>();
    agent->principal = model::house_principal();
    agent->draft.id = JournalCast::agent;
    agent->draft.user_id = "ada";
    agent->draft.allowed_category_ids = JournalCast::allowed;
    commands.push_back(std::move(agent));
    auto rule = std::make_unique<ports::PutWakeSubscription>();
    rule->principal = model::house_principal();
    rule->draft.agent_id = JournalCast::agent;
    rule->draft.tokens = {"key:TASK", "key:CHECKLIST", "sub:link.relation/parent"};
    rule->draft.predicate = R"(task.category_id == "gym" or linked("parent"))";
    commands.push_back(std::move(rule));
    send_group(std::move(commands));
}

void JournalWorld::one_step() {
    machine_.bring_trouble(step_);
    const std::uint64_t wait = random_.below(100);
    if (wait < 3) clock_.advance(base::minutes(static_cast<std::int64_t>(random_.below(600))));
    else clock_.advance(base::milliseconds(static_cast<std::int64_t>(random_.below(wait < 40 ? 300 : 5))));
    const std::uint64_t draw = random_.below(1000);
    if (draw < 250) {
        tend();
    } else if (draw < 250 + weather_.checkpoints / 4 && machine_.is_up()) {
        (void)machine_.store().database().script("PRAGMA wal_checkpoint(TRUNCATE)");
    } else {
        std::vector<ports::AnyCommand> commands;
        const std::uint64_t count = 1 + random_.below(weather_.group_max);
        for (std::uint64_t i = 0; i < count; ++i) commands.push_back(cast_.act(witness_.seen(), clock_.now()));
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

void JournalWorld::start() {
    if (machine_.start(clock_.now())) look();
    else say("could not open");
}

void JournalWorld::die() {
    do {
        const bool only_process = machine_.die();
        ++(only_process ? tally_.process_losses : tally_.power_losses);
        say(only_process ? "the process dies" : "the power goes");
        start();
    } while (machine_.disk().is_dead());
}

void JournalWorld::send_group(std::vector<ports::AnyCommand> commands) {
    if (machine_.is_up()) tally_.applied += commands.size();
    const engine::Effects effects = machine_.engine().step(clock_.now(), std::move(commands));
    tally_.commits_failed += effects.figures.commits_failed;
    tally_.commits_unknown += effects.figures.commits_unknown;
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

void JournalWorld::tend() {
    if (machine_.is_up()) ++tally_.sweeps;
    const engine::Effects effects = machine_.engine().tend(clock_.now());
    tally_.commits_failed += effects.figures.commits_failed;
    tally_.commits_unknown += effects.figures.commits_unknown;
    if (!machine_.disk().is_dead()) look();
}

void JournalWorld::look() {
    if (!machine_.is_up() || machine_.disk().is_dead() || !complaints_.empty()) return;
    machine_.clear_read_errors();  // those who look are not part of the world
    const auto looked = look_at_journal(machine_.store(), {"ada", "bob"});
    if (machine_.disk().is_dead()) return;
    if (looked.ok()) witness_.compare(*looked);
    else complaints_.push_back("the store cannot be read: " + looked.error().message);
    for (std::string& complaint : witness_.drain()) complaints_.push_back(std::move(complaint));
}

// The disk works again, and all changes come into their batches.
void JournalWorld::come_to_rest() {
    say("coming to rest");
    machine_.clear_troubles();
    for (int round = 0; complaints_.empty() && round < rest_rounds_max; ++round) {
        clock_.advance(machine_.is_up() ? base::milliseconds(200) : base::seconds(11));
        tend();
        if (machine_.is_up() && round > 10) break;
    }
    if (!machine_.is_up()) complaints_.push_back("it does not come up again");
}

}  // namespace belfry::sim
