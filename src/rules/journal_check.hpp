#pragma once

#include <string_view>

#include "base/result.hpp"
#include "model/journal.hpp"

// Whether such a record or link may be, taken by itself: what it refers to is looked at by who can read it. Every
// refusal names the field and the limit.
namespace belfry::rules {

// The id of a record, wherever it is named.
base::Result<void> check_journal_id(std::string_view id, std::string_view field);

// The id that a record of such a kind must have; empty: any.
[[nodiscard]] std::string made_id(const model::JournalBody& body);

// Checks a record as it is to be stored. `before`: the stored record that it replaces, or null. The size limit of a
// list counts only if the list differs from the stored one.
base::Result<void> check_record(const model::JournalRecord& record, const model::JournalRecord* before = nullptr);

// Beyond that, of one that was not there before: its id leaves room in the tokens of its changes, and what its id is
// made of, too.
base::Result<void> check_new_id(const model::JournalRecord& record);

// Relations of agents are made by Belfry alone.
base::Result<void> check_link(const model::Link& link);

}  // namespace belfry::rules
