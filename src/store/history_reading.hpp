#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "ports/store_sessions.hpp"
#include "store/database.hpp"

namespace belfry::store {

struct NodeWeight {
    model::NodeId node;
    std::size_t own_bytes = 0;  // its system messages
    std::size_t bytes = 0;      // with its messages
};

// A page of a session's conversation. A node may hold any number of messages, each as large as they come: what the
// nodes hold is weighed first, and only what fits is read.
class HistoryReading {
public:
    HistoryReading(Database& database, std::string_view session_id, std::size_t bytes_max)
        : database_(database), session_id_(session_id), bytes_max_(bytes_max) {}

    base::Result<ports::HistoryPage> path(const ports::HistoryPlace& leaf, std::size_t limit);
    base::Result<ports::HistoryPage> tree(const std::optional<ports::HistoryPlace>& after, std::size_t limit);

private:
    enum class Way : std::uint8_t { up, onwards };  // from the leaf to the root, from the oldest to the newest
    // Messages of a node between two ordinals, neither of them included.
    struct Part {
        std::int64_t above = 0;
        std::int64_t below = 0;
        std::size_t bytes = 0;
        std::optional<std::int64_t> cut_at;  // the last one in reading order, where more lie behind it
    };

    base::Result<ports::HistoryPage> read(std::vector<NodeWeight> nodes, Way way, std::optional<std::int64_t> message,
                                          std::size_t limit);
    base::Result<Part> weigh_first(const NodeWeight& first, Way way, std::optional<std::int64_t> message);
    base::Result<std::vector<ports::HistoryNode>> load(const std::vector<NodeWeight>& nodes, const model::NodeId& first,
                                                       const Part& part);

    Database& database_;
    std::string_view session_id_;
    std::size_t bytes_max_;
};

}  // namespace belfry::store
