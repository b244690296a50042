#pragma once

#include <string>
#include <vector>

#include "engine/sync_shelf.hpp"

namespace belfry::engine {

// A walk over all records that devices have in common, in an order that is the same each time: by kind, and inside a
// kind by name, messages by their place here. What comes into being on the way may be passed over; what is told of such
// is told by its change.
class SyncWalk {
public:
    // From the beginning, or behind a place where an earlier walk stood; nothing where it is none.
    SyncWalk(SyncShelf& shelf, std::string kind, std::string place);

    // The next of them, in small portions: of more than one record no more than so many bytes. An empty one may be
    // followed by others.
    base::Result<std::vector<model::SyncRecord>> next(std::size_t bytes_max, Unit& unit);
    [[nodiscard]] bool is_over() const;

    [[nodiscard]] const std::string& kind() const { return kind_; }
    [[nodiscard]] const std::string& place() const { return place_; }

private:
    struct Step {
        RecordName name;
        std::string place;  // where the walk is behind it
    };
    base::Result<std::vector<Step>> next_steps(Unit& unit);
    base::Result<std::vector<Step>> next_messages(Unit& unit);
    base::Result<std::vector<Step>> next_forgotten(Unit& unit);
    base::Result<std::vector<Step>> next_links(Unit& unit);
    base::Result<std::vector<Step>> next_known(Unit& unit);
    void pass_kind();

    SyncShelf& shelf_;
    std::string kind_;
    std::string place_;
};

}  // namespace belfry::engine
