#include "wire/endpoint.hpp"

#include <charconv>

namespace belfry::wire {
namespace {

base::Error bad(std::string_view text, std::string_view why) {
    std::string message = "\"";
    message += text;
    message += "\" is no address of a server: ";
    message += why;
    message += "; write http://host:port, https://host:port or unix:/path";
    return base::error(base::Code::invalid, std::move(message), "url");
}

base::Result<std::uint16_t> parse_port(std::string_view text, std::string_view whole) {
    std::uint16_t port = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), port);
    if (failed != std::errc{} || end != text.data() + text.size() || port == 0) {
        return bad(whole, "the port must be a number from 1 to 65535");
    }
    return port;
}

bool is_host_character(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '-' ||
           c == '_' || c == ':' || c == '%';
}

base::Result<Endpoint> parse_authority(std::string_view rest, Endpoint endpoint, std::string_view whole) {
    if (rest.ends_with('/')) rest.remove_suffix(1);
    std::string_view host = rest;
    std::string_view port;
    bool has_port = false;
    if (rest.starts_with('[')) {
        const std::size_t close = rest.find(']');
        if (close == std::string_view::npos) return bad(whole, "the bracket of its IPv6 address is not closed");
        host = rest.substr(1, close - 1);
        rest.remove_prefix(close + 1);
        has_port = rest.starts_with(':');
        if (!rest.empty() && !has_port) return bad(whole, "something stands behind its IPv6 address");
        if (has_port) port = rest.substr(1);
    } else if (const std::size_t colon = rest.find(':'); colon != std::string_view::npos) {
        host = rest.substr(0, colon);
        port = rest.substr(colon + 1);
        has_port = true;
    }
    if (host.empty()) return bad(whole, "it names no host");
    for (const char c : host) {
        if (!is_host_character(c)) return bad(whole, "only a host and a port may follow the scheme");
    }
    endpoint.host = host;
    if (has_port) {
        TRY_ASSIGN(endpoint.port, parse_port(port, whole));
    }
    return endpoint;
}

}  // namespace

std::string Endpoint::authority() const {
    if (scheme == Scheme::unix_socket) return "localhost";
    const bool is_ipv6 = host.find(':') != std::string::npos;
    return (is_ipv6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

std::string Endpoint::text() const {
    switch (scheme) {
        case Scheme::unix_socket: return "unix:" + socket_path;
        case Scheme::https: return "https://" + authority();
        case Scheme::http: break;
    }
    return "http://" + authority();
}

base::Result<Endpoint> parse_endpoint(std::string_view text) {
    Endpoint endpoint;
    if (text.starts_with("unix:")) {
        std::string_view path = text.substr(5);
        if (path.starts_with("//")) path.remove_prefix(2);
        if (!path.starts_with('/')) return bad(text, "the path of a Unix socket must be absolute");
        endpoint.scheme = Endpoint::Scheme::unix_socket;
        endpoint.socket_path = path;
        return endpoint;
    }
    if (text.starts_with("http://")) {
        endpoint.port = 80;
        return parse_authority(text.substr(7), endpoint, text);
    }
    if (text.starts_with("https://")) {
        endpoint.scheme = Endpoint::Scheme::https;
        endpoint.port = 443;
        return parse_authority(text.substr(8), endpoint, text);
    }
    return bad(text, "it does not start with http://, https:// or unix:");
}

}  // namespace belfry::wire
