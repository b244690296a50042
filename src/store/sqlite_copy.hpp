#pragma once

#include <string>

#include "base/result.hpp"

namespace belfry::store {

// Copies the SQLite database at `from`, as it is at one moment, into the new file `to`. Works while a daemon writes.
// The copy is synced; it is not checked here.
base::Result<void> copy_database(const std::string& from, const std::string& to);

}  // namespace belfry::store
