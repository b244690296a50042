#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace belfry::host {

// "8GiB", "512MiB", "10KB", "4096" (bytes). Binary units (KiB MiB GiB TiB) and decimal ones (KB MB GB TB). Nothing for
// anything else, or beyond 63 bits.
std::optional<std::int64_t> parse_bytes(std::string_view text);
// Exactly the same number, in the largest binary unit that has no fraction: "8GiB", "1000".
std::string format_bytes(std::int64_t bytes);
// For people: "1.4 GiB".
std::string about_bytes(std::int64_t bytes);

}  // namespace belfry::host
