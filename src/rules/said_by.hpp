#pragma once

#include "model/principal.hpp"
#include "model/raw_json.hpp"

namespace belfry::rules {

// What a sender says about a message of his, an object, with `by` and `role` as they are: nobody says for himself, or
// for another, who has spoken.
model::RawJson said_by(const model::Principal& who, const model::RawJson& metadata);

}  // namespace belfry::rules
