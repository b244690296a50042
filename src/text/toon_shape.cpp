#include "text/toon_shape.hpp"

#include <algorithm>

namespace belfry::text {
namespace {

using model::Member;
using model::Value;

constexpr std::size_t scan_max = 24;

bool same_shape(const Value& first, const Value& other, int depth_left, bool& ordered) {
    if (!other.is_object() || first.size() != other.size() || other.size() == 0 || depth_left == 0) return false;
    MemberFinder finder(other);
    std::size_t place = 0;
    for (const Member& member : first.members()) {
        const Value* value = finder.find(member.name, place++);
        if (value == nullptr) return false;
        if (member.value.is_primitive()
                ? !value->is_primitive()
                : !member.value.is_object() || !same_shape(member.value, *value, depth_left - 1, ordered)) {
            return false;
        }
    }
    ordered = ordered && finder.in_order();
    return true;
}

}  // namespace

const Value* MemberFinder::search(std::string_view key) {
    if (members_.size() <= scan_max) {
        for (const Member& member : members_) {
            if (member.key() == key) return &member.value;
        }
        return nullptr;
    }
    if (sorted_.empty()) {
        for (const Member& member : members_) sorted_.push_back(&member);
        std::sort(sorted_.begin(), sorted_.end(), [](const Member* a, const Member* b) { return a->key() < b->key(); });
    }
    const auto found = std::lower_bound(sorted_.begin(), sorted_.end(), key,
                                        [](const Member* member, std::string_view k) { return member->key() < k; });
    return found == sorted_.end() || (*found)->key() != key ? nullptr : &(*found)->value;
}

Rows rows_of_one_table(std::span<const Value> values, int depth_max) {
    if (values.empty() || !values.front().is_object()) return Rows::none;
    bool ordered = true;
    for (const Value& value : values.size() == 1 ? values : values.subspan(1)) {
        if (!same_shape(values.front(), value, depth_max, ordered)) return Rows::none;
    }
    return ordered ? Rows::ordered : Rows::shuffled;
}

Rows entries_of_one_table(std::span<const Member> entries, int depth_max) {
    if (entries.size() < 2 || !entries.front().value.is_object()) return Rows::none;
    bool ordered = true;
    for (const Member& entry : entries.subspan(1)) {
        if (!same_shape(entries.front().value, entry.value, depth_max, ordered)) return Rows::none;
    }
    return ordered ? Rows::ordered : Rows::shuffled;
}

}  // namespace belfry::text
