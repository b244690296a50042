#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "model/sync.hpp"

// How two devices' knowledge of one record becomes one. Whatever order records come in, however often and in whatever
// groups, the outcome is the same: merging is commutative, associative and idempotent, and no wall clock decides.
namespace belfry::rules {

// What becomes of a field that two devices know differently.
enum class FieldRule : std::uint8_t {
    latest,    // the greater stamp; the same stamp: the greater text
    first,     // the smaller stamp: it is given once
    least,     // the smallest number that there is; null is none
    greatest,  // the greatest number or text that there is; null is none
    counters,  // an object of numbers: of each member the greatest
    // Of values whose writers did not know of each other; a later one replaces those that its writer knew.
    concurrent_least,
    concurrent_greatest,
    concurrent_lifecycle,  // destroyed, dormant, active, created
};
[[nodiscard]] std::string_view field_rule_name(FieldRule rule);
// Of a field of a kind of record.
[[nodiscard]] FieldRule field_rule(std::string_view kind, std::string_view field);

// Whether records of a kind are merged at all: a message is as it was said. Of two under one id that differ the one
// with the smaller text is kept everywhere, and what was forgotten (`"forgotten":true`) stays so.
[[nodiscard]] bool is_said_once(std::string_view kind);

struct Merged {
    model::SyncRecord record;
    bool differs_from_ours = false;       // there is something to be written here
    bool differs_from_theirs = false;     // they do not know all of it
    std::vector<model::MergeNote> notes;  // number and time are not set
};
// Two records of the same kind and id. `ours` may have a body of a store that knew no stamps yet.
[[nodiscard]] Merged merge_records(const model::SyncRecord& ours, const model::SyncRecord& theirs);

// A write of ours: these fields of `body` have a new value. Their stamps and concurrent values are those of this write;
// the clock is raised.
void note_write(model::RecordKnowledge& knowledge, std::string_view kind, const std::vector<std::string>& fields,
                const std::string& host, std::uint64_t counter);

// The names of the fields in which two bodies differ, sorted.
[[nodiscard]] std::vector<std::string> changed_fields(model::JsonView before, model::JsonView after);

// The same for any order of records: of kind, id, clock, knowledge and body. XOR of those of all records of a store is
// what two devices compare.
[[nodiscard]] std::string record_digest(const model::SyncRecord& record);

// Where it is none that could be merged: which field, and why. Kinds that are not known, sizes, names, stamps of hosts
// that the clock does not know.
[[nodiscard]] base::Result<void> check_sync_record(const model::SyncRecord& record);

}  // namespace belfry::rules
