#pragma once

#include <span>
#include <string_view>

namespace belfry::net {

// A file of the web app, carried by the binary.
struct WebFile {
    std::string_view path;  // under which it is asked for
    std::string_view content_type;
    std::string_view plain;
    std::string_view packed;  // with gzip
};
std::span<const WebFile> web_files();

}  // namespace belfry::net
