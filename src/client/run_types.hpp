#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"
#include "model/log.hpp"
#include "model/raw_json.hpp"
#include "model/run.hpp"

// What the client library gives and takes about runs.
namespace belfry::client {

struct RunRequest {
    std::string user_id;  // what is empty is left out
    std::string session_id;
    std::string agent_id;
    std::string hierarchy_id;
    std::string run_key;
    model::RunId parent_id = 0;
    std::string title;
    std::optional<model::RawJson> metadata;
    std::optional<model::CallerContext> caller;
    bool tree = false;
    bool start = true;
};

struct RunStateNow {
    model::RunId id = 0;
    model::RunId parent_id = 0;
    model::RunId root_id = 0;
    std::string run_key;
    std::string user_id;
    std::string session_id;
    std::string agent_id;
    std::string hierarchy_id;
    std::string title;
    std::string state;
    bool paused = false;
    std::int64_t queue_position = 0;  // 1 is next; 0: it does not wait
    std::string created_at;
    std::string ended_at;  // empty: not yet
    std::int64_t events = 0;
    model::RawJson json;  // the whole as it came
};

struct RunQuestion {
    std::string user_id;
    std::string session_id;
    std::string agent_id;
    std::string state;
    model::RunId root_id = 0;
    std::size_t limit = 50;
};
struct RunList {
    std::vector<RunStateNow> runs;  // newest first
    bool more = false;
};

struct EmittedToRun {
    std::int64_t accepted = 0;
    model::Sequence first = 0;
    model::Sequence last = 0;
    std::string state;  // of the run
    bool paused = false;
};

struct RunFollow {
    model::Sequence after = 0;  // the last position that the reader has
    bool live = false;          // instead: from now on
    bool tree = false;
    std::string agent_id;
};
struct RunEventState {
    model::Sequence position = 0;  // in the stream that is followed; of a tree not that of the run
    std::string event;
    model::RawJson json;  // {id, run_id, timestamp, sequence, source, event, data}
};
struct RunHandlers {
    std::function<bool(const RunEventState&)> on_event;  // false: enough
    // Entries from..to are gone for good. May be empty.
    std::function<void(model::Sequence from, model::Sequence to)> on_gap;
    // The connection was lost, and the next attempt comes after `pause`. May be empty.
    std::function<void(const base::Error& why, base::Duration pause)> on_lost;
};

}  // namespace belfry::client
