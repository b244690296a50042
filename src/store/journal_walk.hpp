#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ports/store_journal.hpp"
#include "store/journal_row.hpp"

namespace belfry::store {

// What a list has found: where its records lie, in its order, and where it has stopped if it was stopped.
struct JournalFound {
    std::vector<JournalAddress> addresses;
    std::optional<ports::JournalPlace> looked_to;
};

// Goes along the terms of a list. The filter is one that was checked.
base::Result<JournalFound> walk_newest(Database& database, const ports::JournalFilter& filter);
base::Result<JournalFound> walk_range(Database& database, const ports::JournalFilter& filter);

}  // namespace belfry::store
