#pragma once

#include "model/journal.hpp"
#include "model/raw_json.hpp"

namespace belfry::model {

// A record with all that it has, as it is shown, kept in an export, and asked by predicates: what there is not is null.
void append_record(JsonWriter& writer, const JournalRecord& record);
void append_link(JsonWriter& writer, const Link& link);

}  // namespace belfry::model
