#pragma once

#include <cstdint>
#include <optional>

namespace belfry::net {

// The user id of the process at the other end of a Unix socket, as the kernel vouches for it.
std::optional<std::uint32_t> peer_user(int socket);

}  // namespace belfry::net
