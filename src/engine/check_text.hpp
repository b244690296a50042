#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"

namespace belfry::engine {

// Refuses what is longer than its limit, and names both.
inline base::Result<void> check_text(std::string_view text, std::size_t bytes_max, const char* field) {
    if (text.size() <= bytes_max) return {};
    return base::error(base::Code::too_large, std::string(field) + " may have " + std::to_string(bytes_max) + " bytes",
                       field);
}

}  // namespace belfry::engine
