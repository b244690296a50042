#pragma once

#include "model/raw_json.hpp"
#include "model/timer.hpp"

namespace belfry::codec {

// A timer with its next firings, as clients get it. One that was only rehearsed has no id.
void write_timer(model::JsonWriter& writer, const model::ShownTimer& shown);

}  // namespace belfry::codec
