#pragma once

#include <string>

#include "base/result.hpp"
#include "model/sink.hpp"

namespace belfry::host {

// Reads all sinks: every `*.toml` of the folder, which need not exist, is one. Never fails: what is wrong stands in
// `problems` with file, line and field, and harms only itself. An id that two files have belongs to neither of them.
model::SinkCatalogue read_sinks(const std::string& folder);

// The same for one who has them already and keeps them where the machine cannot look now, which is an error here.
base::Result<model::SinkCatalogue> read_sinks_again(const std::string& folder);

}  // namespace belfry::host
