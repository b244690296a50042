#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "model/change_set.hpp"

namespace belfry::ports {

// What agents propose to their people.
class ChangeSetTable {
public:
    virtual ~ChangeSetTable() = default;
    virtual base::Result<std::optional<model::ChangeSet>> find(const model::ChangeSetId& id) = 0;
    virtual base::Result<std::optional<model::ChangeSet>> of_wake(model::WakeId wake_id) = 0;
    // By their numbers.
    virtual base::Result<std::vector<model::ChangeItem>> items(std::int64_t set_ordinal) = 0;
    virtual base::Result<std::optional<model::ChangeItem>> item(std::int64_t set_ordinal, std::int64_t number) = 0;
    // Inserts, with the next ordinal, which is told.
    virtual base::Result<std::int64_t> add(const model::ChangeSet& set) = 0;
    // Writes counts and times.
    virtual base::Result<void> update(const model::ChangeSet& set) = 0;
    virtual base::Result<void> add_item(std::int64_t set_ordinal, const model::ChangeItem& item) = 0;
    // Writes what became of an item that is proposed; false where it is not any more.
    virtual base::Result<bool> settle_item(std::int64_t set_ordinal, const model::ChangeItem& item) = 0;
    virtual base::Result<std::int64_t> count_open(std::string_view user_id) = 0;
    // Decided before then, with their items; how many sets.
    virtual base::Result<std::uint64_t> drop_decided(base::Timestamp older_than, std::size_t limit) = 0;
    // A slice of a user's; how many rows, 0 when there are none left.
    virtual base::Result<std::uint64_t> erase_user(std::string_view user_id, std::size_t limit) = 0;
};

struct ChangeSetFilter {
    std::string user_id;  // empty fields do not narrow
    std::string agent_id;
    bool open = true;        // only those of which something is
    std::int64_t after = 0;  // ordinal
    std::size_t limit = 0;
};

// Reading beside the engine.
class ChangeSetReading {
public:
    virtual ~ChangeSetReading() = default;
    virtual base::Result<std::optional<model::ProposedChanges>> find(const model::ChangeSetId& id) = 0;
    // By ordinal.
    virtual base::Result<std::vector<model::ChangeSet>> list(const ChangeSetFilter& filter) = 0;
};

}  // namespace belfry::ports
