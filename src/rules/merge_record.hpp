#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "model/sync.hpp"

// How two devices' knowledge of one record becomes one. Whatever order records come in, however often and in whatever
// groups, the outcome is the same: merging is commutative, associative and idempotent, and no wall clock decides.
//
// Each field is joined by itself, whichever clock is ahead; that the record with the greater clock wins whole follows
// from how records are written (write_record) and is no rule of its own: "the greater clock, else the greater value"
// would depend on the order in which three devices meet. So what only ever grows must do so where it is written, too.
namespace belfry::rules {

// What becomes of a field that two devices know differently.
enum class FieldRule : std::uint8_t {
    latest,  // the greater stamp; the same stamp: the greater text
    // Those that can only grow: a write cannot take them back.
    first,     // the smaller stamp: it is given once; null is none
    least,     // the smallest number that there is; null is none
    greatest,  // the greatest number or text that there is; null is none
    counters,  // an object of numbers: of each member the greatest
    // Of values whose writers did not know of each other; a later one replaces those that its writer knew.
    concurrent_least,
    concurrent_greatest,
    concurrent_lifecycle,  // destroyed, dormant, active, created
    // A list: each of its elements by itself, under its id (merge_lists.hpp).
    elements,
};
[[nodiscard]] std::string_view field_rule_name(FieldRule rule);
// Of a field of a kind of record.
[[nodiscard]] FieldRule field_rule(std::string_view kind, std::string_view field);

// Whether records of a kind are told to other devices.
[[nodiscard]] bool is_sync_kind(std::string_view kind);
// Whether records of a kind are merged at all: a message is as it was said. Of two under one id that differ all devices
// keep the one of the greater host (rules/message_host.hpp), else the smaller text. A forgotten message
// (`"forgotten":true`) stays forgotten.
[[nodiscard]] bool is_said_once(std::string_view kind);

struct Merged {
    model::SyncRecord record;
    bool differs_from_ours = false;       // there is something to be written here
    bool differs_from_theirs = false;     // they do not know all of it
    std::vector<model::MergeNote> notes;  // number and time are not set
};
// Two records of the same kind and id, or one that is not there yet (no clock, the empty body). Both may be of a store
// that knew no stamps. What comes out has its stamps spelled. Where the clocks have too many hosts together, ours stays
// as it is: whoever lets in only hosts that he knows never sees it.
[[nodiscard]] Merged merge_records(const model::SyncRecord& ours, const model::SyncRecord& theirs);

// Gives every field of a record that was written before there were stamps one of its own: of version 0, the greater the
// more changes the record had had. Nothing is done to one that has its stamps already.
void spell_stamps(model::SyncRecord& record);

// A write of ours: the record is to have this body. What can only grow is not taken back, so the body may come out
// otherwise; the rest of what differs is this write's. The names of the fields that changed.
std::vector<std::string> write_record(model::SyncRecord& record, model::JsonView body, const std::string& host,
                                      std::uint64_t counter);
// The same in parts, for records whose body is not at hand: what a write makes of a body,
[[nodiscard]] model::RawJson settled_body(std::string_view kind, model::JsonView before, model::JsonView after);
// and that these fields (written_fields) have a new value. Their stamps and concurrent values are those of this write;
// the clock is raised. A record that was not there before has all its fields named.
void note_write(model::RecordKnowledge& knowledge, std::string_view kind, const std::vector<std::string>& fields,
                const std::string& host, std::uint64_t counter);

// The names of the fields in which two bodies differ, sorted.
[[nodiscard]] std::vector<std::string> changed_fields(model::JsonView before, model::JsonView after);
// The same for note_write: after the name of a list follow those of its elements.
[[nodiscard]] std::vector<std::string> written_fields(std::string_view kind, model::JsonView before,
                                                      model::JsonView after);

// 32 bytes: of kind, id, whose it is, clock, knowledge and body; of what is said once without what is known beside it,
// which is not kept of it. XOR of those of all records of a store is what two devices compare.
[[nodiscard]] std::string record_digest(const model::SyncRecord& record);

// Where it is none that could be merged: which field, and why. Kinds that are not known, sizes, names, stamps of hosts
// that the clock does not know, members that are not sorted, values that the field's rule has no order for.
[[nodiscard]] base::Result<void> check_sync_record(const model::SyncRecord& record);

}  // namespace belfry::rules
