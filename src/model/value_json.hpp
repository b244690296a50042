#pragma once

#include <string>
#include <string_view>

#include "model/raw_json.hpp"
#include "model/value.hpp"

namespace belfry::model {

// The tree of bytes that are valid JSON already. A key that stands twice has its last value at its first place.
Value value_from(JsonView json);

// Appends the tree as JSON in one line, without spaces. A real number always shows that it is one (`1.0`).
void append_json(std::string& out, const Value& value);
std::string to_json(const Value& value);

// The same with line ends and `indent` spaces a level; 0 is the one-line form.
std::string to_json(const Value& value, int indent);

}  // namespace belfry::model
