#pragma once

#include <string_view>

#include "base/result.hpp"
#include "base/time.hpp"
#include "model/event.hpp"

namespace belfry::rules {

// Checks an event against every limit and, if its type is a known one, its payload; then fills in what the producer
// left out: severity (the type's own, else info), timestamp (now), dedupe key (`type:source`). The first thing wrong is
// named with its field and limit.
base::Result<void> admit(model::Event& event, base::Timestamp now);

// Whether this may be the id of a user, a session or an agent. They are compared, printed and put into paths: control
// characters have no place in them.
base::Result<void> check_scope_id(std::string_view id, const char* field);

}  // namespace belfry::rules
