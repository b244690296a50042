#pragma once

#include <string_view>

#include "model/journal.hpp"

namespace belfry::rules {

// What a record belongs to: it takes its category from there, and is found by it.
struct JournalParent {
    model::JournalKind kind = model::JournalKind::task;
    std::string_view id;  // empty: nothing; a rating of a day names its date
};

// Valid for as long as the body. Of a checklist its task, of an item its checklist, of a time entry its task, of a
// rating what it rates.
[[nodiscard]] JournalParent parent_of(const model::JournalBody& body);

// Whether it is moved to another category together with what it belongs to, and whether it is deleted with it.
[[nodiscard]] bool moves_with_parent(model::JournalKind kind);
[[nodiscard]] bool goes_with_parent(model::JournalKind kind);

}  // namespace belfry::rules
