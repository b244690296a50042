#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "ports/commands/intake.hpp"

namespace belfry::engine {

// How an answer to a request is remembered, so that a repeat gets the same one.
std::string write_answer(const std::vector<ports::Admission>& entries);
base::Result<std::vector<ports::Admission>> read_answer(std::string_view bytes);

}  // namespace belfry::engine
