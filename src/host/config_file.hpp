#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "host/config_fields.hpp"

namespace belfry::host {

// One setting as a TOML file has it.
struct FileSetting {
    std::string name;  // dotted
    ConfigInput value;
    std::size_t line = 0;
};

// malformed, with `path:line`, where it is no TOML.
base::Result<std::vector<FileSetting>> read_config_file(const std::string& path);

}  // namespace belfry::host
