#include "base/result.hpp"

namespace belfry::base {
namespace {

// Stands in a result whose error was moved away. Nobody owns it.
Error moved_error{Code::internal, "the error of this result was moved", {}, {}};

}  // namespace

Error* keep_error(Error error) {
    return new Error(std::move(error));
}

Error* copy_error(const Error* kept) {
    return new Error(*kept);
}

Error* move_error(Error*& kept) noexcept {
    return std::exchange(kept, &moved_error);
}

void drop_error(Error* kept) noexcept {
    if (kept != &moved_error) delete kept;
}

const char* code_name(Code code) {
    switch (code) {
        case Code::invalid: return "invalid";
        case Code::malformed: return "malformed";
        case Code::too_large: return "too_large";
        case Code::unauthenticated: return "unauthenticated";
        case Code::forbidden: return "forbidden";
        case Code::not_found: return "not_found";
        case Code::gone: return "gone";
        case Code::conflict: return "conflict";
        case Code::not_acceptable: return "not_acceptable";
        case Code::unsupported: return "unsupported";
        case Code::rate_limited: return "rate_limited";
        case Code::overloaded: return "overloaded";
        case Code::unavailable: return "unavailable";
        case Code::outcome_unknown: return "outcome_unknown";
        case Code::timeout: return "timeout";
        case Code::io: return "io";
        case Code::internal: return "internal";
    }
    return "internal";
}

}  // namespace belfry::base
