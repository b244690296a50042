#pragma once

#include <string>

#include "base/result.hpp"
#include "model/value.hpp"

namespace belfry::cli {

// Events from a file, or from standard input where the path is `-`: a JSON array, one event, or one a line, each as it
// is or as `belfry tail --json` writes it (`{"sequence":1,"event":{…}}`; erased ones are left out). Gives an array. An
// error names the file and, where events stand in lines, the line.
base::Result<model::Value> read_events(const std::string& path);

}  // namespace belfry::cli
