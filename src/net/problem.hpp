#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"

namespace belfry::net {

// An error as an answer has it.
struct Problem {
    std::string body;          // application/problem+json
    std::string extra_fields;  // Retry-After, WWW-Authenticate
};
// `more` is members of its document, or nothing.
Problem make_problem(int status, const base::Error& error, std::string_view more = {});

}  // namespace belfry::net
