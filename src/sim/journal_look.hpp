#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "model/change_log.hpp"
#include "model/journal.hpp"
#include "ports/store_journal.hpp"
#include "store/sql_store.hpp"

namespace belfry::sim {

// All that a store holds of journals, and of their changes.
struct JournalLook {
    using Key = std::pair<std::string, std::string>;  // whose, and its id

    std::map<Key, model::JournalRecord> records;
    std::map<ports::LinkName, model::Link> links;
    std::set<ports::JournalTerm> terms;
    std::vector<model::Change> changes;  // by number; without clocks
};

base::Result<JournalLook> look_at_journal(store::SqlStore& store, const std::vector<std::string>& users);

}  // namespace belfry::sim
