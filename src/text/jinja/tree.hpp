#pragma once

#include "model/value.hpp"
#include "text/jinja/library.hpp"

namespace belfry::text::jinja {

// A value of a template as a tree: tuples and generators become arrays, keys become strings, undefined becomes null.
model::Value to_tree(Interpreter& in, const Val& value, int depth = 0);

}  // namespace belfry::text::jinja
