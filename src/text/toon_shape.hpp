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

    const model::Value* find(const model::Value& name, std::size_t likely) {
        if (likely < members_.size() && members_[likely].name.same_text(name)) [[likely]] {
            return &members_[likely].value;
        }
        in_order_ = false;
        return search(name.text());
    }
    // Whether every look-up so far was answered where it was likely.
    [[nodiscard]] bool in_order() const { return in_order_; }

private:
    const model::Value* search(std::string_view key);

    std::span<const model::Member> members_;
    bool in_order_ = true;
    std::vector<const model::Member*> sorted_;  // by key; made at the first need
};

enum class Rows { none, ordered, shuffled };

// Whether the values are rows of one table, and if so whether the keys of all of them stand in one order. Rows are
// objects with the same keys, not empty, whose columns hold primitives only or in their turn rows of one table. Each
// value is walked beside the first one, and no further than the two agree.
Rows rows_of_one_table(std::span<const model::Value> values, int depth_max);
Rows entries_of_one_table(std::span<const model::Member> entries, int depth_max);

}  // namespace belfry::text
