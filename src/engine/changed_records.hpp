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

// The records of the journal that the changes of a batch are of, as far as somebody has to know them, and their links:
// read in one go.
class ChangedRecords {
public:
    // What is to be read for one person. Each agent sees no more of it than it is allowed.
    struct Wanted {
        std::vector<const model::Change*> asked;  // a predicate is asked about these
        bool links = false;                       // and one looks at links
        std::set<std::string> named;              // by changes: whether they are seen has to be known
    };
    base::Result<void> load(const std::string& user_id, const Wanted& wanted, Unit& unit);

    // Whether this record is of one of these categories.
    [[nodiscard]] bool is_in(const std::string& id, std::span<const std::string> allowed) const;

    // Whether the predicate holds for the record that was changed; of a link, for one of its ends. Of any other change
    // it does not, nor of a record of another category than these. Links to such are not there.
    [[nodiscard]] bool holds(const rules::Predicate& predicate, const model::Change& change,
                             std::span<const std::string> allowed) const;

private:
    std::map<std::string, model::JournalRecord> records_;
    std::map<std::string, std::vector<model::Link>> links_;  // to be seen from this record
};

}  // namespace belfry::engine
