#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "host/config.hpp"

namespace belfry::cli {

// What one check found, and what to do about it.
struct Finding {
    enum class State : std::uint8_t { good, warning, bad };
    std::string check;
    State state = State::good;
    std::string detail;
    std::string advice;  // empty: nothing to do
};

// What the version of a database's schema means to this program; `migrating` is the advice where it is an older one.
Finding schema_finding(std::int64_t version, std::string migrating);

// All checks, under a configuration that could be read. Changes nothing.
std::vector<Finding> examine(Context& context, const Arguments& arguments, const host::LoadedConfig& loaded);

}  // namespace belfry::cli
