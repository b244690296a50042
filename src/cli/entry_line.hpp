#pragma once

#include <string>

#include "client/types.hpp"

namespace belfry::cli {

// An entry as one line for a person: `#42 2026-11-15T05:00:00Z error tool.call.failure ci user=ada {"tool":"grep"}`.
// Whatever stands in the event, the line holds no control character but our own colours.
std::string entry_line(const client::Entry& entry, bool colours);

// The entry as one line of JSON, as pages have it, equally harmless on a terminal.
std::string entry_json(const client::Entry& entry);

}  // namespace belfry::cli
