#pragma once

#include "text/jinja/lexer.hpp"
#include "text/jinja/program.hpp"

namespace belfry::text::jinja {

// Fills the program's body from its source. Names are not bound to slots yet.
void parse(Program& program, const TemplateOptions& options);

}  // namespace belfry::text::jinja
