#pragma once

#include "model/change_log.hpp"
#include "store/row_reader.hpp"

// A change as it is stored.
namespace belfry::store {

#define BELFRY_CHANGE_COLUMNS \
    "change_no, host, counter, kind, record_id, user_id, origin, tokens_json, clock_json, changed_at, batch_id"

// An origin with its depth: `2/agent:coach`. One that has none stands there by itself.
std::string stored_origin(const model::ChangeOrigin& origin);
model::Change read_change(RowReader& row);
model::VectorClock read_clock(RowReader& row);

}  // namespace belfry::store
