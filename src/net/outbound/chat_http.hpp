#pragma once

#include "base/result.hpp"
#include "model/chat.hpp"
#include "wire/endpoint.hpp"
#include "wire/http_client.hpp"

namespace belfry::net {

struct ChatHttpRequest {
    wire::Endpoint endpoint;
    wire::HttpRequest request;
};

// What is sent where. Code::invalid for an address, a header or a secret that cannot be sent, and for a request that no
// server could understand; too_large beyond its bound. No message holds the secret.
base::Result<ChatHttpRequest> chat_http_request(const model::ChatRequest& request);

}  // namespace belfry::net
