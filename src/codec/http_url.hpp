#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace belfry::codec {

// An address that can be called: where the server is, and what to ask it for.
struct HttpUrl {
    std::string origin;  // `https://host:8080`
    std::string target;  // `/path?query`, at least `/`
};

// `http://host[:port][/path][?query]` or https. Nothing for anything else: another scheme, a user name, a fragment, a
// port that is none, and characters that a URL must write as %XX.
std::optional<HttpUrl> split_http_url(std::string_view text);

}  // namespace belfry::codec
