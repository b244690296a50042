#include "sim/world.hpp"

#include <algorithm>
#include <cstdio>

#include "engine/sink_calls.hpp"
#include "engine/stream_book.hpp"
#include "sim/catalogue.hpp"
#include "store/sqlite_database.hpp"

namespace belfry::sim {
namespace {

constexpr const char* file_name = "/belfry.db";

}  // namespace

World::World(std::uint64_t seed, bool verbose, bool is_crowd)
    : verbose_(verbose),
      random_(seed),
      engine_random_(random_.fork()),
      disk_(random_.fork()),
      vfs_("belfry-sim-" + std::to_string(seed), disk_, clock_, random_.fork()),
      weather_(random_, seed, is_crowd),
      catalogue_random_(random_.fork()),
      planner_(random_.fork(), places_),
      agents_(random_.fork(), places_),
      people_(random_.fork(), places_),
      notifications_(weather_.retention.notifications_kept),
      delivery_(random_.fork(), weather_.retention.notifications_kept),
      began_at_(clock_.now()),
      compared_at_(clock_.now()) {
    if (weather_.has_subscribers) subscribers_.hold(draw_catalogue(catalogue_random_));
    if (weather_.has_sinks) sinks_.hold(draw_sinks());
    delivery_.inboxes().hold(*sinks_.current());
}

World::~World() {
    disk_.die();
    process_.reset();
}

void World::say(const std::string& what) const {
    if (verbose_) std::fprintf(stderr, "%6llu  %s\n", static_cast<unsigned long long>(step_), what.c_str());
}

Complaints World::run(std::uint64_t steps) {
    start();
    while (step_ < steps && complaints_.empty()) {
        ++step_;
        one_step();
        if (disk_.is_dead()) die();
    }
    if (complaints_.empty()) come_to_rest();
    tally_.disk_operations = disk_.operations();
    return complaints_;
}

void World::one_step() {
    bring_trouble();
    if (random_.below(1000) < weather_.catalogue_changes) change_catalogue();
    pass_time();
    const std::uint64_t draw = random_.below(1000);
    if (draw < weather_.checkpoints) {
        checkpoint(random_.one_in(2) ? "PASSIVE" : "TRUNCATE");
    } else if (draw < 150) {
        tend();
        // Another watchdog at the same instant.
        if (random_.one_in(4) && !disk_.is_dead()) tend();
    } else if (draw < 160) {
        compare();
    } else {
        send_group();
    }
    if (disk_.is_dead()) return;
    if (random_.below(1000) < weather_.dies_after_step) disk_.die();
    else if (random_.below(1000) < weather_.restarts) stop();
}

void World::bring_trouble() {
    if (random_.below(1000) < weather_.dies_in_operation) disk_.die_after(1 + random_.below(60));
    if (weather_.is_stumbling) disk_.clear_faults(Fault::read_error);  // those that nothing met
    // Failures that pile up while nobody works on the disk would keep it shut for ever.
    if (random_.below(1000) < weather_.disk_fails && (is_up() || random_.one_in(8))) weather_.trouble(random_, disk_);
    if (full_until_ == 0 && random_.below(1000) < weather_.disk_fills) {
        disk_.set_capacity(disk_.used() + random_.below(20'000));
        full_until_ = step_ + 5 + random_.below(40);
        say("the disk is nearly full");
    }
    if (full_until_ != 0 && step_ >= full_until_) {
        disk_.set_capacity(std::nullopt);
        full_until_ = 0;
    }
}

// The engine hears of it by a command, or by looking, or when it starts the next time.
void World::change_catalogue() {
    if (!weather_.has_subscribers || !is_up()) return;
    subscribers_.hold(draw_catalogue(catalogue_random_));
    say("the subscribers change");
    if (random_.one_in(5)) disk_.die();
}

void World::pass_time() {
    base::Duration span = base::microseconds(static_cast<std::int64_t>(1 + random_.below(5000)));
    const std::uint64_t draw = random_.below(1000);
    if (random_.below(1000) < weather_.months) {
        compare();  // what ends while nobody looks is known before
        span = base::days(static_cast<std::int64_t>(20 + random_.below(25)));
    } else if (draw < weather_.long_waits) span = base::minutes(static_cast<std::int64_t>(1 + random_.below(1800)));
    else if (draw < weather_.long_waits + weather_.waits)
        span = base::seconds(static_cast<std::int64_t>(1 + random_.below(1200)));
    else if (draw < 150) span = base::milliseconds(static_cast<std::int64_t>(1 + random_.below(30'000)));
    else if (draw < 150 + weather_.moments)
        span = base::milliseconds(static_cast<std::int64_t>(1 + random_.below(4000)));
    clock_.advance(span);
}

void World::start() {
    store::SqlStoreOptions options;
    options.connect = [this]() -> base::Result<std::unique_ptr<store::Database>> {
        store::SqliteOptions sqlite;
        sqlite.path = file_name;
        sqlite.vfs = vfs_.name();
        sqlite.exclusive = true;
        TRY_ASSIGN(std::unique_ptr<store::Database> database, store::open_sqlite(std::move(sqlite)));
        TRY(database->script("PRAGMA cache_size = " + std::to_string(weather_.cache_pages)));
        return database;
    };
    options.index_lag.blocks_max = weather_.index_blocks_lag;
    engine::EngineOptions engine_options;
    engine_options.retention = weather_.retention;
    engine_options.sinks = &sinks_;
    engine_options.queue_rows_max = weather_.queue_rows_max;
    process_ = std::make_unique<Process>(std::move(options), engine_random_, subscribers_, std::move(engine_options));
    blocks_.unheard();
    delivery_.restarted();
    if (random_.below(1000) < weather_.dies_in_operation * 3) disk_.die_after(1 + random_.below(40));
    const auto effects = process_->engine.open(clock_.now());
    if (disk_.is_dead()) return;
    if (!effects.ok()) {
        say("could not open: " + effects.error().message);
        return;
    }
    hear(*effects);
    compare();
}

void World::die() {
    const bool only_process = random_.percent(weather_.only_process_dies);
    process_.reset();
    if (only_process) disk_.lose_process();
    else disk_.lose_power();
    ++(only_process ? tally_.process_losses : tally_.power_losses);
    full_until_ = 0;
    say(only_process ? "the process dies" : "the power goes");
    claims_.clear();
    calls_.clear();
    start();
    if (disk_.is_dead()) die();
}

void World::stop() {
    say("stop and start");
    process_.reset();
    claims_.clear();
    calls_.clear();
    if (!disk_.is_dead()) start();
}

Sent World::plan() {
    const std::uint64_t draw = random_.below(1000);
    if (draw < weather_.erasures) return planner_.erase();
    if (draw < 60) return planner_.mint();
    if (draw < 90) {
        const std::string id = tokens_.some(random_.next());
        if (!id.empty()) return SentRevoke{id};
    }
    if (draw < 350 && !claims_.empty()) {
        SentSlice claim = claims_[random_.below(claims_.size())];
        if (random_.one_in(10)) {
            --claim.fence;
            claim.is_stale = true;
        } else if (random_.one_in(6)) {
            return SentPostpone{claim.obligation, claim.fence};
        }
        return claim;
    }
    if (draw < 450 && !calls_.empty()) {
        SentFinish call = calls_[random_.below(calls_.size())];
        if (random_.one_in(4)) return SentPostpone{call.obligation, call.fence};
        call.is_done = !random_.one_in(5);
        return call;
    }
    if (random_.below(1000) < weather_.deliveries) return people_.act(delivery_);
    if (const auto sent = plan_for_agents(random_.below(1000))) return *sent;
    SentRequest request = planner_.request();
    while (events_.is_retired(request)) request = planner_.request();
    return request;
}

void World::send_group() {
    std::vector<Sent> sent;
    std::vector<ports::AnyCommand> commands;
    const std::uint64_t count = 1 + random_.below(weather_.group_max);
    for (std::uint64_t i = 0; i < count; ++i) {
        sent.push_back(plan());
        commands.push_back(to_command(sent.back()));
    }
    tally_.commands += count;
    if (is_up()) tally_.applied += count;
    wants_.hold(subscribers_.current());
    notifications_.hold(subscribers_.current());
    const engine::Effects effects = process_->engine.step(clock_.now(), std::move(commands));
    if (disk_.is_dead()) {
        say("dies in a group of " + std::to_string(count));
        return hear_nothing(sent);
    }
    hear_answers(sent, effects);
    hear_of_delivery(effects);
    hear(effects);
    if (!is_up()) say("down: " + process_->engine.last_error().message);
}

void World::hear_answers(const std::vector<Sent>& sent, const engine::Effects& effects) {
    const Bodies published = bodies_of(effects);
    delivery_.began(effects);
    for (std::size_t i = 0; i < sent.size(); ++i) {
        const ports::AnyCommand& answered = effects.answered[i];
        if (!answered->is_settled()) {
            complaints_.push_back("a command got no answer");
            continue;
        }
        std::visit([&](const auto& one) { told(one, answered, published); }, sent[i]);
        notifications_.took(events_.drain(), wants_);
    }
    if (effects.figures.commits_unknown > 0) {
        blocks_.unheard();
        delivery_.unheard();
    }
}

void World::hear_nothing(const std::vector<Sent>& sent) {
    blocks_.unheard();
    delivery_.unheard();
    for (const Sent& one : sent) unheard(one);
}

void World::hear(const engine::Effects& effects) {
    blocks_.published(effects.published, complaints_);
    if (effects.tokens) tokens_.listed(effects.tokens);
    for (const model::StreamInfo& floor : effects.floors) {
        if (floor.id != engine::StreamBook::events) continue;
        std::optional<base::Timestamp> older_than;
        if (weather_.drops_by_age_only) older_than = clock_.now() - weather_.retention.events_kept;
        events_.dropped(floor.floor, older_than, complaints_);
    }
    for (const ports::Obligation& owed : effects.owed) {
        if (owed.kind == engine::sink_kind) {
            std::erase_if(calls_, [&](const SentFinish& call) { return call.obligation == owed.id; });
            calls_.push_back({owed.id, owed.fence, true});
            continue;
        }
        std::erase_if(claims_, [&](const SentSlice& claim) { return claim.obligation == owed.id; });
        claims_.push_back({owed.id, owed.fence, false});
    }
    tally_.events += effects.figures.events_accepted;
    tally_.commits_failed += effects.figures.commits_failed;
    tally_.commits_unknown += effects.figures.commits_unknown;
    tally_.reopened += effects.figures.reopened;
    tally_.blocks_dropped += effects.figures.blocks_dropped;
    tally_.obligations_finished += effects.figures.obligations_finished;
    tally_.notifications_made += effects.figures.notifications_made;
    tally_.notifications_handed_over += effects.figures.notifications_handed_over;
    tally_.notifications_acknowledged += effects.figures.notifications_acknowledged;
    tally_.notifications_gave_way += effects.figures.notifications_gave_way;
    // Nothing is answered that is not published in the same breath.
    if (effects.streams.empty() && blocks_.last(engine::StreamBook::events) != events_.head()) {
        complaints_.push_back("answered up to event " + std::to_string(events_.head()) + ", published up to " +
                              std::to_string(blocks_.last(engine::StreamBook::events)));
    }
}

}  // namespace belfry::sim
