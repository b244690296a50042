#include "net/problem.hpp"

#include "base/limits.hpp"
#include "codec/problem.hpp"

namespace belfry::net {

int status_of(base::Code code) {
    switch (code) {
        case base::Code::invalid: return 422;
        case base::Code::malformed: return 400;
        case base::Code::too_large: return 413;
        case base::Code::unauthenticated: return 401;
        case base::Code::forbidden: return 403;
        case base::Code::not_found: return 404;
        case base::Code::gone: return 410;
        case base::Code::conflict: return 409;
        case base::Code::not_acceptable: return 406;
        case base::Code::unsupported: return 415;
        case base::Code::rate_limited: return 429;
        case base::Code::overloaded:
        case base::Code::unavailable:
        case base::Code::outcome_unknown: return 503;
        case base::Code::timeout: return 408;
        case base::Code::io:
        case base::Code::internal: return 500;
    }
    return 500;
}

Problem make_problem(int status, const base::Error& error) {
    Problem problem;
    codec::append_problem(problem.body, status, error);
    if (status == 401) problem.extra_fields = "WWW-Authenticate: Bearer\r\n";
    if (status == 503) problem.extra_fields = "Retry-After: " + std::to_string(base::limits::retry_after_s) + "\r\n";
    return problem;
}

}  // namespace belfry::net
