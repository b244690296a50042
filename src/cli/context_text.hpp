#pragma once

#include <string>

#include "client/session_types.hpp"

namespace belfry::cli {

// What was handed over as one text for an agent that reads, and has no tools of Belfry's: the person's own words first,
// then the notifications in their frame, then how to name what was dealt with. Empty where nothing is due.
std::string context_text(const client::Pulled& pulled);

}  // namespace belfry::cli
