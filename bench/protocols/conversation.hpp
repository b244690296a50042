#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "common/event_bytes.hpp"

namespace belfry::bench {

// What a conversation did with the bytes that arrived.
struct Taken {
    std::size_t bytes = 0;  // so many are dealt with; the rest is the beginning of something incomplete
    bool answered = false;  // what was asked last is answered whole
};

// One producer's side of one connection: a pure translation between events and a server's bytes, with no socket in it.
// It asks one thing at a time: `hello`, if there is one, then a request, each only after the answer to the one before.
// An answer that is not exactly the success that the protocol promises ends the program.
class Conversation {
public:
    virtual ~Conversation() = default;

    // What to send once the connection stands; empty where a protocol needs nothing.
    virtual std::string_view hello() const = 0;

    // The next request, with the numbers of its events counted from `first`. Valid until the next call.
    virtual std::string_view request(std::uint64_t first) = 0;

    // Takes all that has arrived and was not dealt with yet. What must be sent back besides requests (the answer to a
    // server's ping) is appended to `back`.
    virtual Taken take(std::string_view in, std::string& back) = 0;
};

// What all protocols need to know.
struct ConversationPlan {
    std::uint16_t port = 0;
    std::size_t batch = 1;  // events in one request
    EventShape event;
    std::string token;  // Belfry's access token; unused elsewhere
};

}  // namespace belfry::bench
