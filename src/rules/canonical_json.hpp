#pragma once

#include <string>

#include "model/value.hpp"

namespace belfry::rules {

// Appends the one text of all trees that are equal: members in the byte order of their names at every depth, numbers in
// their canonical form (1, 1.0 and 1e0 are `1`), no spaces.
void append_canonical_json(std::string& out, const model::Value& value);

}  // namespace belfry::rules
