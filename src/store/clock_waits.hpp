#pragma once

#include <cstdint>

#include "base/result.hpp"
#include "ports/store_clock.hpp"
#include "store/database.hpp"

// Stored times that end waits, where the clock was set.
namespace belfry::store {

// As ClockTable::bring_back_deadlines.
base::Result<std::int64_t> bring_back_waits(Database& database, base::Timestamp now);
// As ClockTable::carry_on_waits.
base::Result<void> carry_on_waits(Database& database, const ports::ClockJump& jump);
// A thread that was spoken in while the clock was behind is not idle because of the jump.
base::Result<void> carry_on_threads(Database& database, const ports::ClockJump& jump);

}  // namespace belfry::store
