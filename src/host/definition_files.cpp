#include "host/definition_files.hpp"

#include <algorithm>
#include <filesystem>

namespace belfry::host {

namespace fs = std::filesystem;

model::SubscriberProblem whole_file(std::string file, std::string message) {
    return {std::move(file), 0, 0, {}, std::move(message), true};
}

std::vector<std::string> definition_names(const std::string& folder, std::string_view ending,
                                          std::vector<model::SubscriberProblem>& problems) {
    std::vector<std::string> names;
    std::error_code failure;
    for (fs::directory_iterator at(folder, failure); !failure && at != fs::directory_iterator();
         at.increment(failure)) {
        const std::string name = at->path().filename().string();
        if (name.starts_with('.') || name.ends_with('~') || !name.ends_with(ending)) continue;
        std::error_code ignored;
        if (at->exists(ignored) && !at->is_regular_file(ignored)) continue;
        names.push_back(name);
    }
    if (failure && failure != std::errc::no_such_file_or_directory) {
        problems.push_back(whole_file(folder, "cannot be read: " + failure.message()));
    }
    std::ranges::sort(names);
    return names;
}

}  // namespace belfry::host
