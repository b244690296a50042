#include "model/severity.hpp"

#include <array>

namespace belfry::model {
namespace {
constexpr std::array<std::string_view, 5> names{"debug", "info", "warning", "error", "critical"};
}

std::string_view severity_name(Severity severity) {
    return names[static_cast<std::size_t>(severity)];
}

std::optional<Severity> parse_severity(std::string_view name) {
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (names[i] == name) return static_cast<Severity>(i);
    }
    return std::nullopt;
}

}  // namespace belfry::model
