#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/notification.hpp"

namespace belfry::rules {

// The words that somebody looks for, as `mentions` takes them. Great and small ASCII letters are the same.
std::vector<std::string> search_words(std::string_view text);

// Whether each of the words stands somewhere in what a person knows a notification by: its text, id, state and outcome,
// who made it, whose it is and in which session.
bool mentions(const model::Notification& notification, const std::vector<std::string>& words);

}  // namespace belfry::rules
