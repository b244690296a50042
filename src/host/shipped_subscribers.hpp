#pragma once

#include <span>
#include <string_view>

namespace belfry::host {

struct EmbeddedFile {
    std::string_view name;  // below its folder: `tool_failure.toml`, `templates/tool_failure.toon.j2`
    std::string_view content;
};

// The files of the folder `subscribers`, carried by the binary.
std::span<const EmbeddedFile> shipped_subscribers();

}  // namespace belfry::host
