#pragma once

#include <string>
#include <string_view>

#include "cli/console.hpp"
#include "client/delivery_types.hpp"

// Notifications as a person reads them in a terminal. Text of others comes out harmless.
namespace belfry::cli {

// The first line of its text, or of its content where it has none, cut to what a column takes.
std::string gist(const client::NotificationState& notification);

// `pending`, `delivered`, `failed (nobody_there)`.
std::string state_words(const client::NotificationState& notification);

// What the person did with it: `seen`, `acted`, `dismissed`, or nothing.
std::string read_words(const client::NotificationState& notification);

// `for the user, said by the agent: inbox`: the axes in words, and the channel that they lead to.
std::string route_words(std::string_view address, std::string_view target, std::string_view handler);

Colour priority_colour(std::string_view priority);

}  // namespace belfry::cli
