#pragma once

#include <string>

#include "base/result.hpp"
#include "codec/sse.hpp"

namespace belfry::client {

// Where a reader is in a stream that is followed, and what its messages mean. `Client::follow_cursor` does the rest:
// connections, pauses, what is final.
class Cursor {
public:
    virtual ~Cursor() = default;

    // Path and query that continue after what was read.
    [[nodiscard]] virtual std::string target() const = 0;
    // Any message but `close`. False: the reader has enough. An error ends the connection.
    virtual base::Result<bool> take(const codec::SseMessage& message) = 0;
};

}  // namespace belfry::client
