#pragma once

#include "model/raw_json.hpp"
#include "model/schedule.hpp"

namespace belfry::codec {

// A schedule as an object with its `kind` and what that has: {"kind":"weekly","days":["mon","thu"],"time":"18:30"}. The
// zone is left to the caller.
void write_schedule(model::JsonWriter& writer, const model::Schedule& schedule);

}  // namespace belfry::codec
