#include "sim/devices_node.hpp"

#include "base/hash.hpp"
#include "base/timer_limits.hpp"

namespace belfry::sim {
namespace {

constexpr int starts_max = 50;

engine::EngineOptions options_of(const engine::RetentionOptions& retention, MadeUpZones& zones) {
    engine::EngineOptions options;
    options.retention = retention;
    options.zones = &zones;
    return options;
}

std::string hash_of(const std::string& text) {
    const base::Sha256 hash = base::sha256(text);
    return base::hex({reinterpret_cast<const char*>(hash.data()), hash.size()});
}

}  // namespace

DeviceNode::DeviceNode(Options options, SeededRandom random, const MadeUpClock& clock)
    : number_(options.number),
      key_("key of device " + std::to_string(options.number)),
      peer_id_(hash_of(key_)),
      clock_(clock),
      clock_is_off_(options.clock_is_off),
      weather_(options.weather),
      machine_(options.seed * 16 + options.number, random, weather_, clock, subscribers_,
               options_of(options.retention, zones_)) {}

Weather DeviceNode::fair_weather(std::uint64_t seed) {
    SeededRandom random(seed);
    Weather weather(random, seed, false);
    weather.dies_in_operation = 0;
    weather.disk_fails = 0;
    weather.disk_fills = 0;
    weather.index_blocks_lag = 0;
    weather.is_stumbling = false;
    return weather;
}

model::Peer DeviceNode::as_peer() const {
    model::Peer peer;
    peer.id = peer_id_;
    peer.name = name();
    peer.key = key_;
    return peer;
}

model::HostSeal DeviceNode::seal(const std::string& host) const {
    return {host, key_, "signed " + host};
}

void DeviceNode::set_clock(base::Duration is_off) {
    const base::Duration by = clock_is_off_ - is_off;
    clock_is_off_ = is_off;
    if (by > base::Duration{} && is_up()) machine_.engine().clock_was_set_back(by);
    if (by >= base::Duration{} || !is_up()) return;
    const base::Duration ahead = base::Duration{} - by;
    machine_.engine().clock_jumped_ahead();
    if (ahead >= base::limits::clock_jump_min) machine_.engine().clock_was_set_ahead(now(), ahead);
}

bool DeviceNode::start() {
    for (int i = 0; i < starts_max; ++i) {
        const auto effects = machine_.start(now());
        if (effects) {
            take(*effects);
            return true;
        }
        if (machine_.disk().is_dead()) ++(machine_.die() ? process_losses_ : power_losses_);
        else machine_.clear_troubles();
    }
    return false;
}

void DeviceNode::crash() {
    machine_.disk().die();
    ++(machine_.die() ? process_losses_ : power_losses_);
    owed_.clear();
    (void)start();
}

Disk::Files DeviceNode::back_up() {
    machine_.clear_troubles();
    machine_.stop();
    Disk::Files files = machine_.disk().files();
    (void)start();
    return files;
}

bool DeviceNode::restore(const Disk::Files& backup) {
    machine_.clear_troubles();
    machine_.stop();
    owed_.clear();
    return machine_.restore(backup) && start();
}

void DeviceNode::tend() {
    if (is_up()) ++sweeps_;
    take(machine_.engine().tend(now()));
}

void DeviceNode::take(const engine::Effects& effects) {
    commits_failed_ += effects.figures.commits_failed;
    has_news_ = has_news_ || effects.has_news;
    owed_.insert(owed_.end(), effects.owed.begin(), effects.owed.end());
    for (const engine::DestroyedAgent& one : effects.destroyed) destroyed_.push_back(one.id);
}

bool DeviceNode::is_in_doubt(const base::Error& why) {
    using base::Code;
    return why.code == Code::unavailable || why.code == Code::outcome_unknown || why.code == Code::io ||
           why.code == Code::overloaded;
}

}  // namespace belfry::sim
