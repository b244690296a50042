#pragma once

#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "model/sync.hpp"

// The notes of a record's merges, as they go from device to device: beside the record, whenever the record is told. A
// device that hears of a merge that another one has made so learns what was decided, and what its own value lost to.
namespace belfry::rules {

// The kind of an entry of a frame that has notes. It is no record of its own: nothing is merged, counted or walked.
inline constexpr std::string_view merge_notes_kind = "merge_notes";

// All notes are of this record; they go under an id of their own, with the record's clock.
[[nodiscard]] model::SyncRecord notes_record(const model::SyncRecord& record,
                                             const std::vector<model::MergeNote>& notes);
// Returns the notes, with their times and without numbers; else the field that is wrong, and why.
[[nodiscard]] base::Result<std::vector<model::MergeNote>> read_notes_record(const model::SyncRecord& told);

// True if both tell of the same value that was lost: of each there is one note.
[[nodiscard]] bool is_same_loss(const model::MergeNote& a, const model::MergeNote& b);

}  // namespace belfry::rules
