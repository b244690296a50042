#include "net/rpc/links.hpp"

#include <algorithm>

#include "net/rpc/link.hpp"

namespace belfry::net {

RpcLinks::RpcLinks() = default;
// Those that go take their leave from the streams that they follow.
RpcLinks::~RpcLinks() {
    links_.clear();
    dead_.clear();
}

RpcLink& RpcLinks::put(std::unique_ptr<RpcLink> link) {
    const ConnectionId id = link->id();
    return *links_.emplace(id, std::move(link)).first->second;
}

void RpcLinks::end(ConnectionId id) {
    const auto at = links_.find(id);
    if (at == links_.end()) return;
    dead_.push_back(std::move(at->second));
    links_.erase(at);
}

void RpcLinks::bury() {
    dead_.clear();
}

void RpcLinks::follow(model::StreamId stream, ConnectionId id) {
    followers_[stream].push_back(id);
}

void RpcLinks::leave(model::StreamId stream, ConnectionId id) {
    const auto at = followers_.find(stream);
    if (at == followers_.end()) return;
    const auto place = std::ranges::find(at->second, id);
    if (place != at->second.end()) at->second.erase(place);
    if (at->second.empty()) followers_.erase(at);
}

void RpcLinks::on_news(const std::vector<model::StreamId>& streams) {
    for (const model::StreamId stream : streams) {
        const auto at = followers_.find(stream);
        if (at == followers_.end()) continue;
        const std::vector<ConnectionId> followers = at->second;  // those who are told may leave
        for (const ConnectionId id : followers) {
            if (RpcLink* const link = find(id)) link->serve();
        }
    }
}

std::vector<ConnectionId> RpcLinks::ids() const {
    std::vector<ConnectionId> all;
    all.reserve(links_.size());
    for (const auto& [id, link] : links_) all.push_back(id);
    return all;
}

void RpcLinks::sweep(base::Duration now, bool ask_again) {
    buckets.sweep(now);
    for (const ConnectionId id : ids()) {
        if (RpcLink* const link = find(id)) link->sweep(now, ask_again);
    }
}

void RpcLinks::begin_stop() {
    for (const ConnectionId id : ids()) {
        if (RpcLink* const link = find(id)) link->begin_stop();
    }
}

void RpcLinks::end_all() {
    for (const ConnectionId id : ids()) {
        if (RpcLink* const link = find(id)) link->end();
    }
}

}  // namespace belfry::net
