#pragma once

#include <string_view>

// The part of schema version 14 that is of merges between devices.
namespace belfry::store::schema_14 {

// The notes of a record are told beside it: they are found by its name.
inline constexpr std::string_view merge_notes = R"sql(
CREATE INDEX merge_notes_record ON merge_notes (kind, record_id);
)sql";

}  // namespace belfry::store::schema_14
