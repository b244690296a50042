#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/raw_json.hpp"
#include "model/timer.hpp"

// What the client library gives and takes about what wakes agents by the clock.
namespace belfry::client {

struct TimerRequest {
    std::string name;  // of its agent's timers only this one has it
    model::ScheduleWords schedule;
    std::string zone;  // of wall times; empty: UTC
    std::optional<model::RawJson> input;
    std::int64_t priority = 0;
    bool dry_run = false;  // say what would be, and store nothing
};

struct TimerFiringNow {
    std::string at;
    std::string local;  // as the zone's clocks show it
    std::string note;   // gap, repeated; else empty
};

struct TimerNow {
    std::string id;  // empty: it was only rehearsed
    std::string agent_id;
    std::string user_id;
    std::string name;
    model::ScheduleWords schedule;
    std::string zone;  // empty: it does not go by the clocks of a zone
    bool active = true;
    std::string next_run_at;        // empty: it does not fire any more
    std::string last_scheduled_at;  // empty: it has not fired yet
    std::string fault;              // why it rests; empty: it does not
    std::vector<TimerFiringNow> next;
    model::RawJson json;  // the whole as it came
};

// What is empty does not narrow.
struct TimerQuestion {
    std::string agent_id;
    std::string user_id;  // not asked for where there is an agent
};

}  // namespace belfry::client
