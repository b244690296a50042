#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "base/uuid.hpp"
#include "store/sql_store.hpp"

namespace belfry::sim {

// What a device has in common with others, as it lies in its tables, row by row: without what is counted, computed or
// done on that device only. Two devices that know the same have the same.
struct DevicesLook {
    struct Task {
        std::string user_id;
        std::string title;
        bool is_deleted = false;
        bool operator==(const Task&) const = default;
    };

    std::map<std::string, std::vector<std::string>> rows;  // by table, sorted
    // The same, of what somebody wants to know more of.
    std::map<std::string, Task> tasks;          // by id
    std::map<base::Uuid, bool> messages;        // false: it is told of as forgotten
    std::map<std::string, bool> are_destroyed;  // agents

    bool operator==(const DevicesLook&) const = default;
};

base::Result<DevicesLook> look_at_device(store::SqlStore& store);

// The first difference, in words; empty: there is none.
std::string difference(const DevicesLook& a, const DevicesLook& b);

}  // namespace belfry::sim
