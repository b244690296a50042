#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "base/time.hpp"
#include "model/log.hpp"
#include "net/connections.hpp"
#include "net/rpc/buckets.hpp"

namespace belfry::net {

class RpcLink;

// All open connections of JSON-RPC, found by the number that their socket was registered under. One that ends stays in
// memory until `bury`, because it may still be on the stack of whoever ended it.
class RpcLinks {
public:
    RpcLinks();
    ~RpcLinks();
    RpcLinks(const RpcLinks&) = delete;
    RpcLinks& operator=(const RpcLinks&) = delete;

    // A number that no connection of HTTP ever has.
    ConnectionId next_id() { return own_ids | ++last_id_; }
    RpcLink& put(std::unique_ptr<RpcLink> link);
    [[nodiscard]] RpcLink* find(ConnectionId id) const {
        const auto at = links_.find(id);
        return at == links_.end() ? nullptr : at->second.get();
    }
    void end(ConnectionId id);
    void bury();
    [[nodiscard]] std::size_t size() const { return links_.size(); }

    // Who is to hear of news in a stream.
    void follow(model::StreamId stream, ConnectionId id);
    void leave(model::StreamId stream, ConnectionId id);
    void on_news(const std::vector<model::StreamId>& streams);

    void sweep(base::Duration now, bool ask_again);
    void begin_stop();
    void end_all();

    MessageBuckets buckets;

private:
    static constexpr ConnectionId own_ids = 1ULL << 63U;
    [[nodiscard]] std::vector<ConnectionId> ids() const;

    std::unordered_map<ConnectionId, std::unique_ptr<RpcLink>> links_;
    std::vector<std::unique_ptr<RpcLink>> dead_;
    std::unordered_map<model::StreamId, std::vector<ConnectionId>> followers_;
    std::uint64_t last_id_ = 0;
};

}  // namespace belfry::net
