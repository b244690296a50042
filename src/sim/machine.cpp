#include "sim/machine.hpp"

#include "store/sqlite_database.hpp"

namespace belfry::sim {
namespace {

constexpr const char* file_name = "/belfry.db";

}  // namespace

Machine::Machine(std::uint64_t seed, SeededRandom random, const Weather& weather, const MadeUpClock& clock,
                 const ports::Subscribers& subscribers, engine::EngineOptions options)
    : random_(random),
      engine_random_(random_.fork()),
      weather_(weather),
      disk_(random_.fork()),
      vfs_("belfry-machine-" + std::to_string(seed), disk_, clock, random_.fork()),
      subscribers_(subscribers),
      options_(std::move(options)) {}

Machine::~Machine() {
    disk_.die();
    process_.reset();
}

base::Result<std::unique_ptr<store::Database>> Machine::connect() {
    store::SqliteOptions sqlite;
    sqlite.path = file_name;
    sqlite.vfs = vfs_.name();
    sqlite.exclusive = true;
    TRY_ASSIGN(std::unique_ptr<store::Database> database, store::open_sqlite(std::move(sqlite)));
    TRY(database->script("PRAGMA cache_size = " + std::to_string(weather_.cache_pages)));
    return database;
}

bool Machine::restore(const Disk::Files& backup) {
    disk_.replace(backup);
    auto database = connect();
    return database.ok() && (*database)->script("UPDATE this_host SET incarnation = x''").ok();
}

std::optional<engine::Effects> Machine::start(base::Timestamp now) {
    store::SqlStoreOptions options;
    options.connect = [this] { return connect(); };
    options.index_lag.blocks_max = weather_.index_blocks_lag;
    process_ = std::make_unique<Process>(std::move(options), engine_random_, subscribers_, options_);
    if (random_.below(1000) < weather_.dies_in_operation * 3) disk_.die_after(1 + random_.below(40));
    auto effects = process_->engine.open(now);
    if (disk_.is_dead() || !effects.ok()) return std::nullopt;
    return std::move(*effects);
}

bool Machine::die() {
    const bool only_process = random_.percent(weather_.only_process_dies);
    process_.reset();
    if (only_process) disk_.lose_process();
    else disk_.lose_power();
    full_until_ = 0;
    return only_process;
}

void Machine::bring_trouble(std::uint64_t step) {
    if (random_.below(1000) < weather_.dies_in_operation) disk_.die_after(1 + random_.below(60));
    if (weather_.is_stumbling) disk_.clear_faults(Fault::read_error);  // those that nothing met
    // Failures that pile up while nobody works on the disk would keep it shut for ever.
    if (random_.below(1000) < weather_.disk_fails && (is_up() || random_.one_in(8))) weather_.trouble(random_, disk_);
    if (full_until_ == 0 && random_.below(1000) < weather_.disk_fills) {
        disk_.set_capacity(disk_.used() + random_.below(20'000));
        full_until_ = step + 5 + random_.below(40);
    }
    if (full_until_ != 0 && step >= full_until_) {
        disk_.set_capacity(std::nullopt);
        full_until_ = 0;
    }
}

}  // namespace belfry::sim
