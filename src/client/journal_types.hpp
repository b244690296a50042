#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "model/journal.hpp"
#include "model/raw_json.hpp"
#include "model/wake.hpp"

// What the client library gives and takes about the journal.
namespace belfry::client {

// Whose journal it is, and for which wake it is worked on: then changes are the agent's, within its categories.
struct JournalScope {
    struct Claim {
        model::WakeId wake_id = 0;
        std::int64_t fence = 0;
    };
    std::string user_id;  // empty: the caller's own, or the owner's
    std::optional<Claim> claim;
};

struct RecordNow {
    model::JournalRecord record;  // its number is not told
    model::RawJson json;          // the whole as it came
};

struct RecordQuestion {
    model::JournalKind kind = model::JournalKind::task;
    // As GET /v1/journal/{plural} takes them, {"status", "open"}; what is empty is left out.
    std::vector<std::pair<std::string, std::string>> filters;
    std::size_t limit = 50;
};
struct SearchQuestion {
    std::string words;
    std::string kind;  // empty: any
    std::size_t limit = 50;
};
struct RecordList {
    std::vector<RecordNow> records;
    bool more = false;
};

struct LinkRequest {
    std::string relation;
    std::string from_id;
    std::string to_id;
    std::optional<model::RawJson> metadata;
    bool hidden = false;
};
struct LinkNow {
    model::Link link;
    model::RawJson json;
};
struct LinkQuestion {
    std::string from_id;  // at least one of the two
    std::string to_id;
    std::string relation;
    bool hidden = false;  // those too
};

struct ImportConflict {
    std::int64_t line = 0;  // of what was sent, from 1 on
    std::string id;
    std::string message;
};
// A line that is no record and no link: then nothing of what was sent was taken.
struct ImportFault {
    std::int64_t line = 0;
    base::Error error;
};
struct Imported {
    std::int64_t taken = 0;
    std::int64_t unchanged = 0;
    std::vector<ImportConflict> conflicts;
    std::optional<ImportFault> fault;
};

struct JournalNow {
    bool holds_anything = false;
    std::optional<RecordNow> running;  // the timer that runs
    model::RawJson json;
};

}  // namespace belfry::client
