#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"
#include "model/log.hpp"
#include "model/principal.hpp"
#include "model/raw_json.hpp"
#include "model/subscriber.hpp"

// What the client library gives and takes.
namespace belfry::client {

// An event that was taken in: durable from here on.
struct Admitted {
    std::string id;
    model::Sequence sequence = 0;  // in the stream `events`
};
using Admission = base::Result<Admitted>;

struct Emitted {
    std::vector<Admission> entries;  // in the order of the request; each refused one with its reason
    bool replayed = false;           // the daemon had this key before and did nothing now

    [[nodiscard]] std::size_t refused() const;
};

struct Entry {
    model::Sequence sequence = 0;
    bool erased = false;
    model::RawJson event;  // the empty object where it was erased
};

struct Page {
    std::vector<Entry> entries;
    model::Sequence next = 0;  // the `after` of the next page
    bool has_more = false;
    // Entries from..to, which the asker did not have, are gone for good (retention); 0..0: none.
    model::Sequence gap_from = 0;
    model::Sequence gap_to = 0;
};

struct StreamState {
    std::string name;
    model::Sequence head = 0;   // the last sequence given
    model::Sequence floor = 0;  // entries up to here are gone
};

// Where to begin to follow.
struct Start {
    enum class At : std::uint8_t { beginning, after, live };
    At at = At::live;
    model::Sequence after = 0;
};

struct FollowHandlers {
    std::function<bool(const Entry&)> on_entry;  // false: enough
    // Entries from..to are gone for good (retention). May be empty.
    std::function<void(model::Sequence from, model::Sequence to)> on_gap;
    // The connection was lost, and the next attempt comes after `pause`. May be empty.
    std::function<void(const base::Error& why, base::Duration pause)> on_lost;
};

struct TokenRequest {
    std::string name;
    model::Role role = model::Role::emitter;
    std::string user_id;
    std::optional<std::int64_t> ttl_s;
    std::int64_t events_per_second = 0;  // 0: no limit
    model::Bounds bounds;
};

struct TokenState {
    std::string id;
    std::string token;  // the secret text, only in the answer to its making
    std::string name;
    std::string role;
    std::string user_id;
    std::int64_t events_per_second = 0;
    model::RawJson bounds;
    std::string created_at;
    std::string expires_at;  // empty: never
    model::RawJson json;     // the whole as it came
};

struct Ticket {
    std::string ticket;
    std::int64_t expires_in_s = 0;
};

// A one-time link to the web app.
struct LinkState {
    std::string url;
    std::int64_t expires_in_s = 0;
    model::RawJson json;
};

struct ErasureState {
    std::string id;
    std::string state;  // pending, running, done
    std::int64_t attempts = 0;
    std::string created_at;
    std::string finished_at;
    model::RawJson progress;
    std::string last_error;
    model::RawJson json;
};

struct SubscriberState {
    std::string id;
    std::string name;
    std::string description;
    std::string version;
    std::vector<std::string> types;
    std::string priority;
    std::string inject_at;
    bool core = false;
    std::optional<bool> enabled;  // nothing: the asker may not see anybody's choices
    std::string origin;
    model::RawJson json;
};

struct SubscriberList {
    std::string user_id;  // whose choices `enabled` shows; empty: nobody's
    std::vector<SubscriberState> subscribers;
    std::vector<model::SubscriberProblem> problems;  // of their files
};

struct DaemonStatus {
    std::string readiness;
    std::string version;
    std::int64_t pid = 0;
    std::string started_at;
    std::string now;
    std::string backend;
    std::string location;
    std::int64_t schema_version = 0;
    std::int64_t commit_number = 0;
    std::int64_t file_bytes = 0;
    std::int64_t wal_bytes = 0;
    std::vector<StreamState> streams;
    std::int64_t queue_commands = 0;
    std::int64_t queue_bytes = 0;
    std::int64_t connections = 0;
    model::RawJson json;
};

}  // namespace belfry::client
