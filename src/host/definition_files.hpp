#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "model/subscriber.hpp"

namespace belfry::host {

// What is wrong with a file or folder as a whole.
model::SubscriberProblem whole_file(std::string file, std::string message);

// What went wrong while definitions were read.
struct ReadingTrouble {
    std::vector<model::SubscriberProblem>& problems;
    std::optional<base::Error> could_not_look = std::nullopt;  // at all of them

    void cannot_read(std::string file, const base::Error& why);
};

// The names in a folder that end so, sorted; hidden files and copies of editors are drafts, and what is no file (but
// not a link that leads nowhere) is no concern of ours. No folder has none.
std::vector<std::string> definition_names(const std::string& folder, std::string_view ending, ReadingTrouble& trouble);

}  // namespace belfry::host
