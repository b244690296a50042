#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "model/run.hpp"

namespace belfry::ports {

// Runs as the engine's thread sees them. `queue_position` and `expires_at` are not kept.
class RunTable {
public:
    virtual ~RunTable() = default;

    // Those that have not ended, by id.
    virtual base::Result<std::vector<model::Run>> load_open() = 0;
    // The largest id that was ever given, whether its run is still there or not.
    virtual base::Result<model::RunId> last_id() = 0;
    // Those of these ids that are there, in any order.
    virtual base::Result<std::vector<model::Run>> find(std::span<const model::RunId> ids) = 0;
    struct Key {
        std::string user_id;
        std::string run_key;
    };
    virtual base::Result<std::vector<model::Run>> find_keys(std::span<const Key> keys) = 0;
    // Inserts or replaces.
    virtual base::Result<void> put(std::span<const model::Run> runs) = 0;

    // When the first one ended that is still there, and those that ended before `older_than`, oldest first.
    virtual base::Result<std::optional<base::Timestamp>> first_end() = 0;
    virtual base::Result<std::vector<model::Run>> ended_before(base::Timestamp older_than, std::size_t limit) = 0;
    // When the first one was made of all that are still there and have started or ended.
    virtual base::Result<std::optional<base::Timestamp>> first_created() = 0;
    // Those between a run and its ancestor are gone: it is this one's child from now on.
    struct Move {
        model::RunId id = 0;
        model::RunId parent = 0;
    };
    virtual base::Result<void> move(std::span<const Move> moves) = 0;
    virtual base::Result<std::vector<model::Run>> of_user(std::string_view user_id, std::size_t limit) = 0;
    [[nodiscard]] virtual base::Result<bool> has_tree(model::RunId root) = 0;  // a run of this root is there
    virtual base::Result<void> remove(std::span<const model::RunId> ids) = 0;
};

struct RunFilter {
    std::string user_id;
    std::string session_id;
    std::string agent_id;
    std::optional<model::RunState> state;
    model::RunId root_id = 0;
    model::RunId after = 0;  // the last id of the page before; 0: from the newest on
    std::size_t limit = 0;
};

// Reading beside the engine. `queue_position` is counted.
class RunReading {
public:
    virtual ~RunReading() = default;
    virtual base::Result<std::optional<model::Run>> find(model::RunId id) = 0;
    virtual base::Result<model::RunId> last_id() = 0;
    // Newest first.
    virtual base::Result<std::vector<model::Run>> list(const RunFilter& filter) = 0;
};

}  // namespace belfry::ports
