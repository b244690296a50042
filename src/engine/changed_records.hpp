#pragma once

#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/capability.hpp"
#include "model/change_log.hpp"
#include "model/journal.hpp"
#include "rules/predicate.hpp"

namespace belfry::engine {

// The records of the journal that predicates are asked about, and their links: what the changes of a batch are of, read
// in one go.
class ChangedRecords {
public:
    // Reads what these changes are of, all of one person; and links where a predicate looks at them.
    enum class Links { no, yes };
    base::Result<void> load(const std::string& user_id, const std::vector<const model::Change*>& changes, Links links,
                            Unit& unit);

    // Whether the predicate holds for the record that was changed; of a link, for one of its ends. Of any other change
    // it does not.
    [[nodiscard]] bool holds(const rules::Predicate& predicate, const model::Change& change) const;

private:
    std::map<std::string, model::JournalRecord> records_;
    std::map<std::string, std::vector<model::Link>> links_;  // to be seen from this record
};

}  // namespace belfry::engine
