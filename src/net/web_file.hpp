#pragma once

#include <string_view>

namespace belfry::net {

// A file of the web folder, carried by the binary; empty where there is none of this name.
std::string_view web_file(std::string_view file);

}  // namespace belfry::net
