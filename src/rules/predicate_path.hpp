#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "model/value.hpp"

namespace belfry::rules {

// A member by its name, or an element by its place.
using PathStep = std::variant<std::string, std::uint32_t>;

// Where a predicate looks: `payload.branch`, `task.labels[0]`, `payload["odd key"]`. Without steps it is all of a root.
struct PredicatePath {
    std::string root;
    std::vector<PathStep> steps;

    auto operator<=>(const PredicatePath&) const = default;
};

void append_text(std::string& out, const PredicatePath& path);
std::string to_text(const PredicatePath& path);

// What the steps lead to from here, or nothing. It lives as long as the tree.
const model::Value* walk(const model::Value& from, std::span<const PathStep> steps);

}  // namespace belfry::rules
