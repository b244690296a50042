#pragma once

#include <string>

#include "base/result.hpp"

namespace belfry::net {

// An error as an answer has it.
struct Problem {
    std::string body;          // application/problem+json
    std::string extra_fields;  // Retry-After, WWW-Authenticate
};
Problem make_problem(int status, const base::Error& error);

}  // namespace belfry::net
