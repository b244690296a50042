#include <sys/socket.h>

#include "net/peer.hpp"

namespace belfry::net {

std::optional<std::uint32_t> peer_user(int socket) {
    ucred credentials{};
    socklen_t size = sizeof credentials;
    if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &size) != 0) return std::nullopt;
    return credentials.uid;
}

}  // namespace belfry::net
