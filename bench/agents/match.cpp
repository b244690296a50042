// What it costs to find the subscriptions that an event wakes, with a thousand of them and with a million: medians of
// interleaved rounds, and how many entries of the index are looked at. Prints one line of JSON.
//     build-bench/bench_match [rounds]
//     valgrind --tool=callgrind --toggle-collect='*match_event*' build-bench/bench_match 1 1000
// counts instructions, of one of both.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "rules/subscription_index.hpp"

namespace {

using belfry::rules::SubscriptionIndex;
using Clock = std::chrono::steady_clock;
constexpr std::uint32_t few = 1'000;
constexpr std::uint32_t many = 1'000'000;
constexpr int looks = 200'000;

// Every tenth is about a family of types. A person has twenty.
void fill(SubscriptionIndex& index, std::uint32_t count) {
    for (std::uint32_t place = 0; place < count; ++place) {
        const std::string number = std::to_string(place);
        belfry::rules::WakeInterests wish;
        wish.user_id = "user" + std::to_string(place / 20);
        wish.event_types = {place % 10 == 0 ? "ci." + number + ".*" : "ci." + number + ".failed"};
        index.set(place, wish);
    }
}

struct Round {
    double nanoseconds = 0;
    double looked_at = 0;
};

// The same events for both: of the first thousand's people, each of a type that wakes one agent.
Round measure(const SubscriptionIndex& index) {
    static const std::vector<std::pair<std::string, std::string>> events = [] {
        std::vector<std::pair<std::string, std::string>> made;
        for (std::uint32_t i = 0; i < few; ++i) {
            made.emplace_back("user" + std::to_string(i / 20), "ci." + std::to_string(i) + ".failed");
        }
        return made;
    }();
    std::vector<std::uint32_t> found;
    std::size_t looked_at = 0;
    std::size_t matches = 0;
    const auto begin = Clock::now();
    for (int i = 0; i < looks; ++i) {
        const auto& [user, type] = events[static_cast<std::size_t>(i) % events.size()];
        looked_at += index.match_event(user, type, found);
        matches += found.size();
    }
    const std::chrono::duration<double, std::nano> spent = Clock::now() - begin;
    if (matches != looks) {
        std::fprintf(stderr, "%zu matches of %d\n", matches, looks);
        std::exit(1);
    }
    return {spent.count() / looks, static_cast<double>(looked_at) / looks};
}

double median(std::vector<double> values) {
    std::ranges::sort(values);
    return values[values.size() / 2];
}

}  // namespace

int main(int count, char** words) {
    const int rounds = count > 1 ? std::atoi(words[1]) : 15;
    if (count > 2) {
        SubscriptionIndex only;
        fill(only, static_cast<std::uint32_t>(std::atoi(words[2])));
        for (int i = 0; i < rounds; ++i) measure(only);
        return 0;
    }
    SubscriptionIndex small;
    SubscriptionIndex large;
    fill(small, few);
    fill(large, many);
    std::vector<double> of_few;
    std::vector<double> of_many;
    Round last_few;
    Round last_many;
    for (int i = 0; i < rounds; ++i) {
        of_few.push_back((last_few = measure(small)).nanoseconds);
        of_many.push_back((last_many = measure(large)).nanoseconds);
    }
    std::printf(
        "{\"rounds\":%d,\"ns_1000\":%.1f,\"ns_1000000\":%.1f,\"ratio\":%.3f,\"entries_1000\":%.2f,\"entries_1000000\":%"
        ".2f}\n",
        rounds, median(of_few), median(of_many), median(of_many) / median(of_few), last_few.looked_at,
        last_many.looked_at);
}
