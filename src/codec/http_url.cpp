#include "codec/http_url.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>

namespace belfry::codec {
namespace {

bool is_host(std::string_view host) {
    const bool is_ipv6 = host.starts_with('[');
    if (is_ipv6) {
        if (!host.ends_with(']')) return false;
        host = host.substr(1, host.size() - 2);
    }
    return !host.empty() && std::ranges::all_of(host, [is_ipv6](char c) {
        const bool is_word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        return is_word || c == '.' || (is_ipv6 ? c == ':' : c == '-' || c == '_');
    });
}

bool is_port(std::string_view text) {
    std::uint16_t port = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), port);
    return failure == std::errc{} && end == text.data() + text.size() && port != 0;
}

bool is_authority(std::string_view text) {
    const std::size_t bracket = text.find(']');
    const std::size_t colon = text.find(':', bracket == std::string_view::npos ? 0 : bracket);
    if (colon == std::string_view::npos) return is_host(text);
    return is_host(text.substr(0, colon)) && is_port(text.substr(colon + 1));
}

}  // namespace

std::optional<HttpUrl> split_http_url(std::string_view text) {
    const std::size_t scheme = text.starts_with("http://") ? 7 : text.starts_with("https://") ? 8 : 0;
    if (scheme == 0) return std::nullopt;
    const auto is_visible = [](char c) {
        return c > ' ' && c < '\x7f' && std::string_view("\"<>\\^`{|}#").find(c) == std::string_view::npos;
    };
    if (!std::ranges::all_of(text, is_visible)) return std::nullopt;
    const std::size_t end = std::min(text.find_first_of("/?", scheme), text.size());
    if (!is_authority(text.substr(scheme, end - scheme))) return std::nullopt;
    HttpUrl url{std::string(text.substr(0, end)), std::string(text.substr(end))};
    if (!url.target.starts_with('/')) url.target.insert(0, 1, '/');
    return url;
}

}  // namespace belfry::codec
