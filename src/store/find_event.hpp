#pragma once

#include <optional>

#include "ports/reading.hpp"
#include "store/database.hpp"

namespace belfry::store {

// An event by its id. The id tells the time at which it was recorded, and blocks lie in the log by theirs: the place is
// found by halving, and a second's blocks from there on are looked through. Where the clock was set back, an event of
// the time that came twice may not be found.
base::Result<std::optional<ports::FoundEvent>> find_event(Database& database, const model::EventId& id);

}  // namespace belfry::store
