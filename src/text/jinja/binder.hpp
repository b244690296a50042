#pragma once

#include "text/jinja/program.hpp"

namespace belfry::text::jinja {

// Gives every name of a parsed program its slot, by the rules of scope that Jinja2 has: a for, a macro, a with and the
// block forms open a scope, an if does not; what a scope assigns does not leave it; a name that a scope reads before it
// assigns it, or assigns on some branches only, begins as what it is outside. Refuses filters and tests that do not
// exist, unless they stand in a branch that may never be reached.
void bind(Program& program);

}  // namespace belfry::text::jinja
