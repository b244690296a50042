#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "model/journal.hpp"
#include "model/wake.hpp"
#include "ports/commands/command.hpp"

// Changes of the journal. A record that is not there, or is another person's, is `not_found`; a tombstone is `gone`. A
// `revision` that is not the record's any more is a `conflict` with the reason `stale_revision`, whose message ends
// with the one it has. An empty user: the principal's own, or the owner.
namespace belfry::ports {

// An agent that works on the journal names the wake that it works for and the fence of its claim: its changes have it
// as their origin, and reach no further than its allowed categories. Nothing: a person does, or who acts for him.
struct JournalClaim {
    model::WakeId wake_id = 0;
    std::int64_t fence = 0;
};

struct CreatedRecord {
    model::JournalRecord record;
    bool is_new = true;  // false: one like it was there under this id
};

// `conflict`, `taken`: another record has this id; `running`: another timer runs. `gone`: it was deleted before.
struct CreateRecord final : CommandOf<CreatedRecord> {
    std::string user_id;
    std::string id;  // empty: it is given one
    model::JournalWish wish;
    std::optional<JournalClaim> claim;
};

// What is not named stays. What changes nothing is no change.
struct ChangeRecord final : CommandOf<model::JournalRecord> {
    std::string user_id;
    std::string id;
    std::optional<std::int64_t> revision;
    model::JournalWish wish;
    std::optional<JournalClaim> claim;
};

// What belongs to it goes with it: the checklists of a task, the items of a checklist. A category that holds anything
// is a `conflict`, `not_empty`.
struct DeleteRecord final : CommandOf<model::JournalRecord> {
    std::string user_id;
    model::JournalKind kind = model::JournalKind::task;
    std::string id;
    std::optional<std::int64_t> revision;
    std::optional<JournalClaim> claim;
};

struct PutLinkReply {
    model::Link link;
    bool is_new = true;
};

// Makes it, or changes its metadata and whether it is hidden. One that was deleted is `gone`.
struct PutLink final : CommandOf<PutLinkReply> {
    std::string user_id;
    model::Link draft;
    std::optional<JournalClaim> claim;
};

struct DeleteLink final : CommandOf<model::Link> {
    std::string user_id;
    std::string relation;
    std::string from_id;
    std::string to_id;
    std::optional<JournalClaim> claim;
};

using JournalItem = std::variant<model::JournalRecord, model::Link>;

struct ImportConflict {
    std::size_t item = 0;  // from 0 on
    std::string id;
    std::string message;
};

struct Imported {
    std::size_t taken = 0;
    std::size_t unchanged = 0;  // were there, as they are
    std::vector<ImportConflict> conflicts;
};

// Takes records and links as they are: with their revisions, times and tombstones. One that is there and differs is a
// conflict and stays as it is.
struct ImportJournal final : CommandOf<Imported> {
    std::string user_id;
    std::vector<JournalItem> items;  // limits::journal_import_records_max at the most
};

}  // namespace belfry::ports
