#include "host/definition_files.hpp"

#include <algorithm>
#include <filesystem>

#include "host/files.hpp"

namespace belfry::host {

namespace fs = std::filesystem;

model::SubscriberProblem whole_file(std::string file, std::string message) {
    return {std::move(file), 0, 0, {}, std::move(message), true};
}

void ReadingTrouble::cannot_read(std::string file, const base::Error& why) {
    if (why.reason == host::could_not_look) could_not_look = why;
    problems.push_back(whole_file(std::move(file), why.message));
}

std::vector<std::string> definition_names(const std::string& folder, std::string_view ending, ReadingTrouble& trouble) {
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
        const std::string why = "cannot be read: " + failure.message();
        trouble.cannot_read(
            folder, base::error(base::Code::io, why, {}, is_of_the_machine(failure.value()) ? could_not_look : ""));
    }
    std::ranges::sort(names);
    return names;
}

}  // namespace belfry::host
