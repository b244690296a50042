#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"
#include "model/notification.hpp"
#include "model/raw_json.hpp"

// What the client library gives and takes of notifications on their way. Requests: what is empty or nothing is left
// out.
namespace belfry::client {

struct NotifyRequest {
    std::string text;
    std::string title;
    std::string user_id;
    std::string session_id;
    std::string agent_id;
    std::optional<model::Address> address;
    std::optional<model::Target> target;
    std::optional<model::Handler> handler;
    std::optional<model::Priority> priority;
    std::optional<model::Severity> severity;
    std::string deduplication_key;
};

// One notification, as lists and single answers show it. Lists of the inbox leave some of it out.
struct NotificationState {
    std::string id;
    std::int64_t ordinal = 0;
    std::string user_id;
    std::string session_id;
    std::string agent_id;
    std::string subscriber;
    std::string emitter;
    std::string priority;
    std::string severity;
    std::string address;
    std::string target;
    std::string handler;
    std::string text;
    std::string content;
    std::string state;
    std::string outcome;
    std::string holder;
    std::int64_t depth = 0;
    std::string caused_by;
    std::int64_t lease = 0;
    std::int64_t version = 0;
    std::int64_t events = 0;  // rows, not repeats
    std::string created_at;
    std::string ended_at;
    std::string seen_at;
    std::string acted_at;
    std::string dismissed_at;
    std::string narration;
    model::RawJson json;
};

struct InboxQuestion {
    std::string user_id;
    std::string session_id;
    bool unread = false;
    std::size_t limit = 50;
};
struct InboxState {
    std::vector<NotificationState> items;  // newest first
    std::int64_t unread = 0;
    std::int64_t waiting = 0;  // that no interface has acknowledged
    bool more = false;
};

struct LedgerQuestion {
    std::string user_id;
    std::string session_id;
    std::string subscriber;
    std::string state;
    std::string outcome;
    bool open = false;
    bool dead_letters = false;  // only those that reached nobody
    std::optional<base::Duration> older_than;
    std::size_t limit = 50;
};
struct LedgerState {
    std::vector<NotificationState> rows;  // oldest first
    bool more = false;
};

// A sink's call that was given up.
struct SinkCallState {
    std::string id;
    std::string sink;
    std::string notification_id;
    std::int64_t attempts = 0;
    std::string error;
    std::string given_up_at;
    model::RawJson json;
};
struct SinkCalls {
    std::vector<SinkCallState> calls;  // the latest first
    bool more = false;
};

struct WhyStep {
    std::string at;
    std::string from;
    std::string to;
    std::int64_t lease = 0;
    std::string holder;
    std::string reason;
    // Of the first step, where it is known: as what it began.
    std::string address;
    std::string target;
    std::string handler;
};
struct WhyWay {
    NotificationState notification;
    bool as_repeat = false;
    std::vector<WhyStep> steps;
};
struct WhySubscriber {
    std::string id;
    std::string verdict;
};
struct WhyWaiting {
    std::string subscriber;
    std::string kind;  // row, repeat
    std::int64_t count = 0;
    std::string until;
};
struct WhyState {
    std::optional<model::RawJson> event;  // nothing: a notification was asked about
    std::int64_t sequence = 0;
    std::string reached_nobody;
    std::vector<WhySubscriber> subscribers;
    std::vector<WhyWaiting> waiting;
    std::vector<WhyWay> notifications;
    model::RawJson json;
};

struct ToolState {
    std::string name;
    std::string origin;  // belfry, registered
    std::string impact;  // internal, external
    std::string description;
    std::string updated_at;  // empty: it is Belfry's own
    std::string risk;        // of Belfry's own: low, medium, high
    std::vector<std::string> capabilities;
    model::RawJson schema;
    model::RawJson json;
};

struct InboxHandlers {
    std::function<bool(const model::RawJson& message)> on_message;  // `{"type":"notification",…}`; false: enough
    // The connection was lost, and the next attempt comes after `pause`. May be empty.
    std::function<void(const base::Error& why, base::Duration pause)> on_lost;
};

}  // namespace belfry::client
