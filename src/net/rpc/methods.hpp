#pragma once

#include "codec/jsonrpc.hpp"
#include "net/rpc/link.hpp"

namespace belfry::net {

// Does what a call asks, or refuses it: at once where that takes no time, else by a command or a question whose answer
// finds the link again if it is still there. Before a peer has said who it is, it may only do that.
void call_method(Service& service, RpcLink& link, const RpcTo& to, const codec::RpcCall& call);

}  // namespace belfry::net
