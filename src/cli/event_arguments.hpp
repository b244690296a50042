#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "cli/arguments.hpp"
#include "model/event.hpp"
#include "model/log.hpp"

// What several commands say about events on the command line.
namespace belfry::cli {

// --severity, --payload or key=value (a text) and key:=JSON, and the fields of an event's scope.
std::vector<OptionSpec> event_options();
base::Result<model::Event> read_event(const Arguments& arguments);
base::Result<model::RawJson> read_payload(std::span<const std::string> pairs);

// --type, --severity, --user, --session.
std::vector<OptionSpec> filter_options();
base::Result<model::StreamFilter> read_filter(const Arguments& arguments);

base::Result<std::optional<model::Severity>> read_severity(const Arguments& arguments, std::string_view option);

}  // namespace belfry::cli
