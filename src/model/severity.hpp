#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace belfry::model {

// In rising order: comparing two of them is meaningful.
enum class Severity : std::uint8_t { debug, info, warning, error, critical };

std::string_view severity_name(Severity severity);
std::optional<Severity> parse_severity(std::string_view name);

}  // namespace belfry::model
