#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "model/value.hpp"

namespace belfry::model {

// Finds the members of one growing object by their keys, so that a reader notices repeats. Small objects are searched
// from end to end, larger ones through a table, and an object whose keys were chosen to collide in that table through a
// sorted tree: the cost of a look-up never grows faster than the logarithm of the object's size.
class KeyIndex {
public:
    KeyIndex();
    ~KeyIndex();
    KeyIndex(const KeyIndex&) = delete;
    KeyIndex& operator=(const KeyIndex&) = delete;

    static constexpr std::size_t none = SIZE_MAX;

    // The place of the key `name`, a string, among the object's members. Where it is not there, `none`; the caller then
    // appends it. From the first look-up in an object on, every further member must come this way.
    std::size_t find_or_expect(const Value& object, const Value& name);

private:
    struct Slot {
        std::uint32_t hash = 0;
        std::uint32_t place = 0;  // one more than the member's; 0 is empty
    };
    struct Tree;

    void grow(const Value& object);
    bool insert(std::uint32_t hash, std::uint32_t place);
    void plant(const Value& object);

    std::vector<Slot> slots_;
    std::unique_ptr<Tree> tree_;
};

}  // namespace belfry::model
