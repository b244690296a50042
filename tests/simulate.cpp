// Belfry in a made-up world, from a seed: `simulate --seed 7`. Without a seed it runs seeds 1 to --seeds (or
// $SIM_SEEDS). A contradiction is printed with the one line that repeats it.
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <malloc.h>
#include <string>
#include <unistd.h>

#include "sim/calls_world.hpp"
#include "sim/devices_world.hpp"
#include "sim/folds_world.hpp"
#include "sim/journal_world.hpp"
#include "sim/merges_world.hpp"
#include "sim/wake_world.hpp"
#include "sim/world.hpp"

namespace {

char repeat_line[128];  // for the handler of an assertion that failed

void on_abort(int) {
    const char* lead = "aborted; repeat with: ";
    (void)!write(STDOUT_FILENO, lead, std::strlen(lead));
    (void)!write(STDOUT_FILENO, repeat_line, std::strlen(repeat_line));
    std::_Exit(1);
}

struct Options {
    std::uint64_t first = 1;
    std::uint64_t seeds = 16;
    std::uint64_t every = 1;  // 8: one of the seeds in eight, each of the same kind as the first
    std::uint64_t steps = 500;
    std::uint64_t seconds = 0;  // no seed is begun after so many; 0: all are
    bool verbose = false;
    bool crowded = false;
    std::string world = "events";  // or agents and their wakes, the journal, tools, memory, devices, or merges
};

bool read_number(const char* text, std::uint64_t& number) {
    const char* const end = text + std::strlen(text);
    const auto [at, failed] = std::from_chars(text, end, number);
    return failed == std::errc{} && at == end;
}

bool read_options(int argc, char** argv, Options& options) {
    if (const char* seeds = std::getenv("SIM_SEEDS"); seeds != nullptr && !read_number(seeds, options.seeds))
        return false;
    bool one_seed = false;
    bool counted = false;
    for (int i = 1; i < argc; ++i) {
        const std::string name = argv[i];
        if (name == "--verbose") {
            options.verbose = true;
            continue;
        }
        if (name == "--crowded") {
            options.crowded = true;
            continue;
        }
        if (i + 1 == argc) return false;
        if (name == "--world") {
            options.world = argv[++i];
            const bool is_known = options.world == "agents" || options.world == "events" ||
                                  options.world == "journal" || options.world == "tools" || options.world == "memory" ||
                                  options.world == "devices" || options.world == "merges";
            if (!is_known) return false;
            continue;
        }
        std::uint64_t value = 0;
        if (!read_number(argv[++i], value)) return false;
        if (name == "--seed") options.first = value, one_seed = true;
        else if (name == "--seeds") options.seeds = value, counted = true;
        else if (name == "--every") options.every = value;
        else if (name == "--steps") options.steps = value;
        else if (name == "--seconds") options.seconds = value;
        else return false;
    }
    if (one_seed && !counted) options.seeds = 1;
    return options.seeds > 0 && options.every > 0;  // of no seed nothing can be said
}

void print_tally(const belfry::sim::World& world) {
    const belfry::sim::Tally& t = world.tally();
    const auto n = [](std::uint64_t value) { return static_cast<unsigned long long>(value); };
    std::printf(
        "  %llu commands, %llu events, %llu power losses, %llu deaths, %llu commits failed, %llu unknown, "
        "%llu reopened, %llu comparisons, %llu blocks dropped, %llu erasures done, %llu disk operations\n",
        n(t.commands), n(t.events), n(t.power_losses), n(t.process_losses), n(t.commits_failed), n(t.commits_unknown),
        n(t.reopened), n(t.comparisons), n(t.blocks_dropped), n(t.obligations_finished), n(t.disk_operations));
    std::printf("  %llu commands applied, %llu sweeps, %llu looks for erased bytes\n", n(t.applied), n(t.sweeps),
                n(t.looks_for_erased));
    std::printf("  %llu notifications, %llu handed over, %llu confirmed, %llu gave way\n", n(t.notifications_made),
                n(t.notifications_handed_over), n(t.notifications_acknowledged), n(t.notifications_gave_way));
}

void print_tally(const belfry::sim::WakeWorld& world) {
    const auto n = [](std::uint64_t value) { return static_cast<unsigned long long>(value); };
    const auto& t = world.tally();
    const auto& s = world.sums();
    std::printf(
        "  %llu commands applied, %llu sweeps, %llu power losses, %llu deaths, %llu commits failed, %llu unknown, "
        "%llu disk operations, %llu times the clock was set back, %llu jumps, %llu decrees about zones\n",
        n(t.applied), n(t.sweeps), n(t.power_losses), n(t.process_losses), n(t.commits_failed), n(t.commits_unknown),
        n(t.disk_operations), n(t.set_back), n(t.jumps), n(t.decrees));
    std::printf(
        "  %llu wakes, %llu completed, %llu attempts more, %llu stale words, %llu times dormant; of events %llu, of "
        "changes %llu, by the clock %llu, of them late %llu\n",
        n(s.wakes), n(s.completed), n(s.retried), n(s.stale), n(s.dormant), n(s.events_told), n(s.changes_told),
        n(s.fired), n(s.catch_ups));
}

void print_tally(const belfry::sim::JournalWorld& world) {
    const auto n = [](std::uint64_t value) { return static_cast<unsigned long long>(value); };
    const auto& t = world.tally();
    const auto& s = world.sums();
    std::printf(
        "  %llu commands applied, %llu sweeps, %llu power losses, %llu deaths, %llu commits failed, %llu unknown, "
        "%llu disk operations\n",
        n(t.applied), n(t.sweeps), n(t.power_losses), n(t.process_losses), n(t.commits_failed), n(t.commits_unknown),
        n(t.disk_operations));
    std::printf(
        "  %llu made, %llu changed, %llu deleted, %llu with another, %llu linked, %llu imported, %llu by the agent; "
        "%llu refused, %llu as stale, %llu as out of scope; %llu batches\n",
        n(s.made), n(s.changed), n(s.deleted), n(s.followed), n(s.linked), n(s.imported), n(s.by_agent), n(s.refused),
        n(s.stale), n(s.out_of_scope), n(s.batches));
}

// Of all seeds together: each is one run.
void print_tally(const belfry::sim::CallsWorld::Tally& t) {
    const auto n = [](std::uint64_t value) { return static_cast<unsigned long long>(value); };
    const auto& s = t.sums;
    std::printf(
        "  %llu calls sent, %llu of them unheard; %llu recorded, %llu of them refused; %llu told as known, %llu "
        "mutations of journals\n",
        n(t.asked), n(t.unheard), n(s.calls), n(s.refused), n(s.repeats), n(s.mutations));
    std::printf(
        "  %llu claims, %llu workers lost, %llu power losses, %llu deaths, %llu restarts, %llu commits failed, %llu "
        "unknown, %llu disk operations\n",
        n(t.claims), n(t.workers_lost), n(t.power_losses), n(t.process_losses), n(t.restarts), n(t.commits_failed),
        n(t.commits_unknown), n(t.disk_operations));
}

void print_tally(const belfry::sim::CallsWorld& world) {
    print_tally(world.tally());
}

// Of all seeds together, too.
void print_tally(const belfry::sim::FoldsWorld::Tally& t) {
    const auto n = [](std::uint64_t value) { return static_cast<unsigned long long>(value); };
    const auto& s = t.sums;
    std::printf(
        "  %llu messages, %llu of them forgotten; %llu folds, %llu failures, %llu answers too late; %llu summaries at "
        "the "
        "end, %llu of them lies, the deepest of depth %llu\n",
        n(s.messages), n(s.forgotten), n(t.folds), n(t.failures), n(t.stale), n(s.summaries), n(s.lies), n(s.deepest));
    std::printf(
        "  %llu looks, %llu contexts, %llu failures that changed nothing; %llu power losses, %llu deaths, %llu "
        "restarts, "
        "%llu answers unheard, %llu commits failed, %llu unknown\n",
        n(t.looks), n(s.contexts), n(s.harmless), n(t.power_losses), n(t.process_losses), n(t.restarts), n(t.unheard),
        n(t.commits_failed), n(t.commits_unknown));
}

void print_tally(const belfry::sim::FoldsWorld& world) {
    print_tally(world.tally());
}

// And of these.
void print_tally(const belfry::sim::DevicesWorld::Tally& t) {
    const auto n = [](std::uint64_t value) { return static_cast<unsigned long long>(value); };
    const auto& l = t.links;
    const auto& s = t.sums;
    std::printf(
        "  %llu devices, %llu power losses, %llu deaths, %llu restored, %llu clocks set; %llu links opened, %llu cut; "
        "%llu rounds until all was told\n",
        n(t.devices), n(t.power_losses), n(t.process_losses), n(t.restores), n(t.clocks_set), n(l.opened), n(l.cut),
        n(t.rest_rounds));
    std::printf(
        "  %llu messages of %llu bytes, %llu of them frames, %llu pages of the whole; %llu lost, %llu doubled, %llu "
        "late, %llu refusals\n",
        n(l.messages), n(l.bytes), n(l.frames), n(l.whole_pages), n(l.lost), n(l.doubled), n(l.reordered),
        n(l.refused));
    std::printf(
        "  %llu changes told, %llu records taken, %llu of them merged; %llu gaps, %llu ranges confirmed as gone\n",
        n(l.units), n(l.records), n(l.merged), n(l.gaps), n(l.confirmed));
    std::printf(
        "  %llu writes, %llu deletions, %llu messages of agents, %llu forgotten; %llu runs, %llu of them on more than "
        "one device, %llu mails\n",
        n(s.writes), n(s.deletions), n(s.messages), n(s.forgotten), n(s.runs), n(s.runs_doubled), n(s.mails));
}

void print_tally(const belfry::sim::DevicesWorld& world) {
    print_tally(world.tally());
}

void print_tally(const belfry::sim::MergesWorld::Tally& t) {
    const auto n = [](std::uint64_t value) { return static_cast<unsigned long long>(value); };
    std::printf(
        "  %llu merges of %llu writes: %llu changed something, %llu of them where both knew what the other did not; "
        "%llu notes\n",
        n(t.applied), n(t.sweeps), n(t.changed), n(t.both), n(t.notes));
}

void print_tally(const belfry::sim::MergesWorld& world) {
    print_tally(world.tally());
}

struct Lived {
    belfry::sim::Complaints complaints;
    std::uint64_t rounds = 0;
    std::uint64_t commands = 0;
    std::uint64_t sweeps = 0;
    belfry::sim::CallsWorld::Tally calls;      // of the world of tools
    belfry::sim::FoldsWorld::Tally folds;      // of the world of memory
    belfry::sim::DevicesWorld::Tally devices;  // of the world of devices
    belfry::sim::MergesWorld::Tally merges;    // of the world of merges
};

template <class World>
Lived live(World&& world, std::uint64_t steps, bool is_told) {
    Lived lived;
    lived.complaints = world.run(steps);
    lived.rounds = world.steps_done();
    lived.commands = world.tally().applied;
    lived.sweeps = world.tally().sweeps;
    if (lived.complaints.empty() && is_told) print_tally(world);
    return lived;
}

Lived live_in(const Options& options, std::uint64_t seed, bool is_told) {
    using namespace belfry::sim;
    if (options.world == "agents") return live(WakeWorld(seed, options.verbose), options.steps, is_told);
    if (options.world == "journal") return live(JournalWorld(seed, options.verbose), options.steps, is_told);
    if (options.world == "tools") {
        CallsWorld world(seed, options.verbose);
        Lived lived = live(world, options.steps, is_told);
        lived.calls = world.tally();
        return lived;
    }
    if (options.world == "memory") {
        FoldsWorld world(seed, options.verbose);
        Lived lived = live(world, options.steps, is_told);
        lived.folds = world.tally();
        return lived;
    }
    if (options.world == "devices") {
        DevicesWorld world(seed, options.verbose);
        Lived lived = live(world, options.steps, is_told);
        lived.devices = world.tally();
        return lived;
    }
    if (options.world == "merges") {
        MergesWorld world(seed, options.verbose);
        Lived lived = live(world, options.steps, is_told);
        lived.merges = world.tally();
        return lived;
    }
    return live(World(seed, options.verbose, options.crowded), options.steps, is_told);
}

}  // namespace

int main(int argc, char** argv) {
    Options options;
    if (!read_options(argc, argv, options)) {
        std::fprintf(
            stderr,
            "simulate [--world events|agents|journal|tools|memory|devices|merges] [--seed N] [--seeds K] [--every E] "
            "[--steps M] "
            "[--seconds S] "
            "[--crowded] [--verbose]\n");
        return 2;
    }
    std::signal(SIGABRT, on_abort);
    // Files in memory grow by many small pieces: their room is kept, not given back and fetched anew each time.
    mallopt(M_MMAP_THRESHOLD, 1 << 30);
    mallopt(M_TRIM_THRESHOLD, 1 << 30);
    const auto begun = std::chrono::steady_clock::now();
    std::uint64_t done = 0;
    std::uint64_t commands = 0;
    std::uint64_t sweeps = 0;
    belfry::sim::CallsWorld::Tally calls;
    belfry::sim::FoldsWorld::Tally folds;
    belfry::sim::MergesWorld::Tally merges;
    belfry::sim::DevicesWorld::Tally devices;
    for (std::uint64_t seed = options.first; done < options.seeds; seed += options.every) {
        if (options.seconds > 0 && std::chrono::steady_clock::now() - begun > std::chrono::seconds(options.seconds))
            break;
        std::snprintf(repeat_line, sizeof repeat_line, "simulate --seed %llu --steps %llu%s%s\n",
                      static_cast<unsigned long long>(seed), static_cast<unsigned long long>(options.steps),
                      options.crowded ? " --crowded" : "",
                      options.world == "events" ? "" : (" --world " + options.world).c_str());
        const bool is_told = options.verbose || options.seeds == 1;
        const Lived lived = live_in(options, seed, is_told);
        ++done;
        commands += lived.commands;
        sweeps += lived.sweeps;
        calls += lived.calls;
        folds += lived.folds;
        merges += lived.merges;
        devices += lived.devices;
        if (lived.complaints.empty()) continue;
        std::printf("step %llu: %s\nrepeat with: %sfound after %llu seeds, %llu steps\n",
                    static_cast<unsigned long long>(lived.rounds), lived.complaints.front().c_str(), repeat_line,
                    static_cast<unsigned long long>(done), static_cast<unsigned long long>(commands + sweeps));
        return 1;
    }
    // A step of the engine is a command that it applied or a sweep of what the clock brought.
    std::printf("simulate: %llu seeds, %llu steps, %llu commands, no contradiction\n",
                static_cast<unsigned long long>(done), static_cast<unsigned long long>(commands + sweeps),
                static_cast<unsigned long long>(commands));
    if (options.world == "tools" && options.seeds > 1) print_tally(calls);
    if (options.world == "memory" && options.seeds > 1) print_tally(folds);
    if (options.world == "merges" && options.seeds > 1) print_tally(merges);
    if (options.world == "devices" && options.seeds > 1) print_tally(devices);
    return 0;
}
