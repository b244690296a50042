#pragma once

#include <string>

#include "ports/commands/access.hpp"

namespace belfry::net::handlers {

// A token that was made, with the text that is shown this once.
std::string minted_token_body(const ports::MintedToken& minted);

}  // namespace belfry::net::handlers
