#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"

// Errors as HTTP shows them: application/problem+json (RFC 9457) with a stable `code`.
namespace belfry::codec {

inline constexpr std::string_view problem_media_type = "application/problem+json";

// The one HTTP status of each code.
unsigned status_of(base::Code code);

// The status's own phrase ("Unprocessable Content"); "Error" for one that Belfry never sends.
std::string_view title_of(unsigned status);

// `{"type":"about:blank","title":"…","status":422,"code":"invalid","detail":"…","field":"type"}`; field only where the
// error has one. The status is given because a route may know better (405, 421).
// `more` is members of an object, or nothing.
void append_problem(std::string& out, unsigned status, const base::Error& error, std::string_view more = {});

// `{"code":"invalid","detail":"…","field":"type"}`: the same for one entry of a batch.
void append_entry_problem(std::string& out, const base::Error& error);

}  // namespace belfry::codec
