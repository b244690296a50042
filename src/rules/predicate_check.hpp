#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "rules/predicate_tree.hpp"

namespace belfry::rules {

// What is wrong with a literal of a test, and on which side of it.
struct PredicateFault {
    enum class Side : std::uint8_t { left, right };
    Side side = Side::left;
    std::string message;
};

// A test that could never hold, or always would, because of a literal's type is a mistake of whoever wrote it; so is a
// comparison of `event.severity` with what is no severity.
std::optional<PredicateFault> fault_of(const PredicateNode& test);

}  // namespace belfry::rules
