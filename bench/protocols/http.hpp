#pragma once

#include <memory>
#include <string>
#include <vector>

#include "protocols/conversation.hpp"

namespace belfry::bench {

// How a server takes events over HTTP and how it says that it has them.
struct HttpDialect {
    std::string target;
    std::string authorization;  // the whole header line with its end, or empty
    std::string content_type;
    std::size_t events_per_request = 1;  // more than one: a JSON array
    std::size_t requests_at_once = 1;    // pipelined in one sending, all answers awaited
    int status = 201;
    int status_otherwise = 201;  // as good as `status`
    std::string body_has;        // each answer's body contains this
};

// Belfry's POST /v1/events: 201 and the new id, or for an array 201 and the number of accepted events.
HttpDialect belfry_dialect(const ConversationPlan& plan);

// Belfry's POST /v1/runs/{id}/events: 201 and the number of accepted events. The plan's event must be of a run.
HttpDialect belfry_run_dialect(const ConversationPlan& plan, std::size_t run);

// nginx with nchan: one message a request, so a batch is as many requests pipelined.
HttpDialect nchan_dialect(const ConversationPlan& plan);

std::unique_ptr<Conversation> http_conversation(const ConversationPlan& plan, const HttpDialect& dialect);

// One after the other in turn: a producer with several streams.
std::unique_ptr<Conversation> rotating_conversation(std::vector<std::unique_ptr<Conversation>> all);

}  // namespace belfry::bench
