#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace belfry::host {

// The environment variables as they were when somebody looked: passed on by hand, so that nothing below `main` asks
// the process.
class Environment {
public:
    Environment() = default;
    explicit Environment(std::map<std::string, std::string, std::less<>> variables);
    static Environment of_process();

    // Nothing where it is not set or empty.
    [[nodiscard]] std::optional<std::string> get(std::string_view name) const;
    [[nodiscard]] const std::map<std::string, std::string, std::less<>>& all() const { return variables_; }

private:
    std::map<std::string, std::string, std::less<>> variables_;
};

}  // namespace belfry::host
