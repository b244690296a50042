#pragma once

#include <optional>
#include <string>

#include "model/timer.hpp"
#include "ports/commands/command.hpp"
#include "ports/commands/outbox.hpp"

// Timers of agents. An agent that is not there, or not the caller's, is `not_found`; so is a timer of another agent.
namespace belfry::ports {

struct AddedTimer {
    model::ShownTimer shown;
    bool is_new = true;  // false: it was there already, or it was only a rehearsal
};

// `conflict` with the reason `taken` where the agent has another timer of this name, `refused` where its mode has no
// timers.
struct AddTimer final : CommandOf<AddedTimer> {
    std::string agent_id;
    std::string name;
    model::ScheduleWords schedule;
    std::string zone;  // of wall times; empty: UTC
    model::RawJson input;
    std::int64_t priority = 0;
    bool active = true;
    bool dry_run = false;  // say what would be, and do nothing
};

// What is not named stays.
struct ChangeTimer final : CommandOf<model::ShownTimer> {
    std::string agent_id;
    model::TimerId id;
    std::optional<std::string> name;
    std::optional<model::ScheduleWords> schedule;
    std::optional<std::string> zone;
    std::optional<model::RawJson> input;
    std::optional<std::int64_t> priority;
    std::optional<bool> active;
};

struct DeleteTimer final : CommandOf<Nothing> {
    std::string agent_id;
    model::TimerId id;
};

}  // namespace belfry::ports
