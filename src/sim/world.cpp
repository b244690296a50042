#include "sim/world.hpp"

#include <algorithm>
#include <cstdio>

#include "engine/stream_book.hpp"
#include "store/sqlite_database.hpp"

namespace belfry::sim {
namespace {

constexpr const char* file_name = "/belfry.db";

template <class Command>
const auto& reply_of(const ports::AnyCommand& command) {
    return static_cast<const Command&>(*command).result();
}

}  // namespace

World::World(std::uint64_t seed, bool verbose)
    : verbose_(verbose),
      random_(seed),
      engine_random_(random_.fork()),
      disk_(random_.fork()),
      vfs_("belfry-sim-" + std::to_string(seed), disk_, clock_, random_.fork()),
      weather_(random_),
      planner_(random_.fork()) {}

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
    pass_time();
    const std::uint64_t draw = random_.below(1000);
    if (draw < weather_.checkpoints) checkpoint(random_.one_in(2) ? "PASSIVE" : "TRUNCATE");
    else if (draw < 150) tend();
    else if (draw < 160) compare();
    else send_group();
    if (disk_.is_dead()) return;
    if (random_.below(1000) < weather_.dies_after_step) disk_.die();
    else if (random_.below(1000) < weather_.restarts) stop();
}

void World::bring_trouble() {
    if (random_.below(1000) < weather_.dies_in_operation) disk_.die_after(1 + random_.below(60));
    if (random_.below(1000) < weather_.disk_fails) weather_.trouble(random_, disk_);
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

void World::pass_time() {
    base::Duration span = base::microseconds(static_cast<std::int64_t>(1 + random_.below(5000)));
    const std::uint64_t draw = random_.below(1000);
    if (draw < weather_.long_waits) span = base::minutes(static_cast<std::int64_t>(1 + random_.below(1800)));
    else if (draw < 150) span = base::milliseconds(static_cast<std::int64_t>(1 + random_.below(30'000)));
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
    process_ = std::make_unique<Process>(std::move(options), engine_random_, subscribers_, std::move(engine_options));
    blocks_.unheard();
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
    start();
    if (disk_.is_dead()) die();
}

void World::stop() {
    say("stop and start");
    process_.reset();
    claims_.clear();
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
    const engine::Effects effects = process_->engine.step(clock_.now(), std::move(commands));
    if (disk_.is_dead()) {
        say("dies in a group of " + std::to_string(count));
        return hear_nothing(sent);
    }
    hear_answers(sent, effects);
    hear(effects);
    if (!is_up()) say("down: " + process_->engine.last_error().message);
}

void World::hear_answers(const std::vector<Sent>& sent, const engine::Effects& effects) {
    const base::Timestamp now = clock_.now();
    for (std::size_t i = 0; i < sent.size(); ++i) {
        const ports::AnyCommand& answered = effects.answered[i];
        if (!answered->is_settled()) {
            complaints_.push_back("a command got no answer");
        } else if (const auto* request = std::get_if<SentRequest>(&sent[i])) {
            events_.told(*request, reply_of<ports::EmitEvents>(answered), now, complaints_);
        } else if (const auto* mint = std::get_if<SentMint>(&sent[i])) {
            tokens_.told(*mint, reply_of<ports::MintToken>(answered), complaints_);
        } else if (const auto* revoke = std::get_if<SentRevoke>(&sent[i])) {
            tokens_.told(*revoke, reply_of<ports::RevokeToken>(answered), now, complaints_);
        } else if (const auto* erase = std::get_if<SentErase>(&sent[i])) {
            erasures_.told(*erase, reply_of<ports::EraseUser>(answered), complaints_);
        } else if (const auto* slice = std::get_if<SentSlice>(&sent[i])) {
            const auto& reply = reply_of<ports::EraseSlice>(answered);
            erasures_.told(*slice, reply, complaints_);
            if (reply.ok() && reply->finished)
                std::erase_if(claims_, [&](const SentSlice& claim) { return claim.obligation == slice->obligation; });
        } else if (const auto* postpone = std::get_if<SentPostpone>(&sent[i])) {
            std::erase_if(claims_, [&](const SentSlice& claim) { return claim.obligation == postpone->obligation; });
        }
    }
    if (effects.figures.commits_unknown > 0) blocks_.unheard();
}

void World::hear_nothing(const std::vector<Sent>& sent) {
    blocks_.unheard();
    for (const Sent& one : sent) {
        if (const auto* request = std::get_if<SentRequest>(&one)) events_.unheard(*request, clock_.now());
        else if (const auto* mint = std::get_if<SentMint>(&one)) tokens_.unheard(*mint);
        else if (const auto* revoke = std::get_if<SentRevoke>(&one)) tokens_.unheard(*revoke);
        else if (const auto* erase = std::get_if<SentErase>(&one)) erasures_.unheard(*erase);
        else if (const auto* slice = std::get_if<SentSlice>(&one)) erasures_.unheard(*slice);
    }
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
        std::erase_if(claims_, [&](const SentSlice& claim) { return claim.obligation == owed.id; });
        claims_.push_back({owed.id, owed.fence, false});
    }
    tally_.events += effects.figures.events_accepted;
    tally_.commits_failed += effects.figures.commits_failed;
    tally_.commits_unknown += effects.figures.commits_unknown;
    tally_.reopened += effects.figures.reopened;
    tally_.blocks_dropped += effects.figures.blocks_dropped;
    tally_.obligations_finished += effects.figures.obligations_finished;
    // Nothing is answered that is not published in the same breath.
    if (effects.streams.empty() && blocks_.last(engine::StreamBook::events) != events_.head()) {
        complaints_.push_back("answered up to event " + std::to_string(events_.head()) + ", published up to " +
                              std::to_string(blocks_.last(engine::StreamBook::events)));
    }
}

}  // namespace belfry::sim
