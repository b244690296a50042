#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/subscriber.hpp"

namespace belfry::host {

// The names in a folder that end so, sorted; hidden files and copies of editors are drafts, and what is no file (but
// not a link that leads nowhere) is no concern of ours. No folder has none.
std::vector<std::string> definition_names(const std::string& folder, std::string_view ending,
                                          std::vector<model::SubscriberProblem>& problems);

// What is wrong with a file or folder as a whole.
model::SubscriberProblem whole_file(std::string file, std::string message);

}  // namespace belfry::host
