#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"
#include "cli/arguments.hpp"
#include "cli/command.hpp"
#include "host/machine_zone.hpp"
#include "host/zones.hpp"
#include "model/schedule.hpp"
#include "model/timer.hpp"

namespace belfry::cli {

// The options that name a schedule, for a command's declaration.
std::vector<OptionSpec> schedule_options();

// The schedule that exactly one of them names, as it was typed and as it was understood. Its zone is left empty, and
// elapsed time counts from nothing yet.
struct TypedSchedule {
    std::string option;  // daily
    std::string text;    // 07:00
    model::ScheduleWords words;
    model::Schedule schedule;
};
base::Result<TypedSchedule> read_typed_schedule(const Arguments& arguments);

// The same, where only what is meant counts; elapsed time counts from `anchor`.
base::Result<model::Schedule> read_schedule(const Arguments& arguments, base::Timestamp anchor);

// --zone, else the machine's own, else UTC.
host::MachineZone choose_zone(Context& context, const Arguments& arguments, host::SystemZones& zones);

// An option's instant in RFC 3339, nothing where it was not given, or why it is none.
base::Result<std::optional<base::Timestamp>> read_instant(const Arguments& arguments, std::string_view option);

}  // namespace belfry::cli
