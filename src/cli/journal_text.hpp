#pragma once

#include <string>
#include <string_view>

#include "base/time.hpp"
#include "cli/local_clock.hpp"
#include "model/journal.hpp"

// Records of the journal for a person.
namespace belfry::cli {

// What it says, in one short line: the title of a task, the beginning of an entry.
std::string record_title(const model::JournalRecord& record, const LocalClock& clock);
// task 0198…: Buy milk (open, p1, due 2026-11-20), in gym
std::string record_line(const model::JournalRecord& record, const LocalClock& clock);
// All its fields under each other, then its long texts. What there is not is left out. Printable as it is.
std::string record_text(const model::JournalRecord& record, const LocalClock& clock, bool colours);

// The beginning of the first line, with an ellipsis where more follows.
std::string shortened(std::string_view text);
// Hours and minutes: 1:30.
std::string hours_text(base::Duration time);

}  // namespace belfry::cli
