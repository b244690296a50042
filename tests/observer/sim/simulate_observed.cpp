// simulate_observed [--seed N] [--seeds N] [--steps N] [--until-steps TOTAL] [--keep FILE] [--quiet]: random worlds of
// the simulator, judged by what users, models and callers saw. Exit code 0: every promise was kept; 1: a violation,
// with its evidence and the line that repeats it; 2: the arguments are wrong.
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <malloc.h>
#include <map>
#include <set>
#include <string>
#include <unistd.h>

#include "checker.hpp"
#include "observation_json.hpp"
#include "observed_world.hpp"

namespace {

char repeat_line[128];  // for the handler of an assertion that failed

void on_abort(int) {
    const char* const lead = "aborted; repeat with: ";
    (void)!write(STDOUT_FILENO, lead, std::strlen(lead));
    (void)!write(STDOUT_FILENO, repeat_line, std::strlen(repeat_line));
    std::_Exit(1);
}

struct Options {
    std::uint64_t first = 1;
    std::uint64_t seeds = 20;
    std::uint64_t steps = 600;
    std::uint64_t until_steps = 0;  // 0: as many seeds as were asked for
    std::string keep;
    bool quiet = false;
    bool goes_on = false;           // after a violation
    std::set<std::string> without;  // invariants that are not judged
    std::set<std::string> drop;     // kinds of observations that are left out: shows that the checker can fail
};

bool read_number(const char* text, std::uint64_t& number) {
    const char* const end = text + std::strlen(text);
    const auto [at, failed] = std::from_chars(text, end, number);
    return failed == std::errc{} && at == end;
}

bool read_options(int count, char** arguments, Options& options) {
    bool is_one = false;
    bool is_counted = false;
    for (int i = 1; i < count; ++i) {
        const std::string name = arguments[i];
        if (name == "--quiet") {
            options.quiet = true;
            continue;
        }
        if (name == "--go-on") {
            options.goes_on = true;
            continue;
        }
        if (++i == count) return false;
        if (name == "--drop") {
            options.drop.insert(arguments[i]);
            continue;
        }
        if (name == "--without") {
            options.without.insert(arguments[i]);
            continue;
        }
        if (name == "--keep") {
            options.keep = arguments[i];
            continue;
        }
        std::uint64_t value = 0;
        if (!read_number(arguments[i], value)) return false;
        if (name == "--seed") options.first = value, is_one = true;
        else if (name == "--seeds") options.seeds = value, is_counted = true;
        else if (name == "--steps") options.steps = value;
        else if (name == "--until-steps") options.until_steps = value, is_counted = true;
        else return false;
    }
    if (is_one && !is_counted) options.seeds = 1;
    return options.seeds > 0 || options.until_steps > 0;
}

// The checker knows the times of the daemon to the millisecond, and nothing is slow here.
observer::Options strict_options() {
    observer::Options options;
    options.grace_ms = 400;
    options.slack_ms = 5;
    return options;
}

void keep_record(const std::string& path, const std::deque<observer::Observation>& record) {
    std::ofstream file(path);
    for (const observer::Observation& one : record) file << observer::write_json(one) << '\n';
}

void print_violations(const std::vector<observer::Violation>& violations,
                      const std::deque<observer::Observation>& record) {
    std::map<std::uint64_t, const observer::Observation*> by_order;
    for (const observer::Observation& one : record) by_order[one.order] = &one;
    std::map<std::string, int> counts;
    for (const observer::Violation& one : violations) {
        if (++counts[one.invariant] > 2) continue;
        std::printf("%s: %s\n  promise: \"%s\" (%s)\n", one.invariant.c_str(), one.message.c_str(), one.promise.c_str(),
                    one.source.c_str());
        for (const std::uint64_t order : one.orders)
            std::printf("  %s\n", observer::write_json(*by_order.at(order)).substr(0, 600).c_str());
    }
    for (const auto& [name, number] : counts) std::printf("%d × %s\n", number, name.c_str());
}

}  // namespace

int main(int count, char** arguments) {
    Options options;
    if (!read_options(count, arguments, options)) {
        std::fprintf(stderr,
                     "simulate_observed [--seed N] [--seeds N] [--steps N] [--until-steps TOTAL] [--keep FILE] "
                     "[--quiet] [--go-on] [--without INVARIANT]… [--drop KIND]…\n");
        return 2;
    }
    std::signal(SIGABRT, on_abort);
    // Files in memory grow by many small pieces: their room is kept.
    mallopt(M_MMAP_THRESHOLD, 1 << 30);
    mallopt(M_TRIM_THRESHOLD, 1 << 30);
    const auto begun = std::chrono::steady_clock::now();
    const auto seconds = [&] {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
    };
    std::uint64_t done = 0;
    std::uint64_t steps = 0;
    std::uint64_t observations = 0;
    std::uint64_t broken = 0;
    double judged_s = 0;
    std::map<std::string, std::uint64_t> all_counts;
    for (std::uint64_t seed = options.first;; ++seed) {
        const bool is_enough = options.until_steps > 0 ? steps >= options.until_steps : done == options.seeds;
        if (is_enough) break;
        std::snprintf(repeat_line, sizeof repeat_line, "simulate_observed --seed %llu --steps %llu\n",
                      static_cast<unsigned long long>(seed), static_cast<unsigned long long>(options.steps));
        observer::sim::ObservedWorld world(seed);
        world.run(options.steps);
        ++done;
        steps += world.steps();
        observations += world.record().size();
        if (!options.keep.empty()) keep_record(options.keep, world.record());
        const double before = seconds();
        observer::Checker checker(strict_options());
        for (const observer::Observation& one : world.record())
            if (!options.drop.contains(std::string(observer::kind_name(one)))) checker.see(one);
        auto violations = checker.finish();
        std::erase_if(violations, [&](const auto& one) { return options.without.contains(one.invariant); });
        judged_s += seconds() - before;
        if (violations.empty() && world.problem().empty()) {
            if (!options.quiet && done % 500 == 0)
                std::fprintf(stderr, "%llu seeds, %llu steps, %.0f s\n", static_cast<unsigned long long>(done),
                             static_cast<unsigned long long>(steps), seconds());
            continue;
        }
        ++broken;
        if (!world.problem().empty()) std::printf("the world could not go on: %s\n", world.problem().c_str());
        print_violations(violations, world.record());
        std::printf("repeat with: %s", repeat_line);
        std::fflush(stdout);
        for (const auto& one : violations) ++all_counts[one.invariant];
        if (!options.goes_on) break;
    }
    std::printf(
        "simulate_observed: %llu seeds, %llu steps, %llu observations, %llu worlds with violations, %.1f s (%.1f s "
        "of them judging), %.0f steps/s\n",
        static_cast<unsigned long long>(done), static_cast<unsigned long long>(steps),
        static_cast<unsigned long long>(observations), static_cast<unsigned long long>(broken), seconds(), judged_s,
        static_cast<double>(steps) / seconds());
    for (const auto& [name, number] : all_counts)
        std::printf("%llu × %s\n", static_cast<unsigned long long>(number), name.c_str());
    return broken == 0 ? 0 : 1;
}
