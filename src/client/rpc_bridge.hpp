#pragma once

#include <string>

#include "base/result.hpp"

namespace belfry::client {

// Carries bytes between two descriptors of this process and a Unix socket, both ways, until the socket's other end
// closes, or `in` has ended and what was asked by then is answered. Unavailable where nobody listens there, or the
// other end closes before it has got all of `in`.
base::Result<void> bridge_rpc(const std::string& socket_path, int in, int out);

}  // namespace belfry::client
