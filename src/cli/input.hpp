#pragma once

#include <cstddef>
#include <string>

#include "base/result.hpp"

namespace belfry::cli {

// The whole of a file, or of standard input where the path is `-` or empty; too_large beyond `bytes_max`.
base::Result<std::string> read_input(const std::string& path, std::size_t bytes_max);

}  // namespace belfry::cli
