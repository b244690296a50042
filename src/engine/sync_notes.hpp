#pragma once

#include <set>
#include <vector>

#include "engine/sync_shelf.hpp"
#include "model/sync_message.hpp"

// What was decided where two devices wrote one field: kept here, and told to others beside the record.
namespace belfry::engine {

// Keeps notes that are not here yet, with the time that they have, or now. Only the newest are kept.
base::Result<void> keep_notes(std::vector<model::MergeNote> notes, Unit& unit);
// Puts the notes of the frame's records beside them.
base::Result<void> tell_notes(model::SyncFrame& frame, Unit& unit);
// Keeps the notes that a frame tells of, but for those of users who were erased since, and of buried agents. To be
// called after the records of the frame were merged.
base::Result<void> take_notes(const model::SyncFrame& frame, const std::set<RecordKey>& nobodys, AgentBook& agents,
                              Unit& unit);

}  // namespace belfry::engine
