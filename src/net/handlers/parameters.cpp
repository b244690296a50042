#include "net/handlers/parameters.hpp"

#include <algorithm>
#include <charconv>

#include "base/limits.hpp"
#include "codec/utf8.hpp"

namespace belfry::net::handlers {
namespace {
constexpr std::size_t name_chars_max = 64;  // of an unknown parameter, to be repeated in the answer
}

base::Error unknown_parameter(const std::string& name) {
    const bool plain = !name.empty() && name.size() <= name_chars_max &&
                       std::all_of(name.begin(), name.end(), [](char c) { return c > ' ' && c < 0x7f; });
    return base::error(base::Code::invalid, "there is no such parameter", plain ? name : "query");
}

base::Result<std::size_t> parse_limit(const std::string& text) {
    std::size_t limit = 0;
    const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), limit);
    if (ec != std::errc{} || end != text.data() + text.size() || limit == 0 || limit > base::limits::page_entries_max) {
        return base::error(base::Code::invalid,
                           "must be a number from 1 to " + std::to_string(base::limits::page_entries_max), "limit");
    }
    return limit;
}

base::Result<std::string> parse_filter(std::string_view name, const std::string& text) {
    if (text.size() > base::limits::scope_id_bytes_max) {
        return base::error(base::Code::invalid,
                           "must have at most " + std::to_string(base::limits::scope_id_bytes_max) + " bytes",
                           std::string(name));
    }
    if (!codec::is_utf8(text)) return base::error(base::Code::invalid, "must be UTF-8", std::string(name));
    return text;
}

}  // namespace belfry::net::handlers
