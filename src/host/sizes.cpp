#include "host/sizes.hpp"

#include <array>
#include <charconv>
#include <limits>
#include <utility>

namespace belfry::host {
namespace {

struct Unit {
    std::string_view name;
    std::int64_t bytes;
};

constexpr std::array<Unit, 4> binary{{{"TiB", 1LL << 40}, {"GiB", 1LL << 30}, {"MiB", 1LL << 20}, {"KiB", 1LL << 10}}};
constexpr std::array<Unit, 6> others{
    {{"TB", 1'000'000'000'000}, {"GB", 1'000'000'000}, {"MB", 1'000'000}, {"KB", 1'000}, {"B", 1}, {"", 1}}};

}  // namespace

std::optional<std::int64_t> parse_bytes(std::string_view text) {
    std::int64_t number = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (failed != std::errc{} || number < 0) return std::nullopt;
    std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
    if (unit.starts_with(' ')) unit.remove_prefix(1);
    std::int64_t scale = 0;
    for (const Unit& known : binary) {
        if (known.name == unit) scale = known.bytes;
    }
    for (const Unit& known : others) {
        if (known.name == unit) scale = known.bytes;
    }
    if (scale == 0 || number > std::numeric_limits<std::int64_t>::max() / scale) return std::nullopt;
    return number * scale;
}

std::string format_bytes(std::int64_t bytes) {
    for (const Unit& unit : binary) {
        if (bytes != 0 && bytes % unit.bytes == 0) return std::to_string(bytes / unit.bytes) + std::string(unit.name);
    }
    return std::to_string(bytes);
}

std::string about_bytes(std::int64_t bytes) {
    for (const Unit& unit : binary) {
        if (bytes < unit.bytes) continue;
        const std::int64_t tenths = (bytes / (unit.bytes / 64)) * 10 / 64;
        return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " " + std::string(unit.name);
    }
    return std::to_string(bytes) + " B";
}

}  // namespace belfry::host
