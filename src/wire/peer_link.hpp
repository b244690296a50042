#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "base/result.hpp"

namespace belfry::wire {

// What is known of the other end of a link from the link alone: it holds this key.
struct LinkFacts {
    std::string key;  // DER as base64
    std::string pin;
    std::string exporter;   // what only the two ends of this TLS session know
    std::string path;       // what was asked for: `/v1/sync`
    std::string address;    // the other end's, for people
    bool is_by_us = false;  // we have called
};

// A link between two devices that is up: messages in both directions, over TLS with the keys of both. Lives on the
// thread of its PeerNetwork. Destroying it cuts it, unless it was told to close; no callback is called afterwards.
class PeerLink {
public:
    virtual ~PeerLink() = default;

    [[nodiscard]] virtual const LinkFacts& facts() const = 0;

    // After what was sent before. Whoever sends looks at how many wait: nothing here bounds it.
    virtual void send(std::string message) = 0;
    [[nodiscard]] virtual std::size_t unsent_messages() const = 0;
    [[nodiscard]] virtual std::size_t unsent_bytes() const = 0;

    // The next message, or why there will be none any more: too_large where one has more bytes than this, unpacked,
    // before they take memory; unavailable where the other end said good-bye; io where the link broke. One at a time:
    // what is not asked for waits with the sender.
    using OnMessage = std::function<void(base::Result<std::string>)>;
    virtual void receive(std::size_t bytes_max, OnMessage done) = 0;

    // Grows with all that comes and goes, also in the middle of a message.
    [[nodiscard]] virtual std::uint64_t bytes_received() const = 0;
    [[nodiscard]] virtual std::uint64_t bytes_sent() const = 0;

    // Says good-bye after what was sent, and waits a little for the other's. Nothing is received any more.
    virtual void close() = 0;
};

}  // namespace belfry::wire
