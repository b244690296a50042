#pragma once

#include "net/exchange.hpp"
#include "ports/streams.hpp"

namespace belfry::net::handlers {

enum class StreamForm : std::uint8_t { page, sse, websocket };

// How the Accept and Upgrade fields want it.
StreamForm form_of(const wire::Request& request);

// What a request to a stream asks for.
struct StreamRequest {
    StreamForm form = StreamForm::page;
    ports::OpenStream open;
    std::size_t limit = 0;  // of a page
};

// Reads the parameters, the Accept and Upgrade fields and Last-Event-ID.
base::Result<StreamRequest> read_stream_request(const Exchange& exchange);

}  // namespace belfry::net::handlers
