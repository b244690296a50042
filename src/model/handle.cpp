#include "model/handle.hpp"

#include <charconv>

namespace belfry::model {

std::string handle_text(std::int64_t handle) {
    return "n" + std::to_string(handle);
}

std::optional<std::int64_t> parse_handle(std::string_view text) {
    if (!text.starts_with('n')) return std::nullopt;
    std::int64_t handle = 0;
    const char* const end = text.data() + text.size();
    const auto [at, ec] = std::from_chars(text.data() + 1, end, handle);
    if (ec != std::errc{} || at != end || handle <= 0) return std::nullopt;
    return handle;
}

}  // namespace belfry::model
