#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/journal.hpp"
#include "ports/commands/journal.hpp"
#include "ports/store_journal.hpp"

// What can be asked about the journal (ports/queries.hpp).
namespace belfry::ports {

// Whose journal is looked into, and how far. What lies outside is not there for the asker.
struct JournalAccess {
    std::string user_id;                // empty: the principal's own, or the owner
    JournalScope categories;            // only of these; nothing: of all
    std::optional<JournalClaim> claim;  // of an agent's work: no further than its allowed categories either
};

// Records that have all of this; what is empty is not asked for. Newest first, or by due date where that is asked for.
struct JournalQuestion {
    JournalAccess access;
    std::optional<model::JournalKind> kind;
    std::string words;  // of their texts; the last one may be a beginning, unless a due date is asked for
    std::string category_id;
    std::vector<std::string> states;  // any of these: statuses of tasks, types of entries, targets of ratings
    std::string label_id;
    std::string parent_id;  // what they belong to
    std::string plan_date;
    std::string due_from;
    std::string due_to;  // with this day
    bool running = false;
    // Of time entries: what does not end before the one and begins before the other, so that some of it lies between.
    std::optional<base::Timestamp> spent_from;
    std::optional<base::Timestamp> spent_to;
    std::optional<JournalPlace> after;
    std::size_t limit = 0;
};

struct JournalList {
    std::vector<model::JournalRecord> records;
    std::optional<JournalPlace> next;  // nothing: that was all
};

struct LinkQuestion {
    JournalAccess access;
    LinkFilter filter;  // its user and its categories are those of `access`
};

// All that somebody has, tombstones too: his records in the order in which they were made, then his links.
struct ExportPlace {
    std::int64_t number = 0;
    std::optional<LinkName> link;  // the records are through
};
struct ExportQuestion {
    JournalAccess access;
    ExportPlace after;
    std::size_t limit = 0;
};
struct ExportPage {
    std::vector<JournalItem> items;
    std::optional<ExportPlace> next;
};

struct JournalOverview {
    bool holds_anything = false;
    std::optional<model::JournalRecord> running;  // the time entry that has no end
};

}  // namespace belfry::ports
