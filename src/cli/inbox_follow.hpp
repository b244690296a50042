#pragma once

#include <string>
#include <string_view>

#include "cli/command.hpp"
#include "client/client.hpp"

namespace belfry::cli {

// Shows what waits in the inbox and then what comes, each notification once in each of its versions, until it is
// interrupted or nobody reads the output any more.
Exit follow_inbox(Context& context, const Arguments& arguments, client::Client& client);

// A text of several lines, each of them harmless.
std::string printable_lines(std::string_view text, std::string_view indent = "    ");

}  // namespace belfry::cli
