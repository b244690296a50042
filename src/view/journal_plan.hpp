#pragma once

#include <optional>
#include <string>

#include "base/result.hpp"
#include "ports/journal_questions.hpp"
#include "ports/reading.hpp"

// How a question about the journal is answered along the terms that records are found by.
namespace belfry::view {

// Whose journal is read, and which categories of it.
struct JournalSight {
    std::string user_id;
    ports::JournalScope categories;
};

// Of a claim that holds by now: what the agent that is worked for may see.
base::Result<JournalSight> sight_of(ports::Reading& reading, const model::Principal& who,
                                    const ports::JournalAccess& access, const std::string& owner, base::Timestamp now);

// The rarest term first. Nothing: no record can have all of this.
base::Result<std::optional<ports::JournalFilter>> plan_list(ports::JournalReading& journal, const JournalSight& sight,
                                                            const ports::JournalQuestion& question);

// Where a list by this filter goes on behind this record.
[[nodiscard]] ports::JournalPlace place_of(const ports::JournalFilter& filter, const model::JournalRecord& record);

}  // namespace belfry::view
