#pragma once

#include "ports/reading.hpp"
#include "store/database.hpp"

namespace belfry::store {

// Along indexes of what is open, and through the table of what gathers, which holds nothing else: what has ended is not
// looked at.
base::Result<ports::OpenFigures> count_open(Database& database);

}  // namespace belfry::store
