#pragma once

#include "base/result.hpp"
#include "model/chat.hpp"
#include "wire/http_answer.hpp"

// Why a model did not answer, from what the wire and the server say.
namespace belfry::net {

// How far a call had come.
struct ChatProgress {
    base::Duration elapsed;
    bool has_body;  // some of the answer's body had come
};

model::ChatFailure timed_out(model::ChatLimit limit, const model::ChatTimes& times);
// The request could not be written.
model::ChatFailure request_failure(const base::Error& error);
// The connection failed.
model::ChatFailure wire_failure(const base::Error& error, const model::ChatTimes& times, const ChatProgress& progress);
// The server answered with another status than 2xx.
model::ChatFailure refusal(const wire::HttpAnswer& answer);

// Takes the endpoint's secrets out of the message, should the server have repeated them, then cuts it to a bound, and
// says whose words it is.
void make_presentable(model::ChatFailure& failure, const model::ChatEndpoint& endpoint);

}  // namespace belfry::net
