#include "net/problem.hpp"

#include "base/limits.hpp"
#include "codec/problem.hpp"

namespace belfry::net {

Problem make_problem(int status, const base::Error& error, std::string_view more) {
    Problem problem;
    codec::append_problem(problem.body, static_cast<unsigned>(status), error, more);
    if (status == 401) problem.extra_fields = "WWW-Authenticate: Bearer\r\n";
    if (status == 503) problem.extra_fields = "Retry-After: " + std::to_string(base::limits::retry_after_s) + "\r\n";
    return problem;
}

}  // namespace belfry::net
