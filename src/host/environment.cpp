#include "host/environment.hpp"

#include <unistd.h>
#include <utility>

namespace belfry::host {

Environment::Environment(std::map<std::string, std::string, std::less<>> variables)
    : variables_(std::move(variables)) {}

Environment Environment::of_process() {
    std::map<std::string, std::string, std::less<>> variables;
    for (char** at = environ; at != nullptr && *at != nullptr; ++at) {
        const std::string_view pair(*at);
        const std::size_t equals = pair.find('=');
        if (equals == std::string_view::npos) continue;
        variables.emplace(pair.substr(0, equals), pair.substr(equals + 1));
    }
    return Environment(std::move(variables));
}

std::optional<std::string> Environment::get(std::string_view name) const {
    const auto found = variables_.find(name);
    if (found == variables_.end() || found->second.empty()) return std::nullopt;
    return found->second;
}

}  // namespace belfry::host
