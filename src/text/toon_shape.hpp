#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "model/value.hpp"

namespace belfry::text {

// Looks up the members of one object in the order of another one, which usually is its own order.
class MemberFinder {
public:
    explicit MemberFinder(const model::Value& object) : members_(object.members()) {}

    const model::Value* find(std::string_view key, std::size_t likely) {
        if (likely < members_.size() && members_[likely].key() == key) [[likely]]
            return &members_[likely].value;
        return search(key);
    }

private:
    const model::Value* search(std::string_view key);

    std::span<const model::Member> members_;
    std::vector<const model::Member*> sorted_;  // by key; made at the first need
};

// Whether the values are rows of one table: objects with the same keys, not empty, whose columns hold primitives only
// or in their turn rows of one table. Each value is walked beside the first one, and no further than the two agree.
bool rows_of_one_table(std::span<const model::Value> values, int depth_max);
bool entries_of_one_table(std::span<const model::Member> entries, int depth_max);

}  // namespace belfry::text
