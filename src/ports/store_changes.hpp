#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "model/change_log.hpp"
#include "model/wake.hpp"

namespace belfry::ports {

// Who this store is among others that know the same records.
struct Host {
    std::string device;       // empty: it has no name yet
    std::string incarnation;  // empty: it has none yet, or was copied or restored since it had
};

// Changes that are in no batch yet: of one person, and of one way to come here.
struct UnbatchedChanges {
    std::string user_id;
    bool synced = false;
    base::Timestamp since;  // the first of them
};

// The first change of each host that a wake carries.
struct CarriedChange {
    model::WakeId wake_id = 0;
    std::string host;
    std::uint64_t counter = 0;
};

// The log of changes.
class ChangeTable {
public:
    virtual ~ChangeTable() = default;

    virtual base::Result<Host> host() = 0;
    virtual base::Result<void> put_host(const Host& host) = 0;

    // The largest number that is there, and the largest counter of a host; 0: none.
    virtual base::Result<std::int64_t> last_number() = 0;
    virtual base::Result<std::uint64_t> last_counter(std::string_view host) = 0;
    // One that has a batch already is in it; one of kind `gone` or without a kind is a place that needs none.
    virtual base::Result<void> add(std::span<const model::Change> changes) = 0;

    virtual base::Result<std::vector<UnbatchedChanges>> unbatched() = 0;
    // The first of them, in their order.
    virtual base::Result<std::vector<model::Change>> unbatched_of(std::string_view user_id, bool synced,
                                                                  std::size_t limit) = 0;
    // Their batch_id is recorded.
    virtual base::Result<void> put_batch(std::span<const model::Change> changes) = 0;

    // Up to which counter all changes of each host are here and in a batch.
    virtual base::Result<std::map<std::string, std::uint64_t>> settled() = 0;
    virtual base::Result<void> put_settled(std::string_view host, std::uint64_t counter) = 0;
    // Counters after this one that are in a batch, rising.
    virtual base::Result<std::vector<std::uint64_t>> batched_after(std::string_view host, std::uint64_t counter,
                                                                   std::size_t limit) = 0;

    // What the wakes that have not ended carry.
    virtual base::Result<std::vector<CarriedChange>> load_carried() = 0;
    // Inserts or replaces.
    virtual base::Result<void> put_carried(std::span<const CarriedChange> carried) = 0;
    virtual base::Result<void> drop_carried(std::span<const model::WakeId> wakes) = 0;

    // Settled ones that are older; the floor of their hosts is raised to them.
    virtual base::Result<std::uint64_t> drop(base::Timestamp older_than, std::size_t limit) = 0;
    // Those that were erased with their user and are not his to be erased: as they were before, by their numbers.
    virtual base::Result<void> put_back(std::span<const model::Change> changes) = 0;
    // A slice of a user's, but for his erasure: what is left of a change is its place, so that nobody misses it. How
    // many rows, 0 when there are none left.
    virtual base::Result<std::uint64_t> erase_user(std::string_view user_id, std::size_t limit) = 0;
};

}  // namespace belfry::ports
