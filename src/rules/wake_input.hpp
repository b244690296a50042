#pragma once

#include <string>
#include <vector>

#include "model/wake.hpp"

namespace belfry::rules {

// Returns the user's words in the input of a `user_initiated` wake. Of an AG-UI request: the texts of the user's
// messages after the last assistant message, each on a line of its own. Of any other input its text, else the input as
// JSON. Empty: there are no words.
std::string words_of_input(const model::Wake& wake);

// Returns the texts that `words_of_input` joins, if the input is an AG-UI request; else none.
std::vector<std::string> ag_ui_texts(const model::Wake& wake);

}  // namespace belfry::rules
