#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"
#include "cli/arguments.hpp"
#include "model/schedule.hpp"

namespace belfry::cli {

// The options that name a schedule, for a command's declaration.
std::vector<OptionSpec> schedule_options();

// The schedule that exactly one of them names; elapsed time counts from `anchor`. Its zone is left empty.
base::Result<model::Schedule> read_schedule(const Arguments& arguments, base::Timestamp anchor);

// An option's instant in RFC 3339, nothing where it was not given, or why it is none.
base::Result<std::optional<base::Timestamp>> read_instant(const Arguments& arguments, std::string_view option);

}  // namespace belfry::cli
