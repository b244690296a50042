#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "model/value.hpp"
#include "rules/predicate_path.hpp"

namespace belfry::rules {

using PredicateOperand = std::variant<model::Value, PredicatePath>;

// Whether it is `event.severity`, which is compared by rank.
bool is_severity(const PredicateOperand& operand);

// A predicate as it was read. Which members count depends on the kind.
struct PredicateNode {
    enum class Kind : std::uint8_t {
        all_of,    // parts, two or more, joined by `and`
        any_of,    // parts, two or more, joined by `or`
        negation,  // one part
        // left, right
        equal,
        not_equal,
        less,
        less_or_equal,
        greater,
        greater_or_equal,
        in,
        contains,
        starts_with,
        exists,  // left, which is a path
        linked,  // relation, linked_id
    };

    Kind kind = Kind::all_of;
    std::vector<PredicateNode> parts;
    PredicateOperand left;
    PredicateOperand right;
    std::string relation;
    std::optional<std::string> linked_id;

    bool operator==(const PredicateNode&) const = default;
};

// As one would write it; reading it gives the same tree.
void append_text(std::string& out, const PredicateNode& node);

}  // namespace belfry::rules
