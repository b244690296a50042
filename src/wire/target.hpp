#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace belfry::wire {

// Resolves %XX; nothing where a percent sign does not begin one. In a query a plus sign is a space.
std::optional<std::string> percent_decode(std::string_view text, bool plus_is_space);

// The parameters of a query in their order, decoded. Nothing where one cannot be decoded.
using QueryParameters = std::vector<std::pair<std::string, std::string>>;
std::optional<QueryParameters> parse_query(std::string_view query);

}  // namespace belfry::wire
