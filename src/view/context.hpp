#pragma once

#include "base/result.hpp"
#include "model/principal.hpp"
#include "ports/queries.hpp"
#include "ports/reading.hpp"

namespace belfry::view {

// What an agent would be handed in a session at this point.
base::Result<ports::ContextPreview> preview_context(ports::Reading& reading, const model::Principal& who,
                                                    const ports::ContextQuestion& question, base::Timestamp now);

}  // namespace belfry::view
