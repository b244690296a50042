#pragma once

#include "codec/jsonrpc.hpp"
#include "net/rpc/link.hpp"

// What a worker does, over JSON-RPC: the words of the routes under /v1/wakes, with `wake_id` for the path.
namespace belfry::net {

// `wake/claim {agents, holder?, lease_s?, wait_s?, until_granted?, context_messages?}`: a grant, or null where there
// was none in its time. It is answered on its own: neither as a notification nor, where it waits, in a batch.
void claim_wake(Service& service, RpcLink& link, const RpcTo& to, const codec::RpcCall& call);

// Under the claim, each with `wake_id` and `fence`.
void renew_wake(Service& service, RpcLink& link, const RpcTo& to, const codec::RpcCall& call);
void append_agent_messages(Service& service, RpcLink& link, const RpcTo& to, const codec::RpcCall& call);
void store_plan(Service& service, RpcLink& link, const RpcTo& to, const codec::RpcCall& call);
void call_tool(Service& service, RpcLink& link, const RpcTo& to, const codec::RpcCall& call);
void change_own_state(Service& service, RpcLink& link, const RpcTo& to, const codec::RpcCall& call);
void end_wake(Service& service, RpcLink& link, const RpcTo& to, const codec::RpcCall& call);

}  // namespace belfry::net
