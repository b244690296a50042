#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "observation_parts.hpp"

// Observations of callers and operators at the API: records that callers read, subscriber files, settings, query
// parameters, idempotency keys, times, and the demonstration daemon.
namespace observer {

// A caller read a record: GET /v1/why/{id}, /v1/notifications/{id}, or a page of /v1/streams/events.
struct RecordRead {
    std::string caller = {};
    std::string role = {};  // user, agent
    std::string user = {};  // of the caller's token; of an agent's token: the one user that the token is bound to
    std::string path = {};
    std::string mark = {};  // of the event or the notification that the caller asked for; empty: a page of a stream
    Answer answer = {};
    std::string text = {};  // the body of the answer
};

// The operator wrote a subscriber file: events of `type` become context (target agent, handler system) for the agent
// of their session, or of their user. Two events differ in their payload, so each one is a row of its own.
struct SubscriberMade {
    std::string subscriber = {};
    std::string type = {};
    std::string priority = "normal";
    std::int64_t max_size = 10;  // rows of one notification
};

// PUT /v1/subscribers/{id}.
struct SubscriberSwitched {
    std::string caller = {};
    std::string user = {};  // the user whose setting an accepted request changes
    std::string subscriber = {};
    bool enabled = false;
    Answer answer = {};
};

// GET /v1/users/{id}/settings.
struct SettingsRead {
    std::string user = {};
    std::vector<std::string> disabled = {};
    Answer answer = {};
};

// A request with a query parameter that its route does not have.
struct ParameterSent {
    std::string caller = {};
    std::string method = {};
    std::string path = {};
    std::string parameter = {};
    Answer answer = {};
    std::string field = {};  // `field` of the problem document
};

// A POST request with an Idempotency-Key, on any route.
struct KeySent {
    std::string caller = {};
    std::string path = {};
    std::string key = {};
    bool takes_key = true;  // false: the documents say that this route answers 422 to the header
    std::string body = {};  // two requests are the same if path and body are
    std::string mark = {};  // of the record that the request makes; empty: none
    Answer answer = {};
    std::string made = {};  // the id in the answer
};

// The records of one kind that carry a mark, at the end of the world.
struct RecordsCounted {
    std::string what = {};  // runs, interactions
    std::string mark = {};
    std::vector<std::string> ids = {};
};

// A request with a time in a form of ISO 8601 that the documents list.
struct TimeSent {
    std::string caller = {};
    std::string way = {};  // events, cloudevents, rpc, cli
    std::string text = {};
    std::int64_t meant_us = 0;  // the instant, in microseconds since 1970
    Answer answer = {};
    std::string field = {};                    // the field that the error names
    std::optional<std::int64_t> read_us = {};  // the instant that the stored record has
};

// `belfry serve --dev` began in the home of a user who has these sinks and subscribers.
struct DevStarted {
    std::vector<std::string> sinks = {};
    std::vector<std::string> subscribers = {};
};

// The demonstration daemon was asked for its subscribers.
struct DevListed {
    std::vector<std::string> subscribers = {};
    Answer answer = {};
};

}  // namespace observer
