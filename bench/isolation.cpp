// Do events of runs stay with their run? Many runs at once; every writer writes into all of them, in an order of its
// own, in batches of any size; every run is read to its end by a reader that comes and goes. The first event that is in
// a wrong stream, missing, doubled or out of order ends the program with status 1; otherwise it says what it looked at.
//
//     bench_isolation --port 7117 --token bf_… --runs 1000 --events 10000 [--writers 4] [--readers 4] [--seed 1]
#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <random>
#include <thread>

#include "common/fail.hpp"
#include "common/options.hpp"
#include "common/report.hpp"
#include "common/sse_reader.hpp"
#include "isolation/line.hpp"
#include "isolation/run_reader.hpp"

namespace {

using namespace belfry::bench;
using Random = std::mt19937_64;

struct Round {
    std::uint16_t port = 0;
    std::string token;
    std::vector<std::uint64_t> runs;
    std::size_t writers = 0;
    std::uint64_t events_each = 0;  // of one writer in one run
    std::uint64_t seed = 0;
    std::atomic<std::uint64_t> visits{0};  // of readers: how often one came
};

std::uint64_t between(Random& random, std::uint64_t least, std::uint64_t greatest) {
    return std::uniform_int_distribution<std::uint64_t>(least, greatest)(random);
}

std::vector<std::uint64_t> make_runs(std::uint16_t port, const std::string& token, std::size_t count) {
    Line line(port);
    std::vector<std::uint64_t> runs;
    while (runs.size() < count) {
        const std::string made = ask(line, "POST", "/v1/runs", token, "{}", 201);
        const std::size_t at = made.find("\"id\":") + 5;
        std::uint64_t id = 0;
        std::from_chars(made.data() + at, made.data() + made.size(), id);
        if (made.find("\"state\":\"running\"") == std::string::npos) fail_bytes("a run does not run", made);
        runs.push_back(id);
    }
    return runs;
}

void write(const Round& round, std::size_t writer) {
    constexpr std::uint64_t batch_max = 200;
    Random random(round.seed * 1000 + writer);
    Line line(round.port);
    std::vector<std::pair<std::uint64_t, std::uint64_t>> open;  // a run, and how many it has of this writer
    for (const std::uint64_t run : round.runs) open.emplace_back(run, 0);
    while (!open.empty()) {
        auto& chosen = open[between(random, 0, open.size() - 1)];
        const std::uint64_t count = std::min(between(random, 1, batch_max), round.events_each - chosen.second);
        std::string body = "[";
        for (std::uint64_t i = 0; i < count; ++i) {
            if (i > 0) body += ',';
            body += R"({"event":"mark.made","data":{"of":)" + std::to_string(chosen.first) + R"(,"writer":)" +
                    std::to_string(writer) + R"(,"n":)" + std::to_string(chosen.second + i) + "}}";
        }
        ask(line, "POST", "/v1/runs/" + std::to_string(chosen.first) + "/events", round.token, body + "]", 201);
        chosen.second += count;
        if (chosen.second == round.events_each) {
            chosen = open.back();
            open.pop_back();
        }
    }
}

// One visit: some events, then the reader goes in the middle of what the server sends.
void visit(const Round& round, RunReader& reader, std::uint64_t wanted) {
    Line line(round.port);
    line.send(sse_request(round.port,
                          "/v1/runs/" + std::to_string(reader.run()) + "/events?after=" + std::to_string(reader.last()),
                          round.token));
    std::string in;
    std::size_t head = std::string::npos;
    while (head == std::string::npos) {
        line.receive(in);
        head = in.find("\r\n\r\n");
    }
    if (!in.starts_with("HTTP/1.1 200")) fail_bytes("no stream", in);
    in.erase(0, head + 4);
    const std::uint64_t until = reader.received() + wanted;
    for (;;) {
        std::size_t begin = 0;
        for (std::size_t end = in.find("\n\n"); end != std::string::npos; end = in.find("\n\n", begin)) {
            reader.take(std::string_view(in).substr(begin, end - begin));
            begin = end + 2;
            if (reader.received() >= until || reader.is_complete()) return;
        }
        in.erase(0, begin);
        line.receive(in);
    }
}

void read(Round& round, std::size_t reader, std::size_t readers) {
    constexpr std::uint64_t events_max = 400;
    Random random(round.seed * 2000 + reader);
    std::vector<RunReader> open;
    for (std::size_t i = reader; i < round.runs.size(); i += readers) {
        open.emplace_back(round.runs[i], round.writers, round.events_each);
    }
    while (!open.empty()) {
        RunReader& chosen = open[between(random, 0, open.size() - 1)];
        visit(round, chosen, between(random, 1, events_max));
        ++round.visits;
        if (!chosen.is_complete()) continue;
        chosen = std::move(open.back());
        open.pop_back();
    }
}

}  // namespace

int main(int argc, char** argv) {
    const Options options(argc, argv, {"port", "token", "runs", "events", "writers", "readers", "seed"});
    Round round;
    round.port = static_cast<std::uint16_t>(options.number("port"));
    round.token = options.text("token");
    round.writers = static_cast<std::size_t>(options.number("writers", 4));
    round.seed = static_cast<std::uint64_t>(options.number("seed", 1));
    round.events_each = static_cast<std::uint64_t>(options.number("events")) / round.writers;
    const auto readers = static_cast<std::size_t>(options.number("readers", 4));
    const auto began = std::chrono::steady_clock::now();
    round.runs = make_runs(round.port, round.token, static_cast<std::size_t>(options.number("runs")));
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < round.writers; ++i) threads.emplace_back([&round, i] { write(round, i); });
    for (std::size_t i = 0; i < readers; ++i) threads.emplace_back([&round, i, readers] { read(round, i, readers); });
    for (std::thread& thread : threads) thread.join();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
    const std::uint64_t events = round.runs.size() * round.writers * round.events_each;
    Report()
        .add("runs", round.runs.size())
        .add("events", events)
        .add("visits", round.visits.load())
        .add("seconds", took.count())
        .print();
    return 0;
}
