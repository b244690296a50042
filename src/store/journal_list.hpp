#pragma once

#include <vector>

#include "ports/store_journal.hpp"
#include "store/database.hpp"
#include "store/journal_row.hpp"

namespace belfry::store {

// The records of a list, as the transaction sees them that the connection is in.
base::Result<ports::JournalPage> list_records(Database& database, const ports::JournalFilter& filter);

// Those that lie at these addresses, in their order.
base::Result<std::vector<model::JournalRecord>> read_in_order(Database& database,
                                                              const std::vector<JournalAddress>& addresses);

}  // namespace belfry::store
