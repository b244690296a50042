#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "base/time.hpp"

struct iovec;

namespace belfry::wire {

// What a socket can do now and could not before.
struct Edge {
    bool readable = false;
    bool writable = false;
    bool closed = false;  // the peer has closed, at least its sending side
};

enum class Io : std::uint8_t {
    done,         // `bytes` were moved
    would_block,  // wait for the next edge
    closed,       // the peer closed in order
    failed,       // the connection is broken
};

struct IoResult {
    Io state = Io::done;
    std::size_t bytes = 0;
    bool drained = false;  // after a read: nothing more is there now, as far as is known
};

// The bytes of one connection, never blocking. Owns the socket.
class Transport {
public:
    virtual ~Transport() = default;
    virtual IoResult read(char* into, std::size_t size) = 0;
    // Writes as much of the pieces as goes, in order.
    virtual IoResult write(const iovec* pieces, std::size_t count) = 0;
    // Says good-bye in the protocol's own way, as far as that goes without waiting.
    virtual void finish() = 0;
    [[nodiscard]] virtual int socket() const = 0;

    IoResult write(std::string_view bytes);
};

// Takes the socket, which must not block.
std::unique_ptr<Transport> plain_transport(int socket);

// So that what a peer has not taken waits here, where it can give way to a last word, and not in the kernel.
void keep_backlog_small(int socket);
// Room for a last word to a peer that takes next to nothing, and as much time for it to come to it.
void make_room_for_last_word(int socket, base::Duration patience);

}  // namespace belfry::wire
