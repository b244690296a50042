// The firings of schedules, for tests/schedules/oracle.py. A line of standard input is a question, its parts divided by
// tabs: zone, kind (daily, weekly, cron), schedule, and two instants in seconds since 1970. The answer is a line, too:
// the firings after the first instant up to the second, each asked for with the one before it.
#include <charconv>
#include <iostream>
#include <string>
#include <vector>

#include "host/environment.hpp"
#include "host/zones.hpp"
#include "rules/cron.hpp"
#include "rules/next_occurrence.hpp"
#include "rules/schedule.hpp"

namespace {

using namespace belfry;

base::Result<model::Schedule> read_schedule(std::string_view kind, std::string_view text) {
    model::Schedule schedule;
    if (kind == "cron") {
        TRY_ASSIGN(schedule.when, rules::parse_cron(text));
    } else if (kind == "weekly") {
        TRY_ASSIGN(schedule.when, rules::parse_weekly(text));
    } else {
        TRY_ASSIGN(const model::WallTime time, rules::parse_wall_time(text));
        schedule.when = model::Daily{time};
    }
    return schedule;
}

base::Result<base::Timestamp> read_instant(const std::string& text) {
    std::int64_t instant_s = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), instant_s);
    if (failed != std::errc{} || end != text.data() + text.size()) {
        return base::error(base::Code::invalid, "no instant: " + text);
    }
    return base::Timestamp{base::seconds(instant_s).us};
}

base::Result<std::string> answer(host::SystemZones& zones, const std::vector<std::string>& parts) {
    if (parts.size() != 5) return base::error(base::Code::invalid, "a question has five parts");
    TRY_ASSIGN(const auto zone, zones.find(parts[0]));
    TRY_ASSIGN(const model::Schedule schedule, read_schedule(parts[1], parts[2]));
    TRY_ASSIGN(base::Timestamp after, read_instant(parts[3]));
    TRY_ASSIGN(const base::Timestamp until, read_instant(parts[4]));
    std::string line;
    for (;;) {
        const auto next = rules::next_occurrence(schedule, after, *zone);
        if (!next || next->at > until) return line;
        if (next->at <= after) return base::error(base::Code::internal, "a firing is not after the one before it");
        line += (line.empty() ? "" : " ") + std::to_string(next->at.us / base::seconds(1).us);
        after = next->at;
    }
}

std::vector<std::string> split(const std::string& line) {
    std::vector<std::string> parts(1);
    for (const char c : line) {
        if (c == '\t') parts.emplace_back();
        else parts.back() += c;
    }
    return parts;
}

}  // namespace

int main() {
    std::ios::sync_with_stdio(false);
    host::SystemZones zones(host::Environment::of_process());
    for (std::string line; std::getline(std::cin, line);) {
        const auto answered = answer(zones, split(line));
        std::cout << (answered.ok() ? *answered : "error: " + answered.error().message) << '\n';
    }
    return 0;
}
