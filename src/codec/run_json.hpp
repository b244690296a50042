#pragma once

#include "model/raw_json.hpp"
#include "model/run.hpp"

namespace belfry::codec {

// A run as readers get it.
void append_run(model::JsonWriter& writer, const model::Run& run);

}  // namespace belfry::codec
