#pragma once

#include "codec/jsonrpc.hpp"
#include "net/rpc/link.hpp"

// Streams over JSON-RPC: the answer names a subscription, then each entry comes as a notification.
namespace belfry::net {

// `run/follow {run_id, after?, from?, tree?, agent?}`, from its beginning unless told; `run/event`, and
// `run/closed` after the end.
void follow_run(Service& service, RpcLink& link, const RpcTo& to, const codec::RpcCall& call);
// `inbox/follow {user?, session?}`: what waits, a line `caught_up`, and what comes; `inbox/event`.
void follow_inbox(Service& service, RpcLink& link, const RpcTo& to, const codec::RpcCall& call);
// `session/follow {session_id, after?, from?}`: what comes from now on, unless told; `session/event`, and
// `session/closed` after its deletion.
void follow_session(Service& service, RpcLink& link, const RpcTo& to, const codec::RpcCall& call);
// Answers with the number of this subscription and, where the stream has positions, the one that it goes on after;
// tells what `first` has to tell, and lets the stream follow.
void subscribe(RpcLink& link, const RpcTo& to, std::unique_ptr<RpcSubscription> subscription,
               const std::function<void(RpcSubscription&)>& first, std::optional<model::Sequence> after = std::nullopt);

// `unfollow {subscription}`.
void unfollow(Service& service, RpcLink& link, const RpcTo& to, const codec::RpcCall& call);

}  // namespace belfry::net
